// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_STAGES_HPP
#define STRIDER_INFRA_GRAPH_STAGES_HPP

#include <strider/core/digraph.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/graph/action_order.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/triggering.hpp>
#include <strider/lifecycle/cbd_inversion.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/lifecycle/forced_cbd.hpp>
#include <strider/transform/cycle_validation.hpp>
#include <strider/transform/pipeline.hpp>
#include <strider/transform/scope_boundaries.hpp>
#include <strider/transform/single_root.hpp>
#include <strider/transform/target_subgraph.hpp>
#include <strider/transform/transitive_reduction.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// The vertices of a drafted graph: declarations with all of their instances, or changes of instances.
enum class drafted { declarations, changes };

/// Selection by `-target` or `-exclude` in a graph of declarations or of destroyers.
template <program P>
class target_selection {
public:
    /// All arguments must outlive the selection. \param what  the vertices that the graph contains
    target_selection(graph_tables<P> const& tables, plan_options const& options, drafted what)
        : tables_(&tables),
          options_(&options),
          what_(what)
    {
        if (enabled()) find_triggers();
    }

    /// False without targets and exclusions, if no action is invoked by its name: then all vertices are selected.
    [[nodiscard]] auto enabled() const -> bool { return is_partial(*options_) || !options_->invoke.empty(); }
    /// True for a vertex that the options select by itself, without its dependencies.
    [[nodiscard]] auto selected(node const& n) const -> bool
    {
        if (n.role == node_role::orphan) return true;  // selected when they were found
        if (tables_->is_left_out(n)) return false;
        if (n.role == node_role::invocation) return is_invoked(tables_->invocations()[n.index]);
        if (is(n, declaration_kind::provider) && what_ == drafted::changes) return is_invoking(n);
        if (is(n, declaration_kind::action))
            return options_->invoke.empty() ? is_triggered(n) : is_named(address_of(n));
        if (is(n, declaration_kind::resource) && callers_.contains(n.index)) return true;
        if (!is_object(n) && !is(n, declaration_kind::ephemeral)) return false;
        // A plan contains selected changes only, and all of them are performed.
        bool const is_planned = what_ == drafted::changes && options_->mode == plan_mode::normal;
        if (is_planned && n.role != node_role::declaration) return true;
        if (!options_->excludes.empty()) return !is_any(options_->excludes, address_of(n), false);
        return is_any(options_->targets, address_of(n), n.role == node_role::declaration);
    }
    /// True if dependents of the vertex are excluded: it is excluded itself, or a part of it is.
    [[nodiscard]] auto rejected(node const& n) const -> bool
    {
        return is_object(n)
            && is_any(
                options_->excludes, address_of(n), n.role == node_role::declaration && what_ == drafted::declarations);
    }
    /// True for declarations of resources.
    [[nodiscard]] auto counts(node const& n) const -> bool { return is(n, declaration_kind::resource); }
    /// True for outputs.
    [[nodiscard]] auto is_result(node const& n) const -> bool { return is(n, declaration_kind::output); }

private:
    // True for an action that the options name, or for all of its instances.
    [[nodiscard]] auto is_named(address const& action) const -> bool
    {
        auto const names = [&](address const& named) { return named.config() == action; };
        return std::any_of(options_->invoke.begin(), options_->invoke.end(), names);
    }
    // True for the configuration of a provider that performs an action.
    [[nodiscard]] auto is_invoking(node const& n) const -> bool
    {
        std::string const name = tables_->configuration().name_of(tables_->declaration_of(n));
        auto const& all = tables_->invocations();
        return std::any_of(all.begin(), all.end(), [&](auto const& one) { return one.provider == name; });
    }
    // In a destroy, the plan has the invocations of all objects.
    template <class Invocation>
    [[nodiscard]] auto is_invoked(Invocation const& one) const -> bool
    {
        return one.event == trigger_event::invoke || options_->mode == plan_mode::normal
            || is_covered(*options_, one.caller);
    }
    // Finds the actions that targets trigger, and the resources that call an action which the options name.
    void find_triggers()
    {
        auto const& declared = tables_->declared();
        for_each_trigger(declared, [&](std::size_t resource, action_trigger const& t) {
            if (is_any(options_->targets, declared.configuration().address_of(declared[resource]), true))
                for (auto const& name : t.actions) triggered_.insert(declared.find(name));
        });
        for (address const& named : options_->invoke)
            if (std::size_t const action = declared.find(named.config()); action != no_declaration)
                for (std::size_t const resource : callers_of(declared, action)) callers_.insert(resource);
    }
    // An action that a target triggers is planned after it, so it is no dependency.
    [[nodiscard]] auto is_triggered(node const& n) const -> bool
    {
        return options_->targets.empty() || triggered_.contains(n.index);
    }
    [[nodiscard]] auto is(node const& n, declaration_kind kind) const -> bool { return tables_->declares(n, kind); }
    [[nodiscard]] auto is_object(node const& n) const -> bool
    {
        return is_destroyer(n) || n.role == node_role::creator || counts(n);
    }
    [[nodiscard]] auto address_of(node const& n) const -> address
    {
        return n.role == node_role::declaration
            ? address(tables_->configuration().address_of(tables_->declaration_of(n)))
            : tables_->change_of(n).target;
    }

    graph_tables<P> const* tables_;
    plan_options const* options_;
    drafted what_;
    std::set<std::size_t> triggered_;  // actions that targets trigger
    std::set<std::size_t> callers_;  // resources that call an action which the options name
};

/// Adds the boundaries of modules to a draft.
template <program P>
[[nodiscard]] auto with_module_scopes(graph_tables<P> const& tables, digraph<node> draft) -> result<digraph<node>>
{
    return scope_boundaries{module_scopes<P>{tables}}(std::move(draft));
}

/// The stages of an engine, from a draft to the graph that is walked. A user-defined class with these two members can
/// add a stage.
/// \pre the drafts have the boundaries of modules
struct default_stages {
    /// Makes the graph of declarations for planning.
    template <program P>
    [[nodiscard]] auto plan_graph(graph_tables<P> const& tables, digraph<node> draft, plan_options const& options) const
        -> result<digraph<node>>
    {
        auto const stages = target_subgraph{target_selection<P>{tables, options, drafted::declarations}}
            | forced_cbd{lifecycle_policy<P>{tables}} | cycle_validation{node_naming<P>{tables, true}};
        return stages(std::move(draft));
    }

    /// Makes the graph of changes for applying.
    template <program P>
    [[nodiscard]] auto apply_graph(
        graph_tables<P> const& tables, digraph<node> draft, plan_options const& options) const -> result<digraph<node>>
    {
        lifecycle_policy<P> const lifecycle{tables};
        // The changes have the create_before_destroy flag that the plan graph has computed.
        auto const stages = destroy_split{lifecycle} | action_needs<P>{tables} | cbd_inversion{lifecycle}
            | action_order<P>{tables} | target_subgraph{target_selection<P>{tables, options, drafted::changes}}
            | scope_boundaries{provider_scopes<P>{tables}} | single_root{lifecycle} | transitive_reduction{}
            | cycle_validation{node_naming<P>{tables}};
        return stages(std::move(draft));
    }
};

/// The diagnostics of a graph error. A cycle is reported as a path, edge by edge, each with its reason; a long one is
/// `abridged`, and of many cycles the first ones are reported.
[[nodiscard]] inline auto graph_diagnostics(graph_error const& error) -> diagnostics
{
    constexpr std::size_t most_cycles = 20;
    diagnostics found;
    auto const& cycles = error.cycles();
    for (cycle_report const& whole : cycles) {
        if (found.size() == most_cycles) {
            found.add(make_error(codes::more_dependency_cycles, {std::to_string(cycles.size() - most_cycles)}));
            break;
        }
        cycle_report const cycle = abridged(whole);
        std::string members;
        for (std::string const& m : cycle.members) members += (members.empty() ? "" : ", ") + m;
        std::vector<std::string> arguments{std::move(members)};
        for (path_step const& step : cycle.path)
            for (std::string const* part : {&step.dependent, &step.dependency, &step.reason})
                arguments.push_back(*part);
        found.add(make_error(codes::dependency_cycle, std::move(arguments)));
    }
    if (found.empty()) found.add(make_error(codes::invalid_dependency_graph, {error.message()}));
    return found;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_STAGES_HPP
