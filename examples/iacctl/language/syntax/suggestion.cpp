// SPDX-License-Identifier: BSL-1.0
#include "suggestion.hpp"

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

}  // namespace iacctl::language
