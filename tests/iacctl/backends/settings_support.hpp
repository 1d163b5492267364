// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_BACKENDS_SETTINGS_SUPPORT_HPP
#define IACCTL_TESTS_BACKENDS_SETTINGS_SUPPORT_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {

using given_arguments = std::vector<language::value_entry>;

/// An object with all arguments of a schema: those of `given`, and null for the others.
[[nodiscard]] inline auto complete_settings(language::schema const& arguments, given_arguments given) -> language::value
{
    std::map<std::string, language::value> all;
    for (auto const& argument : arguments.attributes) all.emplace(argument.name, language::value::null(argument.of));
    for (auto& one : given) all.insert_or_assign(one.key, std::move(one.of));
    given_arguments complete;
    for (auto& [name, value] : all) complete.push_back({name, value});
    return language::value::object(std::move(complete));
}

}  // namespace iacctl::backends::test

#endif  // IACCTL_TESTS_BACKENDS_SETTINGS_SUPPORT_HPP
