// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_SELECTION_HPP
#define STRIDER_INFRA_MODEL_SELECTION_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace strider::infra {

namespace detail {

// \param matches  compares the key of a step of the target, if it has one, with that of the address
template <class Match>
[[nodiscard]] auto is_target_by(address const& target, address const& a, Match const& matches) -> bool
{
    if (target.module().size() > a.module().size()) return false;
    for (std::size_t i = 0; i < target.module().size(); ++i) {
        auto const& step = target.module()[i];
        if (step.name != a.module()[i].name) return false;
        if (step.key && !matches(step.key, a.module()[i].key)) return false;
    }
    if (target.type().empty()) return !target.module().empty();
    return target.module().size() == a.module().size() && target.mode() == a.mode() && target.type() == a.type()
        && target.name() == a.name() && (!target.key() || matches(target.key(), a.key()));
}

}  // namespace detail

/// True if `target`, as a user writes it, includes `a`. Without a type, it includes all contents of a module; without
/// a key, all instances. `any_key` ignores keys, as before expansion.
[[nodiscard]] inline auto is_target(address const& target, address const& a, bool any_key) -> bool
{
    return detail::is_target_by(
        target, a, [any_key](instance_key const& x, instance_key const& y) { return any_key || x == y; });
}
/// True if `target` includes `a`, or an instance that `a` may stand for because a key of it is unknown.
[[nodiscard]] inline auto may_be_target(address const& target, address const& a) -> bool
{
    return detail::is_target_by(
        target, a, [](instance_key const& x, instance_key const& y) { return y.is_unknown() || x == y; });
}
[[nodiscard]] inline auto is_any(std::vector<address> const& targets, address const& a, bool any_key) -> bool
{
    return std::any_of(targets.begin(), targets.end(), [&](address const& t) { return is_target(t, a, any_key); });
}

/// True if a plan includes only some of all instances.
[[nodiscard]] inline auto is_partial(plan_options const& options) -> bool
{
    return !options.targets.empty() || !options.excludes.empty();
}
/// True if the options include an instance. An address with an unknown key is included if the options include an instance
/// that it may stand for.
[[nodiscard]] inline auto is_covered(plan_options const& options, address const& a) -> bool
{
    auto const may_include = [&](address const& t) { return may_be_target(t, a); };
    bool const targeted =
        options.targets.empty() || std::any_of(options.targets.begin(), options.targets.end(), may_include);
    return targeted && !is_any(options.excludes, a, false);
}
/// True if the options include the block, but not this instance of it. As a dependency, a block is included as a
/// whole.
[[nodiscard]] inline auto is_unselected(plan_options const& options, address const& a, address const& block) -> bool
{
    return !is_covered(options, a) && (options.targets.empty() || is_any(options.targets, block, true));
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_SELECTION_HPP
