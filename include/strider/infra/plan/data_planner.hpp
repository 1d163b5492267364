// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_DATA_PLANNER_HPP
#define STRIDER_INFRA_PLAN_DATA_PLANNER_HPP

#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/data_reader.hpp>
#include <strider/infra/plan/plan_conditions.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/task.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Reads data while planning, or plans to read them during the apply.
template <program P, provider_for<P> Provider>
class data_planner {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;

public:
    /// \param planned  the findings of each visited declaration, by number
    data_planner(P const& configuration, Provider& provider, plan_options const& options,
        observer<value_type> const& watch, evaluation_scope<value_type>& scope, dependency_tables const& dependencies,
        std::vector<findings*> const& planned, clock_reading now)
        : configuration_(&configuration),
          provider_(&provider),
          options_(&options),
          reader_(configuration, provider, watch, std::move(now)),
          scope_(&scope),
          dependencies_(&dependencies),
          planned_(&planned)
    {}

    /// Plans declared data: reads them now, unless their configuration is not known or a dependency has a pending
    /// change.
    [[nodiscard]] auto plan_instance(findings& found, std::size_t number, address target, prior_instances::entry prior)
        -> task<void>
    {
        auto const& d = declaration(number);
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.declaration = number;
        if (auto const provider = instance_provider(*configuration_, d, target, *scope_)) c.provider = *provider;
        else {
            found.problems.add(provider.error().why());
            co_return;
        }
        c.dependencies = dependencies_->declared[number];
        c.stored_dependencies = c.dependencies;
        if constexpr (has_conditions<P>) c.has_conditions = configuration_->has_conditions(d);
        if (!conditions_hold(*configuration_, *options_, *scope_, found, c, condition_time::before, value_type()))
            co_return;
        auto evaluated = configuration_->evaluate(d, target, *scope_);
        if (!evaluated) {
            found.problems.add(evaluated.error().why());
            co_return;
        }
        value_type const config = std::move(*evaluated);
        if (!config.wholly_known()) c.reason = action_reason::read_because_config_unknown;
        else if (is_pending(c)) c.reason = action_reason::read_because_dependency_pending;
        if (c.reason != action_reason::none) {
            if (prior != nullptr) found.refreshed.push_back(journal_entry::remove(target, {}));
            auto later = defer_read(found, std::move(c), config);
            co_await std::move(later);
            co_return;
        }
        bool const again = is_of_check(*configuration_, d);  // the apply reads them again
        if (again) c.reason = action_reason::read_because_check_nested;
        diagnostics problems;
        auto reading = reader_.read(problems, c, config);
        auto read = co_await std::move(reading);
        if (read.deferred) {
            auto later = defer_read(found, std::move(c), config, read.deferred);
            co_await std::move(later);
            co_return;
        }
        if (!read.value) {
            if (again) found.unread.push_back(as_unread(target, problems));
            (again ? found.check_warnings : found.problems).add(std::move(problems));
            if (!again) co_return;
            auto later = defer_read(found, std::move(c), config);
            co_await std::move(later);
            co_return;
        }
        found.problems.add(std::move(problems));
        reader_.notify_done(c, read);
        if (prior == nullptr || prior->second.current != read.stored)
            found.refreshed.push_back(journal_entry::record(target, {}, std::move(read.stored)));
        c.after = std::move(*read.value);
        scope_->publish(number, target, *c.after);
        if (!conditions_hold(*configuration_, *options_, *scope_, found, c, condition_time::after, *c.after)) co_return;
        if (again && options_->mode == plan_mode::normal) c.what = action::read;
        found.changes.push_back(std::move(c));
    }

private:
    // Plans to read data during the apply, or with a reason in a later plan. Until then dependents see their known parts.
    [[nodiscard]] auto defer_read(findings& found, change<value_type> c, value_type config,
        std::optional<deferral_reason> deferral = std::nullopt) -> task<void>
    {
        plan_request<value_type> request(c.target, c.provider, std::nullopt, std::move(config));
        auto planning = provider_->plan(std::move(request));
        auto answer = co_await std::move(planning);
        if (!answer) {
            found.problems.add(located(*configuration_, c.declaration, c.target, answer.error().why()));
            co_return;
        }
        bool const is_check = c.reason == action_reason::read_because_check_nested;
        found.problems.add(located(*configuration_, c.declaration, c.target, std::move(answer->warnings)));
        c.what = is_check && options_->mode != plan_mode::normal ? action::no_op : action::read;
        c.after = std::move(answer->after);
        scope_->publish(c.declaration, c.target, *c.after);
        if (deferral) found.deferred.push_back({std::move(c), *deferral});
        else found.changes.push_back(std::move(c));
    }

    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declaration_at(*configuration_, i); }

    // True if a dependency of these data has a pending change, or one that is deferred.
    [[nodiscard]] auto is_pending(change<value_type> const& c) const -> bool
    {
        auto const& set =
            c.has_conditions ? dependencies_->declared[c.declaration] : dependencies_->data_dependencies[c.declaration];
        auto const is_near = [&](change<value_type> const& other) {
            return other.what != action::no_op && other.target.mode() == resource_mode::managed
                && !in_different_instances_of_one_module(other.target, c.target);
        };
        for (std::string const& name : set.names()) {
            auto const number = scope_->number_of(name);
            if (!number || (*planned_)[*number] == nullptr) continue;
            auto const& others = *(*planned_)[*number];
            if (!others.deferred.empty()) return true;
            if (std::any_of(others.changes.begin(), others.changes.end(), is_near)) return true;
        }
        return false;
    }

    P const* configuration_;
    Provider* provider_;
    plan_options const* options_;
    data_reader<P, Provider> reader_;
    evaluation_scope<value_type>* scope_;
    dependency_tables const* dependencies_;
    std::vector<findings*> const* planned_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_DATA_PLANNER_HPP
