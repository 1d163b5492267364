// SPDX-License-Identifier: BSL-1.0
#include "version.hpp"

#include "characters.hpp"
#include "trimmed.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace iacctl {

namespace {

// Removes the part before a separator, and the separator, from the text and returns the part.
auto next_part(std::string_view& text, char separator) noexcept -> std::string_view
{
    auto const end = std::min(text.find(separator), text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

// Returns whether the text consists of identifiers (letters, digits and hyphens) separated by dots.
auto are_identifiers(std::string_view text) noexcept -> bool
{
    return !text.empty() && !text.starts_with('.') && !text.ends_with('.') && text.find("..") == std::string_view::npos
        && std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; });
}

auto compare_identifiers(std::string_view a, std::string_view b) noexcept -> std::weak_ordering
{
    bool const a_number = is_digits(a);
    bool const b_number = is_digits(b);
    if (a_number != b_number) return a_number ? std::weak_ordering::less : std::weak_ordering::greater;
    if (a_number) {
        a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
        b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
        if (a.size() != b.size()) return a.size() <=> b.size();
    }
    return a.compare(b) <=> 0;
}

auto compare_prereleases(std::string_view a, std::string_view b) noexcept -> std::weak_ordering
{
    if (a.empty() || b.empty()) return a.empty() <=> b.empty();
    while (!a.empty() && !b.empty())
        if (auto const order = compare_identifiers(next_part(a, '.'), next_part(b, '.')); order != 0) return order;
    return a.size() <=> b.size();
}

// Returns whether two versions have the same numbers.
auto same_numbers(version const& a, version const& b) noexcept -> bool
{
    for (std::size_t i = 0; i < std::max(a.numbers.size(), b.numbers.size()); ++i)
        if (a.number(i) != b.number(i)) return false;
    return true;
}

constexpr std::array<std::pair<std::string_view, version_operator>, 7> signs{{
    {"~>", version_operator::pessimistic},
    {">=", version_operator::greater_or_equal},
    {"<=", version_operator::less_or_equal},
    {"!=", version_operator::not_equal},
    {"=", version_operator::equal},
    {">", version_operator::greater},
    {"<", version_operator::less},
}};

}  // namespace

auto version::parse(std::string_view text, bool prefix) -> std::optional<version>
{
    version made;
    if (prefix && text.starts_with('v')) text.remove_prefix(1);
    if (auto const plus = text.find('+'); plus != std::string_view::npos) {
        made.metadata = text.substr(plus + 1);
        if (!are_identifiers(made.metadata)) return std::nullopt;
        text = text.substr(0, plus);
    }
    if (auto const dash = text.find('-'); dash != std::string_view::npos) {
        made.prerelease = text.substr(dash + 1);
        if (!are_identifiers(made.prerelease)) return std::nullopt;
        text = text.substr(0, dash);
    }
    if (text.empty() || text.ends_with('.')) return std::nullopt;
    while (!text.empty()) {
        auto const part = next_part(text, '.');
        std::uint64_t number = 0;
        auto const [end, problem] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (part.empty() || problem != std::errc() || end != part.data() + part.size()) return std::nullopt;
        made.numbers.push_back(number);
    }
    return made;
}

auto version::number(std::size_t position) const noexcept -> std::uint64_t
{
    return position < numbers.size() ? numbers[position] : 0;
}

auto version::text() const -> std::string
{
    std::string made;
    for (std::size_t i = 0; i < std::max<std::size_t>(numbers.size(), 3); ++i)
        made += (i == 0 ? "" : ".") + std::to_string(number(i));
    if (!prerelease.empty()) made += "-" + prerelease;
    if (!metadata.empty()) made += "+" + metadata;
    return made;
}

auto operator<=>(version const& a, version const& b) noexcept -> std::weak_ordering
{
    for (std::size_t i = 0; i < std::max(a.numbers.size(), b.numbers.size()); ++i)
        if (auto const order = a.number(i) <=> b.number(i); order != 0) return order;
    return compare_prereleases(a.prerelease, b.prerelease);
}

auto version_constraint::allows(version const& candidate) const noexcept -> bool
{
    auto const order = candidate <=> of;
    switch (sign) {
    case version_operator::greater: return order > 0;
    case version_operator::greater_or_equal: return order >= 0;
    case version_operator::equal: return order == 0;
    case version_operator::less_or_equal: return order <= 0;
    case version_operator::less: return order < 0;
    case version_operator::not_equal: return order != 0;
    case version_operator::pessimistic: break;
    }
    // The version must not be older, and must be equal in all numbers except the last written one. If only one number
    // is written, it must be equal.
    if (order < 0) return false;
    std::size_t const fixed = std::max<std::size_t>(of.numbers.size(), 2) - 1;
    for (std::size_t i = 0; i < fixed; ++i)
        if (candidate.number(i) != of.number(i)) return false;
    return true;
}

auto version_constraints::parse(std::string_view text) -> std::optional<version_constraints>
{
    version_constraints made;
    for (bool more = true; more;) {
        more = text.find(',') != std::string_view::npos;
        auto one = trimmed(next_part(text, ','));
        version_constraint constraint;
        auto const sign = std::ranges::find_if(signs, [&](auto const& known) { return one.starts_with(known.first); });
        if (sign != signs.end()) {
            constraint.sign = sign->second;
            one = trimmed(one.substr(sign->first.size()));
        }
        auto of = version::parse(one);
        if (!of) return std::nullopt;
        constraint.of = std::move(*of);
        made.all.push_back(std::move(constraint));
    }
    return made;
}

auto version_constraints::allow(version const& candidate) const noexcept -> bool
{
    bool named = candidate.is_release();
    for (version_constraint const& one : all) {
        if (!one.allows(candidate)) return false;
        named = named || (one.sign == version_operator::equal && one.of == candidate);
    }
    return named;
}

auto version_constraints::allow_module(version const& candidate) const noexcept -> bool
{
    if (all.empty()) return candidate.is_release();
    return std::ranges::all_of(all, [&](version_constraint const& constraint) {
        // A pessimistic constraint with a single number has no upper bound.
        if (constraint.sign == version_operator::pessimistic && constraint.of.numbers.size() == 1)
            return candidate >= constraint.of;
        bool const exact = constraint.sign == version_operator::equal || constraint.sign == version_operator::not_equal;
        bool const comparable =
            exact || candidate.is_release() || (!constraint.of.is_release() && same_numbers(candidate, constraint.of));
        return comparable && constraint.allows(candidate);
    });
}

auto version_constraints::text() const -> std::string
{
    std::vector<version_constraint const*> in_order;
    for (version_constraint const& one : all) in_order.push_back(&one);
    std::ranges::sort(in_order, [](auto const* a, auto const* b) {
        if (auto const order = a->of <=> b->of; order != 0) return order < 0;
        if (a->sign != b->sign) return a->sign < b->sign;
        // Of two pessimistic constraints, the one that fixes more numbers comes first.
        return a->sign == version_operator::pessimistic && a->of.numbers.size() > 2 && b->of.numbers.size() <= 2;
    });
    static constexpr std::array<std::string_view, 7> written{"> ", ">= ", "", "~> ", "<= ", "< ", "!= "};
    std::string made;
    std::string last;
    for (auto const* const one : in_order) {
        auto text = std::string(written[static_cast<std::size_t>(one->sign)]);
        if (one->sign == version_operator::pessimistic && one->of.numbers.size() < 3) {
            text += std::to_string(one->of.number(0)) + "." + std::to_string(one->of.number(1));
            if (!one->of.is_release()) text += "-" + one->of.prerelease;
        } else text += one->of.text();
        if (text == last) continue;
        made += (made.empty() ? "" : ", ") + text;
        last = std::move(text);
    }
    return made;
}

}  // namespace iacctl
