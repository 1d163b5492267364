// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_RUN_HPP
#define IACCTL_CLI_COMMANDS_RUN_HPP

#include <ostream>
#include <string>
#include <vector>

namespace iacctl::commands {

/// Runs the whole program: reads the command line and runs one command. Never throws.
[[nodiscard]] auto run(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) noexcept -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_RUN_HPP
