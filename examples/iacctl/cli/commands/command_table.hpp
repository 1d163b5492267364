// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_COMMAND_TABLE_HPP
#define IACCTL_CLI_COMMANDS_COMMAND_TABLE_HPP

#include "command.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace iacctl::commands {

/// All commands, the frequently used ones first.
[[nodiscard]] auto all_commands() noexcept -> std::span<command const* const>;

/// The number of frequently used commands.
[[nodiscard]] auto count_of_main_commands() noexcept -> std::size_t;

/// The command with this name, or null.
[[nodiscard]] auto find_command(std::string_view name) noexcept -> command const*;

/// Returns whether there are commands with a name of two words that begins with this one.
[[nodiscard]] auto has_subcommands(std::string_view name) noexcept -> bool;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_COMMAND_TABLE_HPP
