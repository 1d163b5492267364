// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_INFRA_PLAN_GRAPH_HPP
#define STRIDER_TESTS_INFRA_PLAN_GRAPH_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/lifecycle/cbd_inversion.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/transform/pipeline.hpp>

#include <support/toy_world.hpp>

#include <range/v3/range/conversion.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Graphs of plans in the form of the figures of the destruction notes: vertices with operations, and their order.
namespace strider::test {

/// "a create", "b update", "a destroy".
[[nodiscard]] inline auto acting_name(toy_plan const& plan, infra::node const& n) -> std::string
{
    std::string const target = to_string(plan.changes[n.index].target).substr(4);
    if (infra::is_destroyer(n)) return target + " destroy";
    return target + (plan.changes[n.index].what == action::update ? " update" : " create");
}
[[nodiscard]] inline auto acts(infra::node const& n) -> bool
{
    return n.role == infra::node_role::creator || infra::is_destroyer(n);
}

/// "a create < b create" for each pair in which the first operation must end before the second one begins, without an
/// operation between them.
[[nodiscard]] inline auto covering_pairs(toy_plan const& plan) -> std::vector<std::string>
{
    auto const& g = plan.graph;
    std::vector<vertex_id> acting;
    for (auto const v : g.vertices())
        if (acts(g[v])) acting.push_back(v);
    std::vector<std::string> pairs;
    for (auto const late : acting)
        for (auto const early : acting) {
            if (late == early || !has_path(g, late, early)) continue;
            bool const covered = std::any_of(acting.begin(), acting.end(), [&](vertex_id between) {
                return between != late && between != early && has_path(g, late, between) && has_path(g, between, early);
            });
            if (!covered) pairs.push_back(acting_name(plan, g[early]) + " < " + acting_name(plan, g[late]));
        }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

/// All edges before the reduction, dependent first; paths through declarations are shortened to one edge: "b create ->
/// a create".
[[nodiscard]] inline auto drawn_edges(toy_program const& wanted, toy_plan const& plan) -> std::vector<std::string>
{
    infra::graph_tables<toy_program> const tables(wanted, plan.changes, plan.mode);
    infra::graph_builder<toy_program> builder(wanted);
    if (plan.mode == plan_mode::normal) {
        builder.add_resources(plan.changes);
        builder.connect_explicit_dependencies();
        builder.connect_references();
        builder.order_checks_last();
    }
    builder.add_orphans(plan.changes);
    infra::lifecycle_policy<toy_program> const policy(tables);
    auto const built = (destroy_split{policy} | cbd_inversion{policy})(std::move(builder).take());
    if (!built) return {"refused: " + built.error().message()};
    auto const& g = *built;

    std::set<std::string> names;
    for (auto const v : g.vertices()) {
        if (!acts(g[v])) continue;
        auto todo = g.dependencies(v) | ranges::to<std::vector>();
        basic_vertex_set<draft_vertex_id> seen;
        while (!todo.empty()) {
            auto const d = todo.back();
            todo.pop_back();
            if (!seen.insert(d)) continue;
            bool const other = g[d].role == infra::node_role::declaration
                && g[d].index != plan.changes[g[v].index].declaration
                && wanted.kind_of(tables.declaration_of(g[d])) == infra::declaration_kind::resource;
            if (other) continue;  // its instances are listed separately
            if (acts(g[d])) names.insert(acting_name(plan, g[v]) + " -> " + acting_name(plan, g[d]));
            else todo.insert(todo.end(), g.dependencies(d).begin(), g.dependencies(d).end());
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_INFRA_PLAN_GRAPH_HPP
