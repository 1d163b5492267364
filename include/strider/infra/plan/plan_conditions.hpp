// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_CONDITIONS_HPP
#define STRIDER_INFRA_PLAN_PLAN_CONDITIONS_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>

#include <utility>

namespace strider::infra {

/// True if the conditions of a declaration hold. Failed ones are errors, but warnings if everything will be destroyed and in a
/// plan that only refreshes.
template <program P, class V = typename P::value_type>
[[nodiscard]] auto conditions_hold([[maybe_unused]] P const& configuration,
    [[maybe_unused]] plan_options const& options, [[maybe_unused]] evaluation_scope<V> const& scope,
    [[maybe_unused]] plan_findings<V>& found, [[maybe_unused]] change<V> const& c, [[maybe_unused]] condition_time when,
    [[maybe_unused]] V const& value) -> bool
{
    if constexpr (has_conditions<P>) {
        if (!c.has_conditions) return true;
        diagnostics failed =
            configuration.check(declaration_at(configuration, c.declaration), c.target, when, value, scope);
        if (options.before_destroy || options.mode == plan_mode::refresh_only) failed = as_warnings(std::move(failed));
        bool const any = failed.has_errors();
        found.problems.add(std::move(failed));
        return !any;
    }
    return true;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_CONDITIONS_HPP
