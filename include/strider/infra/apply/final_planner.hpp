// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_FINAL_PLANNER_HPP
#define STRIDER_INFRA_APPLY_FINAL_PLANNER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/task.hpp>

#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// The plan of a change at a time when all values that it depends on are known.
template <class V>
struct final_plan {
    std::optional<V> prior;  ///< the object to update
    V desired{};  ///< the configuration
    V after{};  ///< the object to make
    document private_data;  ///< of the provider
};

/// Plans creations and updates again during an apply, and compares the results with the plan.
template <program P, provider_for<P> Provider>
class final_planner {
    using value_type = typename P::value_type;

public:
    /// All arguments must outlive the planner.
    final_planner(declaration_index<P> const& declared, Provider& provider, evaluation_scope<value_type> const& scope)
        : declared_(&declared),
          provider_(&provider),
          scope_(&scope)
    {}

    /// Plans a change again. \return empty after errors
    [[nodiscard]] auto plan(diagnostics& problems, change<value_type> const& c)
        -> task<std::optional<final_plan<value_type>>>
    {
        auto const& configuration = declared_->configuration();
        auto const& d = (*declared_)[c.declaration];
        bool const updates = c.what == action::update;
        auto evaluated = configuration.evaluate(d, c.target, *scope_);
        if (!evaluated) {
            problems.add(evaluated.error().why());
            co_return std::nullopt;
        }
        final_plan<value_type> made;
        made.desired = *evaluated;
        if (updates) made.prior = c.before;
        if constexpr (has_ignored_changes<P>)
            if (made.prior) made.desired = configuration.ignore_changes(d, *made.prior, *evaluated);
        plan_request<value_type> again(
            c.target, c.provider, made.prior, made.desired, made.prior ? c.private_data : document());
        if (made.prior) again.declared = std::move(*evaluated);
        again.planned_data = c.planned_data;
        auto planning = provider_->plan(std::move(again));
        auto answer = co_await std::move(planning);
        if (!answer) {
            problems.add(located(configuration, c.declaration, c.target, answer.error().why()));
            co_return std::nullopt;
        }
        if (updates && !answer->replace_paths.empty()) {
            std::string const target = to_string(c.target);
            problems.add(make_error(codes::unplanned_replacement, {target}, target));
            co_return std::nullopt;
        }
        problems.add(located(configuration, c.declaration, c.target, std::move(answer->warnings)));
        diagnostics wrong;
        if (!answer->legacy_type_system)
            wrong = check_plan(configuration, d, c.target, made.prior, made.desired, answer->after);
        if (!wrong.has_errors())
            wrong.add(check_outcome(configuration, d, c.target, plan_outcome::final_plan, *c.after, answer->after));
        problems.add(wrong);
        if (wrong.has_errors()) co_return std::nullopt;
        made.after = std::move(answer->after);
        made.private_data = std::move(answer->private_data);
        co_return made;
    }

private:
    declaration_index<P> const* declared_;
    Provider* provider_;
    evaluation_scope<value_type> const* scope_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_FINAL_PLANNER_HPP
