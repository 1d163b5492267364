// SPDX-License-Identifier: BSL-1.0
#include "suggestion.hpp"

#include "characters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace iacctl {

namespace {

// The number of insertions, deletions, substitutions and transpositions of neighbours between two texts, or `limit` if
// there are at least as many. Expressions in "try" fail often, so most pairs are rejected after a few characters.
// \source Optimal string alignment distance
[[nodiscard]] auto edits(std::string_view a, std::string_view b, std::size_t limit) -> std::size_t
{
    constexpr std::size_t longest = 64;
    auto const same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    a.remove_prefix(same);
    b.remove_prefix(same);
    std::size_t const difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (difference >= limit || b.size() > longest) return limit;
    std::array<std::array<std::uint8_t, longest + 1>, 3> rows;
    auto const bounded = [limit](std::size_t count) { return static_cast<std::uint8_t>(std::min(count, limit)); };
    for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = bounded(j);
    std::size_t least_above = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto const& before = rows[(i + 2) % 3];
        auto const& above = rows[i % 3];
        auto& row = rows[(i + 1) % 3];
        std::fill_n(row.begin(), b.size() + 1, bounded(limit));
        row[0] = bounded(i + 1);
        std::size_t least = row[0];
        // Farther from the diagonal, there are too many insertions or deletions.
        std::size_t const end = std::min(b.size(), i + limit);
        for (std::size_t j = i >= limit ? i - limit : 0; j < end; ++j) {
            auto fewest = std::min({above[j] + (a[i] == b[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) fewest = std::min(fewest, before[j - 1] + 1);
            row[j + 1] = bounded(static_cast<std::size_t>(fewest));
            least = std::min<std::size_t>(least, row[j + 1]);
        }
        if (least >= limit && least_above >= limit) return limit;
        least_above = least;
    }
    return rows[a.size() % 3][b.size()];
}

// The length of the common prefix of two names, up to a dot.
[[nodiscard]] auto common_parts(std::string_view a, std::string_view b) -> std::size_t
{
    auto const common = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    return a.substr(0, common).rfind('.') + 1;
}

}  // namespace

auto name_suggestion(std::string_view given, std::span<std::string_view const> candidates) -> std::string
{
    std::string_view nearest;
    std::size_t fewest = 3;
    for (std::string_view const one : candidates) {
        if (one.size() >= given.size() + fewest || given.size() >= one.size() + fewest) continue;
        auto const same = common_parts(given, one);
        auto const differ = edits(given.substr(same), one.substr(same), fewest);
        // Another name of one or two letters is not a typing error.
        if (differ == 0 || differ >= fewest || differ >= given.size() - same) continue;
        fewest = differ;
        nearest = one;
    }
    return std::string(nearest);
}

auto did_you_mean(std::string_view given, std::span<std::string_view const> candidates) -> std::string
{
    auto const close = name_suggestion(given, candidates);
    return close.empty() ? close : " Did you mean \"" + close + "\"?";
}

auto suggested_name(std::string_view message) -> std::optional<std::string_view>
{
    static constexpr std::string_view begin = "Did you mean \"";
    auto const at = message.find(begin);
    if (at == std::string_view::npos) return std::nullopt;
    auto const name = message.substr(at + begin.size());
    auto const end = name.find("\"?");
    return end == std::string_view::npos ? std::nullopt : std::optional(name.substr(0, end));
}

auto misspelt_part(std::string_view text, std::string const& suggestion) -> std::optional<std::string_view>
{
    auto const in_name = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; };
    auto const dots = std::ranges::count(suggestion, '.');
    std::string_view const meant = suggestion;
    std::optional<std::string_view> found;
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
        if (!in_name(text[begin]) || (begin > 0 && in_name(text[begin - 1]))) continue;
        auto end = begin;
        for (std::ptrdiff_t left = dots; end < text.size() && (in_name(text[end]) || (text[end] == '.' && left > 0));
            ++end)
            left -= text[end] == '.' ? 1 : 0;
        auto const part = text.substr(begin, end - begin);
        if (std::ranges::count(part, '.') == dots && !name_suggestion(part, std::span(&meant, 1)).empty()) found = part;
    }
    return found;
}

}  // namespace iacctl
