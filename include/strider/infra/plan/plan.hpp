// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_HPP
#define STRIDER_INFRA_PLAN_PLAN_HPP

#include <strider/core/dag.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/graph/declared_dependencies.hpp>
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/overruled_cbd.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/graph/recorded_cbd.hpp>
#include <strider/infra/graph/stages.hpp>
#include <strider/infra/graph/walk_failures.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/action_planner.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/plan/concurrency_limiter.hpp>
#include <strider/infra/plan/deferred_destroys.hpp>
#include <strider/infra/plan/deferred_triggers.hpp>
#include <strider/infra/plan/plan_moves.hpp>
#include <strider/infra/plan/plan_visitor.hpp>
#include <strider/infra/plan/recorded_dependents.hpp>
#include <strider/infra/plan/recover_pending.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/program/triggering.hpp>
#include <strider/walk/async_walk.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Compares the configuration with the current objects: walks the declarations, calls providers, and builds the graph
/// of an apply. Changes nothing.
///
/// One object makes one plan. It must outlive the coroutine, as must program, provider and execution.
template <program P, provider_for<P> Provider, execution_policy Execution, class Stages>
class basic_planner {
    using value_type = typename P::value_type;
    using planner = plan_visitor<P, Provider>;

public:
    /// All references must outlive the planner. \param observe  may be empty
    basic_planner(declaration_index<P> declared, Provider& provider, Execution const& execution, Stages const& stages,
        observer<value_type> observe, plan_options options)
        : declared_(std::move(declared)),
          provider_(&provider),
          execution_(&execution),
          stages_(stages),
          observer_(std::move(observe)),
          options_(std::move(options))
    {}

    /// \param prior       state as it was read; \pre its integrity was checked
    /// \param unfinished  if planning fails, receives the incomplete plan: for display, not to be applied
    [[nodiscard]] auto make(snapshot prior, std::optional<basic_plan<value_type>>* unfinished = nullptr)
        -> task<result<basic_plan<value_type>, failure>>
    {
        // A stop must reach the walk, but must not end this coroutine while visits run.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_await asio::this_coro::throw_if_cancelled(false);

        basic_plan<value_type> plan;
        plan.mode = options_.mode;
        plan.lineage = prior.lineage;
        plan.serial = prior.serial;
        plan.targeted = is_partial(options_);
        plan.excluding = !options_.excludes.empty();

        if (options_.under_way) {
            treat_as_created(prior);
            prior.pending.clear();
        }
        if (!prior.pending.empty()) {
            auto recovering = recover_pending(declared_, *provider_, prior, plan.refreshed);
            diagnostics const undecided = co_await std::move(recovering);
            if (!undecided.empty()) co_return failure(undecided);
        }
        plan_moves<P> const moves(declared_);
        auto moved = moves.apply(std::move(prior));
        if (!moved) co_return moved.error();
        plan_moves<P>::note(*moved, plan);

        if (options_.mode == plan_mode::destroy && options_.minimal_refresh) options_.refresh = false;
        bool const is_empty = moved->state.resources.empty() && moved->state.outputs.empty();
        if (options_.mode == plan_mode::destroy && options_.refresh && !is_empty) {
            auto refreshing = refresh_before_destroy(*moved, plan);
            diagnostics const problems = co_await std::move(refreshing);
            if (problems.has_errors()) co_return failure(problems);
            options_.refresh = false;
            refreshed_ = true;
        }
        auto finding = find_changes(*moved, plan);
        diagnostics problems = co_await std::move(finding);
        if (problems.has_errors()) {
            problems.add(plan.check_warnings);
            if (unfinished != nullptr && visited_) unfinished->emplace(std::move(plan));
            co_return failure(std::move(problems));
        }

        if (options_.shown_only && !plan.has_changes()) co_return plan;
        graph_tables<P> const changed(declared_, plan.changes, options_.mode, plan.invocations, std::move(left_out_));
        auto drafted = apply_draft(changed, plan);
        if (!drafted) co_return failure(graph_diagnostics(drafted.error()));
        auto applied = stages_.apply_graph(changed, std::move(*drafted), options_);
        if (!applied) co_return failure(graph_diagnostics(applied.error()));
        plan.providers = changed.providers();
        remove_dropped_changes(plan, *applied);
        if (diagnostics refused = refused_destroys(plan); refused.has_errors()) {
            refused.add(plan.check_warnings);
            if (unfinished != nullptr) unfinished->emplace(std::move(plan));
            co_return failure(std::move(refused));
        }
        auto order = freeze(std::move(*applied));
        if (!order) co_return failure(graph_diagnostics(order.error()));
        plan.graph = std::move(*order);
        co_return plan;
    }

private:
    // Walks the declarations and the orphans of state, and adds their changes to the plan.
    [[nodiscard]] auto find_changes(moved_state const& prior, basic_plan<value_type>& plan) -> task<diagnostics>
    {
        prior_instances const there(prior.state, prior.previous);
        graph_tables<P> const tables(declared_, plan.changes, options_.mode);
        concurrency_limiter limiter(execution_->get_executor(), execution_->limits());
        auto now = [executor = execution_->get_executor()] {
            return std::chrono::nanoseconds(Execution::clock_type::now(executor).time_since_epoch());
        };
        planner work(declared_, *provider_, options_, observer_, there, dependencies_, limiter, std::move(now));
        auto const excluded = work.find_orphans();
        if (diagnostics missing = work.missing_providers(); !missing.empty()) co_return missing;
        auto drafted = draft(tables, there, excluded);
        if (!drafted) co_return graph_diagnostics(drafted.error());
        left_out_ = left_out_of(*drafted);
        auto const frozen = freeze(std::move(*drafted));
        if (!frozen) co_return graph_diagnostics(frozen.error());
        work.prepare(frozen->vertex_count());

        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return diagnostics{stopped_error()};

        auto visitor = [&work](vertex_id v, node const& n) -> task<visit_outcome> { return work.visit(v, n); };
        auto token = asio::as_tuple(asio::use_awaitable);
        auto const executor = execution_->get_executor();
        auto type_of = [&](vertex_id v) { return work.type_of((*frozen)[v]); };
        auto options = execution_->options(std::move(type_of));
        auto walked = async_walk(executor, *frozen, visitor, options, token);
        auto const [error, report] = co_await std::move(walked);

        diagnostics problems = work.collect(plan);
        if (options_.mode == plan_mode::normal) defer_triggering<P>(declared_, dependencies_, work.scope(), plan);
        defer_destroys(plan, prior.state);
        std::ranges::sort(plan.deferred, {}, [](auto const& one) -> auto const& { return one.planned.target; });
        prevented_ = work.take_prevented();
        detail::append_walk_failures(problems, report, codes::planning_failed,
            [&](vertex_id v) { return node_naming<P>(tables).name((*frozen)[v]); });
        if (error && !problems.has_errors()) problems.add(stopped_error());
        diagnostics const misplaced = plan_moves<P>(declared_).check(prior, plan, options_);
        if (!misplaced.empty()) co_return misplaced;
        visited_ = report.cancelled() == 0;
        if (!problems.has_errors() && !options_.before_destroy) {
            action_planner<P, Provider> actions(declared_, *provider_, options_, prior.state, work.scope());
            auto invoking = actions.plan(plan);
            problems.add(co_await std::move(invoking));
        }
        if (problems.has_errors()) co_return problems;
        plan.warnings.add_new(std::move(problems));  // some are those of the refresh before a destroy
        plan.warnings.add(plan_moves<P>(declared_).lost(plan));
        plan.warnings.add(overruled_cbd(declared_.configuration(), *frozen, plan.changes));
        if (options_.mode == plan_mode::normal)
            plan.warnings.add(
                recorded_dependents<P>(declared_.configuration(), prior.state, options_).spread(plan.changes));
        co_return diagnostics();
    }

    // Refreshes objects as for any plan; then all of them are destroyed.
    [[nodiscard]] auto refresh_before_destroy(moved_state& prior, basic_plan<value_type>& plan) -> task<diagnostics>
    {
        plan_options options = options_;
        options.mode = plan_mode::normal;
        options.before_destroy = true;
        options.replace.clear();
        basic_planner first(declared_, *provider_, *execution_, stages_, observer_, std::move(options));
        basic_plan<value_type> found;
        auto finding = first.find_changes(prior, found);
        diagnostics problems = co_await std::move(finding);
        if (problems.has_errors()) co_return problems;
        for (journal_entry& e : found.refreshed) {
            bool const of_data = e.output_name().empty() && e.target().mode() == resource_mode::data;
            if (of_data) continue;  // copies of data go anyway
            (void)replay(prior.state, e);
            plan.refreshed.push_back(std::move(e));
        }
        plan.drift = std::move(found.drift);
        plan.warnings.add(std::move(found.warnings));
        prior.previous.clear();
        co_return diagnostics();
    }

    [[nodiscard]] static auto stopped_error() -> diagnostic { return make_error(codes::planning_stopped); }

    // Drafts the declarations with references and forced create_before_destroy, and the orphans, given by their
    // providers. In a destroy all objects are orphans, and the only declarations are those that its actions need.
    [[nodiscard]] auto draft(graph_tables<P> const& tables, prior_instances const& there,
        std::vector<std::string> const& excluded) -> result<digraph<node>>
    {
        graph_builder<P> builder(declared_);
        builder.add_resources();
        builder.connect_explicit_dependencies();
        builder.connect_references();
        builder.connect_triggers();
        builder.order_checks_last();
        if (options_.mode != plan_mode::destroy) {
            builder.add_orphan_vertices(excluded);
            builder.drop_unused_providers();
        }
        auto scoped = with_module_scopes(tables, std::move(builder).take());
        if (!scoped) return scoped;
        dependencies_ = declared_dependencies<P>(tables, *scoped, there).take();
        if (options_.mode != plan_mode::destroy) return stages_.plan_graph(tables, std::move(*scoped), options_);
        static plan_options const all;
        auto declared = stages_.plan_graph(tables, std::move(*scoped), all);
        if (!declared) return declared;
        graph_builder<P> needed(declared_, std::move(*declared));
        auto const is_there = [&](std::size_t i) {
            return !there.of(declared_.configuration().address_of(declared_[i])).empty();
        };
        auto kept = needs_of_destroys(declared_, is_there);
        if (!refreshed_) kept.merge(configurations_of(there.state()));
        needed.keep_dependencies_of(kept);
        needed.add_orphan_vertices(excluded);
        return std::move(needed).take();
    }

    // The declarations that exclusions leave out of the graph of declarations. An apply does not evaluate them: it cannot tell
    // them by its own graph, in which a declaration depends on the instances that it needs only. Configurations of providers may
    // be needed for orphans.
    [[nodiscard]] auto left_out_of(digraph<node> const& planned) const -> std::set<std::size_t>
    {
        std::set<std::size_t> found;
        if (options_.excludes.empty() || options_.mode != plan_mode::normal) return found;
        for (std::size_t i = 0; i < declared_.size(); ++i)
            if (declared_.kind(i) != declaration_kind::provider) found.insert(found.end(), i);
        for (auto const v : planned.vertices())
            if (planned[v].role == node_role::declaration) found.erase(planned[v].index);
        return found;
    }

    // The declarations of the configurations of the providers of all objects. A refresh has evaluated them.
    [[nodiscard]] auto configurations_of(snapshot const& state) const -> std::set<std::size_t>
    {
        std::set<std::size_t> found;
        for (auto const& [target, record] : state.resources) {
            if (record.current) found.insert(declared_.find(record.current->provider));
            for (auto const& [key, old] : record.deposed) found.insert(declared_.find(old.provider));
        }
        found.erase(no_declaration);
        return found;
    }

    // The errors of instances that the plan destroys although they must not be destroyed.
    [[nodiscard]] auto refused_destroys(basic_plan<value_type> const& plan) -> diagnostics
    {
        std::set<address> destroyed;
        if (!prevented_.empty())
            for (change<value_type> const& c : plan.changes) destroyed.insert(c.target);
        diagnostics all;
        for (auto& [target, why] : prevented_)
            if (destroyed.contains(target)) all.add(std::move(why));
        return all;
    }

    // Removes changes and invocations without a vertex from the plan: in a destroy, targets apply to the graph of changes; and
    // the provider of an object that is to be destroyed may depend on what is excluded.
    static void remove_dropped_changes(basic_plan<value_type>& plan, digraph<node>& graph)
    {
        bool const targets = plan.mode == plan_mode::destroy && plan.targeted;
        bool const excludes = plan.mode == plan_mode::normal && plan.excluding;
        if (!targets && !excludes) return;
        auto const of_change = [](node const& n) { return n.role == node_role::creator || is_destroyer(n); };
        auto const stays = [excludes](change<value_type> const& c) { return excludes && c.what != action::destroy; };
        auto const number = remove_without_vertex(plan.changes, graph, of_change, stays);
        auto const invokes = [](node const& n) { return n.role == node_role::invocation; };
        (void)remove_without_vertex(plan.invocations, graph, invokes, [](auto const&) { return false; });
        for (auto& one : plan.invocations)
            if (one.event != trigger_event::invoke) one.change = number[one.change];
    }

    // Removes the elements of a table that do not stay anyway and to which no vertex of a kind refers, and numbers the others
    // anew. \return new numbers
    template <class T, class Predicate, class Stays>
    static auto remove_without_vertex(std::vector<T>& table, digraph<node>& graph, Predicate const& refers,
        Stays const& stays) -> std::vector<std::uint32_t>
    {
        std::vector<std::uint32_t> number(table.size(), node::no_declaration);
        for (auto const v : graph.vertices())
            if (refers(std::as_const(graph)[v])) number[graph[v].index] = 0;
        std::vector<T> kept;
        for (std::size_t i = 0; i < number.size(); ++i) {
            if (number[i] == node::no_declaration && !stays(table[i])) continue;
            number[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(std::move(table[i]));
        }
        for (auto const v : graph.vertices())
            if (refers(std::as_const(graph)[v])) graph[v].index = number[graph[v].index];
        table = std::move(kept);
        return number;
    }

    [[nodiscard]] auto apply_draft(graph_tables<P> const& tables, basic_plan<value_type>& plan) const
        -> result<digraph<node>>
    {
        graph_builder<P> builder(declared_);
        bool const normal = options_.mode == plan_mode::normal;
        bool const applied = options_.mode == plan_mode::destroy || !plan.invocations.empty();
        bool const declared = normal || (applied && declares_providers(declared_.configuration()));
        static std::vector<change<value_type>> const none;
        if (declared) {
            builder.add_resources(normal ? plan.changes : none);
            builder.connect_explicit_dependencies();
            builder.connect_references();
        }
        if (normal) {
            builder.connect_triggers();
            builder.order_checks_last();
        }
        builder.add_orphans(plan.changes);
        builder.connect_providers(plan.changes);
        if (normal) builder.drop_unused_providers();
        else {
            std::set<std::string> providers;
            for (auto const& one : plan.invocations) providers.insert(one.provider);
            builder.keep_dependencies_of_changes(providers);
        }
        auto scoped = with_module_scopes(tables, std::move(builder).take());
        if (!scoped || !normal) return scoped;
        return with_recorded_cbd(tables, std::move(*scoped), plan);
    }

    // Stores in the changes the create_before_destroy flag that state will record, from the declaration of an object
    // or from its dependents. It does not affect the order, which was determined when the declarations were planned.
    [[nodiscard]] static auto with_recorded_cbd(
        graph_tables<P> const& tables, digraph<node> draft, basic_plan<value_type>& plan) -> result<digraph<node>>
    {
        recorded_cbd<P> const policy{tables};
        auto marked = forced_cbd{policy}(std::move(draft));
        if (!marked) return marked;
        for (draft_vertex_id const v : marked->vertices()) {
            node& n = (*marked)[v];
            if (n.role != node_role::creator) continue;
            plan.changes[n.index].create_before_destroy = policy.creates_before_destroy(n);
            n.forced_by = node::no_declaration;
        }
        return marked;
    }

    declaration_index<P> declared_;
    Provider* provider_;
    Execution const* execution_;
    Stages stages_;
    observer<value_type> observer_;
    plan_options options_;
    dependency_tables dependencies_;
    bool visited_ = false;  // every vertex was visited, if possible
    bool refreshed_ = false;  // the objects that a destroy plans were read before
    std::set<std::size_t> left_out_;  // declarations that exclusions leave out
    std::vector<std::pair<address, diagnostics>> prevented_;  // errors of a destroy, by instance
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_HPP
