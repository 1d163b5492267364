// SPDX-License-Identifier: BSL-1.0
#include "suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

// Insertions, deletions, changes, and exchanges of neighbours.
// \source Optimal string alignment distance
[[nodiscard]] std::size_t edits(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0U : 1U), above[j + 1] + 1, row[j] + 1});
            bool const exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

// The length of the beginning that two names have in common, up to a dot.
[[nodiscard]] std::size_t common_parts(std::string_view a, std::string_view b)
{
    auto const common = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    return a.substr(0, common).rfind('.') + 1;
}

}  // namespace

std::string name_suggestion(std::string_view given, std::span<std::string_view const> candidates)
{
    std::string_view nearest;
    std::size_t fewest = 3;
    for (std::string_view const one : candidates) {
        if (one.size() >= given.size() + fewest || given.size() >= one.size() + fewest) continue;
        auto const same = common_parts(given, one);
        auto const differ = edits(given.substr(same), one.substr(same));
        // Another name of one or two letters is no slip.
        if (differ == 0 || differ >= fewest || differ >= given.size() - same) continue;
        fewest = differ;
        nearest = one;
    }
    return std::string(nearest);
}

std::string did_you_mean(std::string_view given, std::span<std::string_view const> candidates)
{
    auto const close = name_suggestion(given, candidates);
    return close.empty() ? close : " Did you mean \"" + close + "\"?";
}

}  // namespace iacctl::language
