// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_LOCATION_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_LOCATION_HPP

#include "base/process.hpp"
#include "handshake.hpp"

#include <variant>

namespace iacctl::plugin {

/// The location of a provider: a program to start, or a running one.
using plugin_location = std::variant<process_command, reattached_provider>;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_LOCATION_HPP
