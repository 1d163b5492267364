// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_STATE_PUSH_HPP
#define IACCTL_CLI_COMMANDS_STATE_PUSH_HPP

#include "base/expected.hpp"
#include "session.hpp"
#include "workspace/pushed_state.hpp"

#include <string>

namespace iacctl::commands {

/// The state in a file of Terraform's format, or on standard input ("-").
[[nodiscard]] auto read_pushed(session const& s, std::string const& path) -> expected<workspace::pushed_state>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_STATE_PUSH_HPP
