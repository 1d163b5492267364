// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/reachability.hpp>
#include <strider/infra/graph/action_order.hpp>
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/lifecycle/cbd_inversion.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/transform/pipeline.hpp>

#include <support/toy_text.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace strider::infra;
using program_type = infra::sim::toy_program;
using value_type = program_type::value_type;

// "b" depends on "a", which is replaced; "act" stands for the declaration of an action.
class ActionOrder : public testing::Test {
protected:
    ActionOrder() : wanted(test::toy("a\n b from=$a.id\n act")) {}

    void change(std::string const& name, action what, std::size_t declaration, dependency_set needed)
    {
        infra::change<value_type> c;
        c.target = parse_address("toy." + name).value();
        c.config = to_string(c.target.config());
        c.what = what;
        c.provider = "sim";
        c.declaration = declaration;
        c.stored_dependencies = std::move(needed);
        c.create_before_destroy = what == action::create_then_destroy;
        c.stored_create_before_destroy = c.create_before_destroy;
        if (c.create_before_destroy) c.deposed_key = "00000001";
        changes.push_back(std::move(c));
    }
    void invoke(std::size_t change, trigger_event event)
    {
        invocation<value_type> one;
        one.target = parse_address("toy.act").value();
        one.declaration = 2;
        one.provider = "sim";
        one.event = event;
        one.caller = changes[change].target;
        one.change = change;
        invocations.push_back(std::move(one));
    }
    [[nodiscard]] auto ordered() -> digraph<node>
    {
        graph_tables<program_type> const tables(wanted, changes, plan_mode::normal, invocations);
        graph_builder<program_type> builder(wanted);
        builder.add_resources(changes);
        builder.connect_references();
        lifecycle_policy<program_type> const policy(tables);
        auto const stages = destroy_split{policy} | cbd_inversion{policy} | action_order<program_type>{tables};
        return stages(std::move(builder).take()).value();
    }
    [[nodiscard]] static auto find(digraph<node> const& g, node_role role, std::size_t index) -> draft_vertex_id
    {
        for (auto const v : g.vertices()) {
            bool const destroys = role == node_role::destroyer && is_destroyer(g[v]);
            if ((g[v].role == role || destroys) && g[v].index == index) return v;
        }
        ADD_FAILURE() << "no such vertex";
        return {};
    }
    // Expects that each vertex depends on the preceding one.
    static void expect_order(digraph<node> const& g, std::vector<std::pair<node_role, std::size_t>> const& all)
    {
        for (std::size_t i = 1; i < all.size(); ++i)
            EXPECT_TRUE(has_path(g, find(g, all[i].first, all[i].second), find(g, all[i - 1].first, all[i - 1].second)))
                << i;
    }

    program_type wanted;
    std::vector<infra::change<value_type>> changes;
    std::vector<invocation<value_type>> invocations;
};

TEST_F(ActionOrder, SurroundsTheDestructionAndTheCreationInAReplacement)
{
    change("a", action::destroy_then_create, 0, {});
    change("b", action::update, 1, dependency_set({"toy.a"}));
    for (auto const event : {trigger_event::before_destroy, trigger_event::after_destroy, trigger_event::before_create,
             trigger_event::after_create})
        invoke(0, event);
    invoke(1, trigger_event::before_update);

    auto const g = ordered();

    expect_order(g,
        {{node_role::invocation, 0}, {node_role::destroyer, 0}, {node_role::invocation, 1}, {node_role::invocation, 2},
            {node_role::creator, 0}, {node_role::invocation, 3}, {node_role::invocation, 4}, {node_role::creator, 1}});
}

TEST_F(ActionOrder, DestroysAfterTheActionsOfDependentsIfItCreatesFirst)
{
    change("a", action::create_then_destroy, 0, {});
    change("b", action::update, 1, dependency_set({"toy.a"}));
    for (auto const event : {trigger_event::before_destroy, trigger_event::after_destroy, trigger_event::before_create,
             trigger_event::after_create})
        invoke(0, event);
    invoke(1, trigger_event::after_update);

    auto const g = ordered();

    expect_order(g,
        {{node_role::invocation, 2}, {node_role::creator, 0}, {node_role::invocation, 3}, {node_role::creator, 1},
            {node_role::invocation, 4}, {node_role::invocation, 0}, {node_role::destroyer, 0},
            {node_role::invocation, 1}});
}

TEST_F(ActionOrder, NeedsTheDeclarationOfTheActionExceptAtADestroy)
{
    change("a", action::destroy_then_create, 0, {});
    for (auto const event : {trigger_event::after_destroy, trigger_event::after_create}) invoke(0, event);

    auto const g = ordered();

    auto const declaration = find(g, node_role::declaration, 2);
    EXPECT_FALSE(has_path(g, find(g, node_role::invocation, 0), declaration));
    EXPECT_TRUE(has_path(g, find(g, node_role::invocation, 1), declaration));
}

}  // namespace
