// SPDX-License-Identifier: BSL-1.0
#include "suggestion.hpp"

#include "evaluate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

[[nodiscard]] std::size_t edits(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::size_t const changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row[b.size()];
}

}  // namespace

std::string name_suggestion(std::string_view given, std::span<std::string_view const> candidates)
{
    auto const close = std::ranges::find_if(candidates, [&](std::string_view one) {
        return one.size() < given.size() + 3 && given.size() < one.size() + 3 && edits(given, one) < 3;
    });
    return close == candidates.end() ? std::string() : std::string(*close);
}

std::string did_you_mean(std::string_view given, std::span<std::string_view const> candidates)
{
    auto const close = name_suggestion(given, candidates);
    return close.empty() ? close : " Did you mean \"" + close + "\"?";
}

diagnostic unknown_function(expression const& in, syntax::call const& of)
{
    std::string const name(of.name);
    auto const told = [&](char const* summary, std::string detail) {
        return error(summary, std::move(detail), in.at(of.name_range), in.at(of.range));
    };
    auto const first = name.find("::");
    if (name == "list" || name == "map")
        return told("Call to unknown function",
            "The function \"" + name + "\" was removed from the language. Write "
                + (name == "list" ? "[ ... ], or tolist([ ... ]) for a list" : "{ ... }, or tomap({ ... }) for a map")
                + " whose elements all have one type.");
    if (first == std::string::npos)
        return told("Call to unknown function",
            "There is no function named \"" + name + "\"." + did_you_mean(of.name, function_names()));
    static constexpr auto summary = "Unknown provider function";
    auto const second = name.find("::", first + 2);
    if (name.substr(0, first) != "provider" || second == std::string::npos)
        return told(summary,
            "The function namespace \"" + name.substr(0, first)
                + "\" is not valid. Provider function calls must use the \"provider::\" namespace prefix.");
    auto const provider = name.substr(first + 2, second - first - 2);
    return told(summary,
        "There is no function named \"" + name + "\". Ensure that provider name \"" + provider
            + "\" is declared in this module's required_providers block, and that this provider offers a function "
              "named "
              "\""
            + name.substr(second + 2) + "\".");
}

}  // namespace iacctl::language
