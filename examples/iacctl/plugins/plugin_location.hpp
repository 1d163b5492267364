// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_PLUGIN_LOCATION_HPP
#define IACCTL_PLUGINS_PLUGIN_LOCATION_HPP

#include "handshake.hpp"
#include "support/process.hpp"

#include <variant>

namespace iacctl::plugins {

/// The location of a provider: a program to start, or a running one.
using plugin_location = std::variant<process_command, reattached_provider>;

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_PLUGIN_LOCATION_HPP
