// SPDX-License-Identifier: BSL-1.0
#include <strider/core/views.hpp>
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/stages.hpp>
#include <strider/transform.hpp>

#include <support/graph_text.hpp>
#include <support/toy_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace strider::infra;
using strider::test::named_edge;
using strider::test::toy;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using toy_change = change<infra::sim::toy_value>;
using program_type = infra::sim::toy_program;

auto a_change(std::string const& name, infra::action what, std::size_t declaration = no_declaration) -> toy_change
{
    toy_change c;
    c.target = parse_address("toy." + name).value();
    c.config = to_string(c.target.config());
    c.what = what;
    c.provider = "sim";
    c.declaration = declaration;
    return c;
}

// The nine steps of "Building the graph" in the resource graph document, one test each.
class GraphBuilder : public testing::Test {
protected:
    void declare(std::string_view text) { wanted = toy(text); }
    [[nodiscard]] auto name() const
    {
        return [this](node const& n) {
            if (n.role == node_role::join) return std::string("(join)");
            return node_naming<program_type>(graph_tables<program_type>(wanted, changes, plan_mode::normal)).name(n);
        };
    }
    [[nodiscard]] auto text(digraph<node> const& g) const -> std::string { return test::text(g, name()); }
    [[nodiscard]] auto origin(digraph<node> const& g, std::string const& dependent, std::string const& dependency) const
        -> edge_origin
    {
        for (auto const v : g.vertices())
            for (auto const e : g.dependency_edges(v))
                if (name()(g[v]) == dependent && name()(g[e.dependency]) == dependency) return e.origin;
        ADD_FAILURE() << "no edge " << dependent << " -> " << dependency;
        return {};
    }

    [[nodiscard]] static auto graph_of(graph_builder<program_type> const& builder) -> digraph<node>
    {
        return graph_builder<program_type>(builder).take();
    }

    program_type wanted;
    std::vector<toy_change> changes;
};

TEST_F(GraphBuilder, Step1ResourcesAreAddedAndTheirChangesAttached)
{
    declare("a\n b @count=2\n local.l =1\n module.m\n m/c");
    changes = {a_change("a", infra::action::update, 0), a_change("b[0]", infra::action::create, 1),
        a_change("b[1]", infra::action::no_op, 1)};
    graph_builder<program_type> planning(wanted);
    graph_builder<program_type> applying(wanted);

    planning.add_resources();
    applying.add_resources(changes);

    EXPECT_EQ(text(graph_of(planning)),
        "local.l (expand):\nmodule.m (close): module.m (expand)\nmodule.m (expand):\nmodule.m.toy.c (expand):\n"
        "toy.a (expand):\ntoy.b (expand):\n");
    EXPECT_EQ(text(graph_of(applying)),
        "local.l (expand):\nmodule.m (close): module.m (expand)\nmodule.m (expand):\nmodule.m.toy.c (expand):\n"
        "toy.a: toy.a (expand)\ntoy.a (expand):\ntoy.b (expand):\ntoy.b[0]: toy.b (expand)\n");
    EXPECT_EQ(origin(graph_of(applying), "toy.a", "toy.a (expand)").made_by(), edge_rules::expansion);
}

TEST_F(GraphBuilder, Step3ExplicitDependenciesBecomeEdges)
{
    declare("a\n b @depends_on=a from=$c.id\n c");
    graph_builder<program_type> builder(wanted);
    builder.add_resources();

    builder.connect_explicit_dependencies();

    EXPECT_EQ(text(graph_of(builder)), "toy.a (expand):\ntoy.b (expand): toy.a (expand)\ntoy.c (expand):\n");
    auto const why = origin(graph_of(builder), "toy.b (expand)", "toy.a (expand)");
    EXPECT_EQ(why.made_by(), edge_rules::explicit_dependency);
    EXPECT_EQ(why.place(), 2U);
}

TEST_F(GraphBuilder, Step4OrphansAreAddedWithoutAnyDeclaration)
{
    declare("a");
    changes = {a_change("a", infra::action::update, 0), a_change("gone", infra::action::destroy)};
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);

    builder.add_orphans(changes);

    EXPECT_EQ(text(graph_of(builder)), "toy.a: toy.a (expand)\ntoy.a (expand):\ntoy.gone:\n");
}

TEST_F(GraphBuilder, Step5ResourcesAreMappedToProviders)
{
    declare("a\n b @provider=other");
    changes = {a_change("a", infra::action::create, 0), a_change("b", infra::action::create, 1),
        a_change("gone", infra::action::destroy)};
    changes[1].provider = "other";
    graph_tables<program_type> const tables(wanted, changes, plan_mode::normal);
    lifecycle_policy<program_type> const lifecycle(tables);
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);
    builder.add_orphans(changes);

    auto const g =
        (destroy_split{lifecycle} | scope_boundaries{provider_scopes<program_type>{tables}})(std::move(builder).take())
            .value();

    EXPECT_EQ(text(g),
        "other:\nother (close): other toy.b\nsim:\nsim (close): sim toy.a toy.gone (destroy)\n"
        "toy.a: sim toy.a (expand)\ntoy.a (expand):\ntoy.b: other toy.b (expand)\ntoy.b (expand):\n"
        "toy.gone (destroy): sim\n");
}

TEST_F(GraphBuilder, Step6ReferencesBecomeEdges)
{
    declare("a @count=2\n b from=$a[0].id\n c from=$a.id\n output.o =$b.id");
    changes = {a_change("a[0]", infra::action::create, 0), a_change("a[1]", infra::action::create, 0),
        a_change("b", infra::action::create, 1), a_change("c", infra::action::create, 2)};
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);

    builder.connect_references();

    EXPECT_EQ(text(graph_of(builder)),
        "(join): toy.a[0] toy.a[1]\noutput.o (expand): toy.b toy.b (expand)\ntoy.a (expand):\n"
        "toy.a[0]: toy.a (expand)\ntoy.a[1]: toy.a (expand)\ntoy.b: toy.b (expand)\ntoy.b (expand): toy.a[0]\n"
        "toy.c: toy.c (expand)\ntoy.c (expand): (join) toy.a (expand)\n");
    EXPECT_EQ(origin(graph_of(builder), "toy.b (expand)", "toy.a[0]").place(), 2U);
}

TEST_F(GraphBuilder, Step7ARootWaitsForEverything)
{
    declare("a\n b from=$a.id\n c");
    graph_tables<program_type> const tables(wanted, changes, plan_mode::normal);
    graph_builder<program_type> builder(wanted);
    builder.add_resources();
    builder.connect_references();

    auto const g = single_root{lifecycle_policy<program_type>{tables}}(std::move(builder).take()).value();

    std::vector<std::string> roots;
    for (auto const v : g | views::roots) roots.push_back(name()(g[v]));
    EXPECT_THAT(roots, ElementsAre("root"));
    EXPECT_EQ(text(g),
        "root: toy.b (expand) toy.c (expand)\ntoy.a (expand):\ntoy.b (expand): toy.a (expand)\ntoy.c (expand):\n");
}

TEST_F(GraphBuilder, Step8DestroyedObjectsAreSplit)
{
    declare("a\n b from=$a.id");
    changes = {a_change("a", infra::action::destroy_then_create, 0),
        a_change("b", infra::action::destroy_then_create, 1), a_change("gone", infra::action::destroy)};
    changes[1].stored_dependencies = {"toy.a"};
    changes[2].stored_dependencies = {"toy.b"};
    graph_tables<program_type> const tables(wanted, changes, plan_mode::normal);
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);
    builder.add_orphans(changes);

    auto const g = destroy_split{lifecycle_policy<program_type>{tables}}(std::move(builder).take()).value();

    EXPECT_EQ(text(g),
        "toy.a: toy.a (destroy) toy.a (expand) toy.b (destroy)\ntoy.a (destroy): toy.b (destroy)\ntoy.a (expand):\n"
        "toy.b: toy.a (destroy) toy.b (destroy) toy.b (expand) toy.gone (destroy)\n"
        "toy.b (destroy): toy.gone (destroy)\ntoy.b (expand):\ntoy.gone (destroy):\n");
    EXPECT_EQ(origin(g, "toy.a", "toy.a (destroy)").made_by(), edge_rules::own_destroyer);
    EXPECT_EQ(origin(g, "toy.b", "toy.a (destroy)").made_by(), edge_rules::after_destruction_of_dependency);
    EXPECT_EQ(origin(g, "toy.a (destroy)", "toy.b (destroy)").made_by(), edge_rules::destroy_order);
    EXPECT_EQ(origin(g, "toy.a", "toy.b (destroy)").made_by(), edge_rules::after_destruction_of_dependent);
}

TEST_F(GraphBuilder, Step9TheGraphIsValidated)
{
    declare("a from=$c.id\n b from=$a.id\n c @depends_on=b\n d");
    graph_tables<program_type> const tables(wanted, changes, plan_mode::normal);
    graph_builder<program_type> builder(wanted);
    builder.add_resources();
    builder.connect_explicit_dependencies();
    builder.connect_references();

    auto const refused = default_stages().plan_graph(tables, std::move(builder).take(), {});

    ASSERT_FALSE(refused.has_value());
    auto const reported = graph_diagnostics(refused.error());
    ASSERT_EQ(reported.size(), 1U);
    EXPECT_EQ(reported[0].code, codes::dependency_cycle);
    EXPECT_EQ(reported[0].arguments.size(), 1U + 3U * 3U);
    EXPECT_EQ(reported[0].arguments.front(), "toy.a, toy.b, toy.c");
    EXPECT_THAT(reported[0].arguments, testing::IsSupersetOf({"depends_on at line 3", "reference at line 1"}));
}

TEST(GraphDiagnostics, ReportTheFirstOfManyCycles)
{
    std::vector<cycle_report> const cycles(1000, cycle_report{{"a"}, {{"a", "a", "reference"}}});

    auto const reported = graph_diagnostics(graph_error(graph_errc::cycle, "", cycles));

    ASSERT_EQ(reported.size(), 21U);
    EXPECT_EQ(reported.front().code, codes::dependency_cycle);
    EXPECT_EQ(reported.back().code, codes::more_dependency_cycles);
    EXPECT_THAT(reported.back().arguments, testing::ElementsAre("980"));
}

TEST(GraphDiagnostics, ReportAPartOfALongCycle)
{
    cycle_report cycle;
    for (int i = 0; i < 100'000; ++i) {
        cycle.members.push_back("v" + std::to_string(i));
        cycle.path.push_back({"v" + std::to_string(i), "v" + std::to_string((i + 1) % 100'000), "reference"});
    }

    auto const reported = graph_diagnostics(graph_error(graph_errc::cycle, "", {cycle}));

    ASSERT_EQ(reported.size(), 1U);
    EXPECT_THAT(reported[0].arguments.front(), testing::EndsWith("v19, and 99980 more"));
    EXPECT_EQ(reported[0].arguments.size(), 1U + 3U * 22U);
    EXPECT_EQ(reported[0].arguments[63], "99979 more dependencies");
}

// One vertex is between n referring and m referenced instances.
TEST_F(GraphBuilder, ReferencesBetweenCountedResourcesDoNotMultiply)
{
    declare("a @count=30\n b @count=30 from=$a.id\n c @count=30 from=$a.id");
    char const* const names[] = {"a[", "b[", "c["};
    for (std::size_t d = 0; d < 3; ++d)
        for (int i = 0; i < 30; ++i)
            changes.push_back(a_change(names[d] + std::to_string(i) + "]", infra::action::create, d));
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);

    builder.connect_references();

    std::size_t const expansions = 3 * 30;
    std::size_t const all_of_a = 30;
    std::size_t const references = 2 * 2;  // to the declaration of a, and to all of its instances
    EXPECT_EQ(graph_of(builder).edge_count(), expansions + all_of_a + references);
}

TEST_F(GraphBuilder, InstancesOfOneResourceCanReferToEachOther)
{
    declare("a @count=2 from=$a[0].id");
    changes = {a_change("a[0]", infra::action::create, 0), a_change("a[1]", infra::action::create, 0)};
    graph_builder<program_type> builder(wanted);
    builder.add_resources(changes);

    builder.connect_references();

    EXPECT_EQ(
        text(graph_of(builder)), "toy.a (expand):\ntoy.a[0]: toy.a (expand)\ntoy.a[1]: toy.a (expand) toy.a[0]\n");
}

}  // namespace
