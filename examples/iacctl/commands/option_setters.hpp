// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_OPTION_SETTERS_HPP
#define IACCTL_COMMANDS_OPTION_SETTERS_HPP

#include "command_line.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Functions that store the text of an option in a request, for the table of commands.
///
/// If the text is not accepted, they return the accepted values as a part of a sentence.
namespace iacctl::commands::setters {

using problem = std::optional<std::string>;

auto store_in(bool& to, std::string const& text) -> problem;
auto store_in(std::string& to, std::string const& text) -> problem;
auto store_in(std::optional<std::string>& to, std::string const& text) -> problem;
auto store_in(std::vector<std::string>& to, std::string const& text) -> problem;
auto store_in(std::optional<std::int64_t>& to, std::string const& text) -> problem;

/// Stores a value in a member of the request, or in a member of that member.
template <auto Member, auto... Below>
auto store(request& to, std::string const& text) -> problem
{
    if constexpr (sizeof...(Below) == 0) return store_in(to.*Member, text);
    else return store_in(((to.*Member).*....*Below), text);
}

auto ignore(request& to, std::string const& text) -> problem;
auto ignore_flag(request& to, std::string const& text) -> problem;
auto no_color(request& to, std::string const& text) -> problem;
auto no_tests(request& to, std::string const& text) -> problem;
auto variable(request& to, std::string const& text) -> problem;
auto variable_file(request& to, std::string const& text) -> problem;
auto deprecation(request& to, std::string const& text) -> problem;
auto lock_timeout(request& to, std::string const& text) -> problem;
auto watch_interval(request& to, std::string const& text) -> problem;
auto watch_rounds(request& to, std::string const& text) -> problem;
auto parallelism(request& to, std::string const& text) -> problem;
auto simulated_parallelism(request& to, std::string const& text) -> problem;
auto stop_on_failure(request& to, std::string const& text) -> problem;

}  // namespace iacctl::commands::setters

#endif  // IACCTL_COMMANDS_OPTION_SETTERS_HPP
