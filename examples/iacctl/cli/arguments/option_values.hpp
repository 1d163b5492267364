// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_ARGUMENTS_OPTION_VALUES_HPP
#define IACCTL_CLI_ARGUMENTS_OPTION_VALUES_HPP

#include "language/validation/validate.hpp"

#include <strider/infra/program/execution_limits.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

/// The accepted values, as a part of a sentence, if the text of an option is not accepted.
using value_problem = std::optional<std::string>;

/// Stores the value of an option.
auto read_into(bool& to, std::string const& text) -> value_problem;
auto read_into(std::string& to, std::string const& text) -> value_problem;
auto read_into(std::optional<std::string>& to, std::string const& text) -> value_problem;
auto read_into(std::optional<std::int64_t>& to, std::string const& text) -> value_problem;
auto read_into(std::chrono::nanoseconds& to, std::string const& text) -> value_problem;
auto read_into(language::deprecations& to, std::string const& text) -> value_problem;
auto read_into(strider::infra::execution_limits& to, std::string const& text) -> value_problem;

/// An option that may be repeated adds an element.
template <class Element>
auto read_into(std::vector<Element>& to, std::string const& text) -> value_problem
{
    Element one;
    auto wrong = read_into(one, text);
    if (!wrong) to.push_back(std::move(one));
    return wrong;
}

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_ARGUMENTS_OPTION_VALUES_HPP
