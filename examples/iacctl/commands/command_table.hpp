// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_COMMAND_TABLE_HPP
#define IACCTL_COMMANDS_COMMAND_TABLE_HPP

#include "command_line.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::commands {

class session;

/// The values with which a shell completes an argument.
enum class completion : std::uint8_t { nothing, file, directory, address, module, workspace, command, message };

enum class option_form : std::uint8_t {
    on,   ///< a flag that is false unless given: -destroy
    off,  ///< a flag that is true unless given as -lock=false
    with_value,
};

/// An option of a command.
struct option {
    /// Stores the text of the value. If the value is not accepted, returns the accepted values as a part of a sentence.
    using setter = auto (*)(request& to, std::string const& text) -> std::optional<std::string>;

    std::string_view name;  ///< without dashes
    option_form form = option_form::on;
    std::string_view value;  ///< the placeholder of the value in the help text: FILE, or a value such as "false"
    std::string_view help;
    setter set = nullptr;
    completion values = completion::nothing;
    std::string_view choices = {};  ///< all values, separated by spaces
};

/// Options with a title in the help text.
struct option_group {
    std::string_view title;
    std::span<option const> options;
};

/// The arguments of a command that are not options.
struct positional_arguments {
    std::string_view usage;  ///< "[ADDRESS...]"
    std::size_t most = 0;
    completion values = completion::nothing;
    bool after_options = false;  ///< after the first of them, an argument that begins with a dash is not an option
    std::string_view choices = {};
};

/// The object of a command. It selects the checks before the command runs.
enum class works_on : std::uint8_t {
    program,  ///< neither state nor a configuration: the command also runs in a directory that was deleted
    state,  ///< state: mistakes in the options of variables are reported before
    declarations,  ///< a configuration without values of its variables: likewise
    configuration,  ///< a configuration: reports such mistakes itself, or accepts values that only a plan needs
};

/// A command, or the first word of several commands, which has no `run`.
struct command {
    std::string_view name;  ///< "plan", "state list"
    works_on subject;
    auto (*run)(session const&) -> int = nullptr;
    std::string_view summary;  ///< one line
    std::string_view description;  ///< paragraphs, separated by empty lines
    positional_arguments positional = {};
    std::span<option_group const> groups = {};
    std::span<std::string_view const> examples = {};
};

/// Returns whether the command is for programs only.
[[nodiscard]] constexpr auto is_hidden(command const& of) noexcept -> bool
{
    return of.summary.empty();
}

/// All commands, the frequently used ones first.
[[nodiscard]] auto all_commands() noexcept -> std::span<command const>;

/// The number of frequently used commands.
[[nodiscard]] auto count_of_main_commands() noexcept -> std::size_t;

/// The options that precede a command.
[[nodiscard]] auto global_options() noexcept -> std::span<option const>;

/// The options that each command has.
[[nodiscard]] auto common_options() noexcept -> std::span<option const>;

/// The command with this name, or null.
[[nodiscard]] auto find_command(std::string_view name) noexcept -> command const*;

/// Returns whether there are commands with a name of two words that begins with this one.
[[nodiscard]] auto has_subcommands(std::string_view name) noexcept -> bool;

/// The option of a command with this name, or null.
[[nodiscard]] auto find_option(command const& of, std::string_view name) noexcept -> option const*;

/// Calls `use(option const&)` for every option of a command.
template <class Use>
void for_each_option(command const& of, Use const& use)
{
    for (option_group const& group : of.groups)
        for (option const& one : group.options) use(one);
    for (option const& one : common_options()) use(one);
}

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_COMMAND_TABLE_HPP
