// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_COMMAND_HPP
#define IACCTL_CLI_COMMANDS_COMMAND_HPP

#include "cli/arguments/option_list.hpp"
#include "cli/arguments/shared_options.hpp"
#include "messages/message.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

class session;

/// A command with the values of its options.
class parsed_command {
public:
    parsed_command() = default;
    parsed_command(parsed_command const&) = delete;
    auto operator=(parsed_command const&) -> parsed_command& = delete;
    virtual ~parsed_command() = default;

    [[nodiscard]] auto options() const noexcept -> option_list const& { return accepted_; }
    [[nodiscard]] virtual auto arguments() noexcept -> std::vector<std::string>& = 0;
    [[nodiscard]] virtual auto for_session() const -> session_options = 0;
    /// Runs the command. \return the exit code of the program
    [[nodiscard]] virtual auto run(session const& s) const -> int = 0;

protected:
    option_list accepted_;
};

/// A command whose options are of this type.
template <class Options>
class parsed_options : public parsed_command {
public:
    parsed_options()
    {
        values_.declare(accepted_);
        values_.declare_common(accepted_);
    }
    [[nodiscard]] auto values() const noexcept -> Options const& { return values_; }
    [[nodiscard]] auto arguments() noexcept -> std::vector<std::string>& override { return values_.arguments; }
    [[nodiscard]] auto for_session() const -> session_options override { return session_options_of(values_); }

private:
    Options values_;
};

namespace detail {

template <auto Run>
struct command_of;

template <class Options, auto (*Run)(Options const&, session const&)->int>
struct command_of<Run> final : parsed_options<Options> {
    [[nodiscard]] auto run(session const& s) const -> int override { return Run(this->values(), s); }
};

}  // namespace detail

/// A command with the defaults of its options, which are of the type that its function takes.
template <auto Run>
[[nodiscard]] auto begin() -> std::unique_ptr<parsed_command>
{
    return std::make_unique<detail::command_of<Run>>();
}

/// The way in which a command uses the configuration of the directory.
enum class configuration_use : std::uint8_t {
    none,
    directory,     ///< only its directory
    declarations,  ///< without values of its variables
    values,        ///< with them: the command reports mistakes in the options of variables itself
};

/// The way in which a command uses the terminal.
enum class terminal_use : std::uint8_t {
    output,
    questions,  ///< also asks for values of variables
    dialogue,   ///< shows errors as answers
};

/// The needs of a command. A command that needs neither a configuration nor a backend also runs in a directory that was
/// deleted.
struct command_needs {
    configuration_use configuration = configuration_use::none;
    bool configuration_required = false;  ///< its absence is an error, unless the command destroys
    bool backend = false;  ///< it reads or changes states
    bool providers = false;  ///< providers are searched
    terminal_use terminal = terminal_use::output;
};

/// The arguments of a command that are not options.
struct positional_arguments {
    std::string_view usage;  ///< "[ADDRESS...]"
    std::size_t most = 0;
    completion values = completion::nothing;
    bool after_options = false;  ///< after the first of them, an argument that begins with a dash is not an option
    std::string_view choices = {};
    messages::message<0> const* too_many = nullptr;  ///< reports more than `most`; null: the message of all commands
};

constexpr std::size_t any_number = 100'000;

/// A command, or the first word of several commands, which has no `begin`.
struct command {
    std::string_view name;  ///< "plan", "state list"
    command_needs needs = {};
    auto (*begin)() -> std::unique_ptr<parsed_command> = nullptr;
    std::string_view summary = {};  ///< one line without a full stop; empty: a part of another command
    std::string_view description = {};  ///< paragraphs, separated by empty lines
    positional_arguments positional = {};
    std::span<std::string_view const> examples = {};
};

/// Returns whether the command is for programs only.
[[nodiscard]] constexpr auto is_hidden(command const& c) noexcept -> bool
{
    return c.summary.empty();
}

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_COMMAND_HPP
