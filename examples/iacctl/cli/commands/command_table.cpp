// SPDX-License-Identifier: BSL-1.0
#include "command_table.hpp"

#include "commands.hpp"

#include <algorithm>
#include <array>

namespace iacctl::commands {

namespace {

constexpr std::size_t main_commands = 5;  // the first group in commands.def
constexpr std::array commands_table{
#define IACCTL_COMMAND(NAME) &NAME,
#include "commands.def"
#undef IACCTL_COMMAND
};

}  // namespace

// The first words of commands.
constinit command const metadata_command{"metadata", {}, nullptr, "Describe the language and the commands"};

constinit command const state_command{"state", {}, nullptr, "Inspect and change state"};

constinit command const workspace_command{"workspace", {}, nullptr, "Manage workspaces"};

auto all_commands() noexcept -> std::span<command const* const>
{
    return commands_table;
}

auto count_of_main_commands() noexcept -> std::size_t
{
    return main_commands;
}

auto find_command(std::string_view name) noexcept -> command const*
{
    auto const* const found = std::ranges::find(commands_table, name, &command::name);
    return found == commands_table.end() ? nullptr : *found;
}

auto has_subcommands(std::string_view name) noexcept -> bool
{
    return std::ranges::any_of(commands_table, [&](command const* c) {
        return c->name.size() > name.size() && c->name.starts_with(name) && c->name[name.size()] == ' ';
    });
}

}  // namespace iacctl::commands
