// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_ARGUMENTS_OPTION_LIST_HPP
#define IACCTL_CLI_ARGUMENTS_OPTION_LIST_HPP

#include "option_values.hpp"

#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

/// The values with which a shell completes an argument.
enum class completion : std::uint8_t { nothing, file, directory, address, module, workspace, command, message };

enum class option_form : std::uint8_t {
    on,   ///< a flag that is false unless given: -destroy
    off,  ///< a flag that is true unless given as -lock=false
    with_value,
};

/// An option of a command.
struct option {
    using setter = std::function<value_problem(std::string const& text)>;

    std::string_view name;  ///< without dashes
    option_form form = option_form::on;
    std::string_view value;  ///< the placeholder of the value in the help text: FILE, or a value such as "false"
    std::string_view help;  ///< sentences
    setter set;  ///< stores the value
    completion values = completion::nothing;
    std::string_view choices = {};  ///< all values, separated by spaces
};

/// Options with a title in the help text.
struct option_group {
    std::string_view title;
    std::vector<option> options;
};

/// The options that a command accepts, in groups. They refer to the variables that store their values.
class option_list {
public:
    /// Begins a group. The first one has the title "Options" if none is begun.
    void begin_group(std::string_view title);

    void on(std::string_view name, std::string_view help, bool& to);
    void off(std::string_view name, std::string_view help, bool& to);
    /// A flag that sets a variable to false.
    void on_for_false(std::string_view name, std::string_view help, bool& to);
    void with_value(std::string_view name, std::string_view value, std::string_view help, option::setter set,
        completion values = completion::nothing);
    template <class Variable>
    void with_value(std::string_view name, std::string_view value, std::string_view help, Variable& to,
        completion values = completion::nothing)
    {
        with_value(name, value, help, [&to](std::string const& text) { return read_into(to, text); }, values);
    }
    template <class Variable>
    void with_choice(
        std::string_view name, std::string_view value, std::string_view help, Variable& to, std::string_view choices)
    {
        with_value(name, value, help, to);
        groups_.back().options.back().choices = choices;
    }
    /// Options without effect.
    void ignored_flag(std::string_view name, std::string_view help);
    void ignored_value(std::string_view name, std::string_view value, std::string_view help);

    [[nodiscard]] auto groups() const noexcept -> std::vector<option_group> const& { return groups_; }
    /// The options of all groups.
    [[nodiscard]] auto all() const
    {
        return groups_ | std::views::transform(&option_group::options) | std::views::join;
    }
    /// The option with this name, or null.
    [[nodiscard]] auto find(std::string_view name) const -> option const*;

private:
    void add(option o);

    std::vector<option_group> groups_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_ARGUMENTS_OPTION_LIST_HPP
