// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_HPP
#define STRIDER_INFRA_PLAN_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/topological_order.hpp>
#include <strider/core/frozen_digraph.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/infra/change_set.hpp>
#include <strider/infra/concepts.hpp>
#include <strider/infra/dependency_set.hpp>
#include <strider/infra/event.hpp>
#include <strider/infra/execution.hpp>
#include <strider/infra/graph_builder.hpp>
#include <strider/infra/plan_options.hpp>
#include <strider/infra/plan_visitor.hpp>
#include <strider/infra/policies.hpp>
#include <strider/infra/prior_instances.hpp>
#include <strider/infra/stages.hpp>
#include <strider/walk/async_walk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Compares what is wanted with what there is and decides what to do: walks the declarations, asks providers, and builds
/// the graph that an apply will follow. Changes nothing.
///
/// One object makes one plan; it must outlive the coroutine, as must program, provider and execution.
template <program P, provider_for<P> Provider, execution_policy Execution, class Stages>
class basic_planner {
    using value_type = typename P::value_type;
    using planner = plan_visitor<P, Provider>;

public:
    basic_planner(P const& wanted, Provider& provider, Execution const& execution, Stages const& stages,
        observer<value_type> watch, plan_options options)
        : wanted_(&wanted),
          provider_(&provider),
          execution_(&execution),
          stages_(stages),
          watch_(std::move(watch)),
          options_(std::move(options))
    {}

    /// \param prior  state as it was read; \pre its integrity was checked
    [[nodiscard]] auto make(snapshot prior) -> task<checked<basic_plan<value_type>>>
    {
        // A stop must reach the walk, and must not cut this coroutine off from what still runs.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_await asio::this_coro::throw_if_cancelled(false);

        basic_plan<value_type> plan;
        plan.mode = options_.mode;
        plan.lineage = prior.lineage;
        plan.serial = prior.serial;
        plan.targeted = !options_.targets.empty();

        auto settling = settle_pending(prior, plan.refreshed);
        diagnostics const unsettled = co_await std::move(settling);
        if (!unsettled.empty()) co_return failure(unsettled);

        prior_instances const there(prior);
        graph_tables<P> const tables(*wanted_, plan.changes, options_.mode);
        auto drafted = draft(tables);
        if (!drafted) co_return failure(graph_diagnostics(drafted.error()));

        planner work(*wanted_, *provider_, options_, watch_, there, scope_names(), dependencies_);
        auto const frozen = freeze(with_orphans(std::move(*drafted), work));
        if (!frozen) co_return failure(graph_diagnostics(frozen.error()));
        work.prepare(frozen->vertex_count());

        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return failure(halted());

        auto visitor = [&work](vertex_id v, node const& n) -> task<visit_outcome> { return work.visit(v, n); };
        auto token = asio::as_tuple(asio::use_awaitable);
        auto const executor = execution_->get_executor();
        auto options = execution_->options();
        auto walked = async_walk(executor, *frozen, visitor, options, token);
        auto const [error, report] = co_await std::move(walked);

        diagnostics problems = work.collect(plan);
        for (vertex_id const v : report.root_causes())
            if (report[v].exception())
                problems.push_back(
                    make_error("Planning failed", report[v].message(), node_naming<P>(tables).name((*frozen)[v])));
        if (has_errors(problems)) co_return failure(std::move(problems));
        if (error) {
            problems.push_back(halted());
            co_return failure(std::move(problems));
        }
        plan.warnings = std::move(problems);
        std::sort(plan.changes.begin(), plan.changes.end(), [](auto const& a, auto const& b) {
            if (a.target != b.target) return a.target < b.target;
            return a.of_deposed != b.of_deposed ? b.of_deposed : a.deposed_key < b.deposed_key;
        });

        graph_tables<P> const changed(*wanted_, plan.changes, options_.mode);
        auto applied = stages_.apply_graph(changed, apply_draft(plan), options_.targets);
        if (!applied) co_return failure(graph_diagnostics(applied.error()));
        plan.providers = changed.providers();
        keep_what_is_left(plan, *applied);
        auto order = freeze(std::move(*applied));
        if (!order) co_return failure(graph_diagnostics(order.error()));
        plan.graph = std::move(*order);
        co_return plan;
    }

private:
    [[nodiscard]] static auto halted() -> diagnostic
    {
        return make_error("execution halted", "The plan was stopped before it was complete.");
    }

    // Operations of which the end is not known: the provider is asked what became of them.
    [[nodiscard]] auto settle_pending(snapshot& prior, std::vector<journal_entry>& entries) -> task<diagnostics>
    {
        diagnostics problems;
        auto const pending = prior.pending;
        for (auto const& [_, operation] : pending) {
            auto asking = ask(prior, operation);
            looked_up<value_type> const found = co_await std::move(asking);
            if (found.answer == lookup_answer::unknown) {
                problems.push_back(make_error("An operation was interrupted",
                    "It is not known whether the last attempt to " + std::string(to_string(operation.kind)) + " "
                        + to_string(operation.target)
                        + " succeeded, and its provider cannot tell. Find out, then say so with "
                        + "\"state resolve\" before you plan again.",
                    to_string(operation.target)));
                continue;
            }
            std::optional<object> result;
            if (found.object) {
                result = wanted_->encode(operation.target, *found.object);
                result->provider = operation.provider;
                if (object const* const old = prior_object(prior, operation); old != nullptr) {
                    result->dependencies = old->dependencies;
                    result->create_before_destroy = old->create_before_destroy;
                }
                // A create that was cut short may lack what comes after it: nobody knows whether provisioners ran.
                result->tainted = operation.kind == operation_kind::create
                    && (found.answer != lookup_answer::done || is_provisioned(operation.target));
            }
            entries.push_back(
                journal_entry::end(operation, std::move(result), found.answer == lookup_answer::not_done));
            (void)replay(prior, entries.back());
        }
        co_return problems;
    }

    // The object that an operation began with: the current one, or the one that it deposed.
    [[nodiscard]] static auto prior_object(snapshot const& prior, pending_operation const& operation) -> object const*
    {
        auto const* const record = prior.find(operation.target);
        if (record == nullptr) return nullptr;
        if (auto const old = record->deposed.find(operation.deposed_key); old != record->deposed.end())
            return &old->second;
        return record->current ? &*record->current : nullptr;
    }

    [[nodiscard]] auto is_provisioned([[maybe_unused]] address const& target) const -> bool
    {
        if constexpr (has_provisioners<P>)
            for (auto const& d : wanted_->declarations()) {
                if (wanted_->kind_of(d) != declaration_kind::resource) continue;
                if (address(wanted_->address_of(d)) != target.config()) continue;
                for (provisioner const& step : wanted_->provisioners(d))
                    if (step.when == provision_time::create) return true;
            }
        return false;
    }

    [[nodiscard]] auto ask(snapshot const& prior, pending_operation operation) -> task<looked_up<value_type>>
    {
        std::optional<value_type> before;
        std::optional<value_type> wanted;
        if (object const* const old = prior_object(prior, operation); old != nullptr)
            if (auto decoded = wanted_->decode(operation.target, *old)) before = std::move(*decoded);
        if (!operation.request.empty()) {
            object asked;
            asked.attributes = operation.request;
            if (auto decoded = wanted_->decode(operation.target, asked)) wanted = std::move(*decoded);
        }
        apply_request<value_type> request(std::move(operation), std::move(before), std::move(wanted));
        auto answering = provider_->look_up(std::move(request));
        looked_up<value_type> answer = co_await std::move(answering);
        co_return answer;
    }

    // Declarations, what refers to what, and who is create_before_destroy because of whom.
    [[nodiscard]] auto draft(graph_tables<P> const& tables) -> result<digraph<node>>
    {
        graph_builder<P> builder(*wanted_);
        builder.add_resources();
        builder.map_provisioners();
        builder.connect_explicit_dependencies();
        builder.connect_references();
        auto graph = std::move(builder).take();
        auto const is_resource = [&](vertex_id v) {
            return graph[v].role == node_role::declaration
                && wanted_->kind_of(tables.declaration_of(graph[v])) == declaration_kind::resource;
        };
        // Modules count: what lies in one depends on what the module does, and who names it on all that lies in it.
        auto scoped = scope_boundaries{module_scopes<P>{tables}}(std::move(graph));
        if (!scoped) return scoped;
        graph = std::move(*scoped);
        collect_dependencies(tables, graph, is_resource);
        static std::vector<address> const all;
        return stages_.plan_graph(
            tables, std::move(graph), options_.mode == plan_mode::destroy ? all : options_.targets);
    }

    // What each resource depends on by declaration. Cycles are refused later, when targets are known.
    template <class IsResource>
    void collect_dependencies(graph_tables<P> const& tables, digraph<node> const& graph, IsResource is_resource)
    {
        auto const name = [&](vertex_id v) {
            return to_string(address(wanted_->address_of(tables.declaration_of(graph[v]))));
        };
        dependencies_.resize(static_cast<std::size_t>(std::ranges::distance(wanted_->declarations())));
        auto const order = topological_order(graph);
        if (!order) {
            auto const closure = dependency_closure(graph, is_resource);
            for (vertex_id const v : graph.vertices()) {
                if (!is_resource(v)) continue;
                std::vector<std::string> names;
                for (vertex_id const d : closure[v])
                    if (d != v) names.push_back(name(d));
                dependencies_[graph[v].index] = std::move(names);
            }
            return;
        }
        vertex_map<dependency_set> found(graph.id_bound());
        for (vertex_id const v : *order) {
            std::vector<std::string> names;
            std::vector<dependency_set> parts;
            for (vertex_id const d : graph.dependencies(v)) {
                if (is_resource(d)) names.push_back(name(d));
                parts.push_back(found[d]);
            }
            found[v] = dependency_set(std::move(names), std::move(parts));
            if (is_resource(v)) dependencies_[graph[v].index] = found[v];
        }
    }

    // What state has beyond the declarations. In a destroy nothing is declared any more.
    [[nodiscard]] auto with_orphans(digraph<node> graph, planner& work) const -> digraph<node>
    {
        if (options_.mode == plan_mode::destroy) graph = {};
        std::size_t const orphans = work.find_orphans();
        for (std::size_t i = 0; i < orphans; ++i)
            graph.add_vertex({node_role::orphan, false, static_cast<std::uint32_t>(i), node::no_declaration});
        return graph;
    }

    // Targets of a destroy are only known in its graph: changes that it has lost are no changes.
    static void keep_what_is_left(basic_plan<value_type>& plan, digraph<node>& graph)
    {
        if (plan.mode != plan_mode::destroy || !plan.targeted) return;
        std::vector<std::uint32_t> number(plan.changes.size(), node::no_declaration);
        for (vertex_id const v : graph.vertices())
            if (is_destroyer(std::as_const(graph)[v])) number[graph[v].index] = 0;
        std::vector<change<value_type>> kept;
        for (std::size_t i = 0; i < number.size(); ++i) {
            if (number[i] == node::no_declaration) continue;
            number[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(std::move(plan.changes[i]));
        }
        for (vertex_id const v : graph.vertices())
            if (is_destroyer(std::as_const(graph)[v])) graph[v].index = number[graph[v].index];
        plan.changes = std::move(kept);
    }

    [[nodiscard]] auto apply_draft(basic_plan<value_type> const& plan) const -> digraph<node>
    {
        graph_builder<P> builder(*wanted_);
        if (options_.mode == plan_mode::normal) {
            builder.add_resources(plan.changes);
            builder.connect_explicit_dependencies();
            builder.connect_references();
        }
        builder.add_orphans(plan.changes);
        return std::move(builder).take();
    }

    [[nodiscard]] auto scope_names() const -> std::vector<std::string>
    {
        std::vector<std::string> names;
        for (auto const& d : wanted_->declarations()) names.push_back(wanted_->name_of(d));
        return names;
    }

    P const* wanted_;
    Provider* provider_;
    Execution const* execution_;
    Stages stages_;
    observer<value_type> watch_;
    plan_options options_;
    std::vector<dependency_set> dependencies_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_HPP
