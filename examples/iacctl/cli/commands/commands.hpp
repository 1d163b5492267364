// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_COMMANDS_HPP
#define IACCTL_CLI_COMMANDS_COMMANDS_HPP

#include "command.hpp"

namespace iacctl::commands {

#define IACCTL_COMMAND(NAME) extern command const NAME;
#include "commands.def"
#undef IACCTL_COMMAND

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_COMMANDS_HPP
