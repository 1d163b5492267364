// SPDX-License-Identifier: BSL-1.0
#include "version_constraint.hpp"

#include "base/version.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::language {

auto satisfies(std::string_view version, std::string_view constraints) -> std::optional<bool>
{
    auto const given = iacctl::version::parse(version);
    auto const desired = version_constraints::parse(constraints);
    if (!given || !desired) return std::nullopt;
    return desired->allow_module(*given);
}

namespace {

// Returns whether a version is of the range. Every patch release of the newest minor version is.
auto is_within(version_range const& range, iacctl::version const& one) -> bool
{
    auto const oldest = iacctl::version::parse(range.oldest);
    auto const newest = iacctl::version::parse(range.newest);
    return oldest && newest && one >= *oldest
        && std::pair(one.number(0), one.number(1)) <= std::pair(newest->number(0), newest->number(1));
}

}  // namespace

auto fits(version_range const& range, std::string_view constraints) -> bool
{
    auto const desired = version_constraints::parse(constraints);
    auto const oldest = iacctl::version::parse(range.oldest);
    if (!desired || !oldest) return true;
    auto const is_possible = [&](iacctl::version const& one) {
        return is_within(range, one) && desired->allow_module(one);
    };
    if (is_possible(*oldest)) return true;
    // The lowest version that satisfies all conditions is the oldest one, the one that a condition names, or, for ">"
    // and "!=", the patch release after that.
    return std::ranges::any_of(desired->all, [&](version_constraint const& one) {
        iacctl::version const named{{one.of.number(0), one.of.number(1), one.of.number(2)}, {}, {}};
        iacctl::version const next{{one.of.number(0), one.of.number(1), one.of.number(2) + 1}, {}, {}};
        return is_possible(named) || is_possible(next);
    });
}

auto text_of(version_range const& range) -> std::string
{
    return std::string(range.oldest) + " to " + std::string(range.newest.substr(0, range.newest.rfind('.'))) + ".x";
}

}  // namespace iacctl::language
