// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_STATE_PUSH_HPP
#define IACCTL_COMMANDS_STATE_PUSH_HPP

#include "app/pushed_state.hpp"
#include "session.hpp"
#include "support/expected.hpp"

#include <string>

namespace iacctl::commands {

/// The state in a file of Terraform's format, or on standard input ("-").
[[nodiscard]] auto read_pushed(session const& s, std::string const& path) -> expected<app::pushed_state>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_STATE_PUSH_HPP
