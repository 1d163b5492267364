// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_ENGINE_HPP
#define STRIDER_INFRA_ENGINE_HPP

#include <strider/core/result.hpp>
#include <strider/infra/apply/apply.hpp>
#include <strider/infra/graph/stages.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/plan/plan.hpp>
#include <strider/infra/program/capabilities.hpp>
#include <strider/infra/program/task.hpp>

#include <set>
#include <string>
#include <utility>

namespace strider::infra {

/// Plans and applies changes. The same code runs with real infrastructure and with the simulators of tests.
///
/// Configuration, provider, store, execution and stages are policies. The engine stores references to the first
/// three; they must outlive it and all of its coroutines.
template <program P, provider_for<P> Provider, state_store Store, execution_policy Execution,
    class Stages = default_stages>
class basic_engine {
    static_assert(check_capabilities<P>() && check_provider_capabilities<Provider, P>());

public:
    using value_type = typename P::value_type;  ///< values of the program
    using plan_type = basic_plan<value_type>;  ///< the plan that `plan` returns and `apply` takes

    /// The program, the provider and the store must outlive the engine. \param observe  may be empty
    basic_engine(P const& configuration, Provider& provider, Store& store, Execution execution,
        observer<value_type> observe = {}, Stages stages = {})
        : configuration_(&configuration),
          provider_(&provider),
          store_(&store),
          execution_(std::move(execution)),
          observer_(std::move(observe)),
          stages_(std::move(stages))
    {}

    /// Reads state and plans the changes. Changes nothing.
    [[nodiscard]] auto plan(plan_options options) -> task<result<plan_type, failure>>
    {
        auto reading = read_checked();
        auto state = co_await std::move(reading);
        if (!state) co_return state.error();
        auto planning = plan(std::move(options), std::move(*state));
        auto made = co_await std::move(planning);
        co_return made;
    }

    /// As above, from a state that was read before. \pre its integrity was checked
    /// \param unfinished  if planning fails, receives the incomplete plan: for display, not to be applied
    [[nodiscard]] auto plan(plan_options options, snapshot state, std::optional<plan_type>* unfinished = nullptr)
        -> task<result<plan_type, failure>>
    {
        basic_planner<P, Provider, Execution, Stages> planner(
            *configuration_, *provider_, execution_, stages_, observer_, std::move(options));
        auto making = planner.make(std::move(state), unfinished);
        auto made = co_await std::move(making);
        co_return made;
    }

    /// Performs a plan. \param run  prefix of idempotency keys; must be unique per apply
    /// \return a report with errors; a plan made from another state is stale, which is an error
    [[nodiscard]] auto apply(plan_type const& plan, std::string run) -> task<apply_report>
    {
        apply_report refused;
        auto reading = read_checked();
        auto state = co_await std::move(reading);
        if (!state) {
            refused.problems = state.error().why();
            co_return refused;
        }
        auto applying = apply(plan, std::move(run), std::move(*state));
        apply_report report = co_await std::move(applying);
        co_return report;
    }

    /// As above, from a state that was read before. \pre its integrity was checked, and it has not changed since
    [[nodiscard]] auto apply(plan_type const& plan, std::string run, snapshot state) -> task<apply_report>
    {
        apply_report refused;
        if (state.lineage != plan.lineage || state.serial != plan.serial || leaves_pending(plan, state)) {
            refused.problems.add(make_error(codes::stale_plan));
            refused.state = std::move(state);
            co_return refused;
        }
        basic_applier<P, Provider, Store, Execution> applier(
            *configuration_, *provider_, *store_, execution_, observer_, std::move(run));
        auto applying = applier.run(plan, std::move(state));
        apply_report report = co_await std::move(applying);
        co_return report;
    }

private:
    // True if state has a pending operation whose end the plan does not contain: it was running while the plan was
    // made.
    [[nodiscard]] static auto leaves_pending(plan_type const& plan, snapshot const& state) -> bool
    {
        std::set<std::string> pending;
        for (auto const& [operation, _] : state.pending) pending.insert(operation);
        if (!pending.empty())
            for (journal_entry const& e : plan.refreshed) pending.erase(e.operation().operation);
        return !pending.empty();
    }

    [[nodiscard]] auto read_checked() -> task<result<snapshot, failure>>
    {
        auto reading = store_->read();
        auto state = co_await std::move(reading);
        if (!state) co_return state;
        diagnostics broken = verify_integrity(*state);
        if constexpr (keeps_lineage<Store>) broken.add(verify_lineage(*state));
        if (!broken.empty()) co_return failure(std::move(broken));
        co_return state;
    }

    P const* configuration_;
    Provider* provider_;
    Store* store_;
    Execution execution_;
    observer<value_type> observer_;
    Stages stages_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_ENGINE_HPP
