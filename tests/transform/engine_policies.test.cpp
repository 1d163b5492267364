// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/stages.hpp>

#include <support/graph_text.hpp>
#include <support/toy_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace strider::infra;
using strider::test::toy;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The second policy of every stage, besides that for plain strings: the vertices of an engine.
using program_type = infra::sim::toy_program;
using engine_graph = digraph<node>;
using lifecycle_of_engine = lifecycle_policy<program_type>;
static_assert(transformer_for<forced_cbd<lifecycle_of_engine>, engine_graph>);
static_assert(transformer_for<destroy_split<lifecycle_of_engine>, engine_graph>);
static_assert(transformer_for<cbd_inversion<lifecycle_of_engine>, engine_graph>);
static_assert(transformer_for<single_root<lifecycle_of_engine>, engine_graph>);
static_assert(transformer_for<scope_boundaries<module_scopes<program_type>>, engine_graph>);
static_assert(transformer_for<scope_boundaries<provider_scopes<program_type>>, engine_graph>);
static_assert(transformer_for<target_subgraph<target_selection<program_type>>, engine_graph>);
static_assert(transformer_for<cycle_validation<node_naming<program_type>>, engine_graph>);
static_assert(transformer_for<transitive_reduction, engine_graph>);
static_assert(groups_dependencies<lifecycle_of_engine, node>);

class EnginePolicies : public testing::Test {
protected:
    void declare(std::string_view text) { wanted = toy(text); }
    // A change of an instance; `number` is that of its declaration, -1 if it has none.
    auto add(std::string const& name, infra::action what, int number, std::vector<std::string> stored = {})
        -> change<infra::sim::toy_value>&
    {
        change<infra::sim::toy_value> c;
        c.target = parse_address(name).value();
        c.config = to_string(c.target.config());
        c.what = what;
        c.provider = "sim";
        c.declaration = number < 0 ? no_declaration : static_cast<std::size_t>(number);
        c.stored_dependencies = std::move(stored);
        c.create_before_destroy = what == infra::action::create_then_destroy;
        c.stored_create_before_destroy = c.create_before_destroy;
        if (c.create_before_destroy) c.deposed_key = "0123abcd";
        changes.push_back(std::move(c));
        return changes.back();
    }
    [[nodiscard]] auto draft() const -> engine_graph
    {
        graph_builder<program_type> builder(wanted);
        if (mode == plan_mode::normal) {
            builder.add_resources(changes);
            builder.connect_explicit_dependencies();
            builder.connect_references();
            builder.order_checks_last();
        }
        builder.add_orphans(changes);
        return std::move(builder).take();
    }
    [[nodiscard]] auto tables() const -> graph_tables<program_type> { return {wanted, changes, mode}; }
    [[nodiscard]] auto names(engine_graph const& g) const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        auto const t = tables();
        for (auto const v : g.vertices()) all.push_back(node_naming<program_type>(t).name(g[v]));
        return all;
    }
    [[nodiscard]] auto edges(engine_graph const& g) const -> std::vector<std::string>
    {
        std::set<std::string> all;
        auto const t = tables();
        node_naming<program_type> const naming(t);
        for (auto const v : g.vertices())
            for (auto const d : g.dependencies(v)) all.insert(naming.name(g[v]) + " -> " + naming.name(g[d]));
        return {all.begin(), all.end()};
    }

    program_type wanted;
    std::vector<change<infra::sim::toy_value>> changes;
    plan_mode mode = plan_mode::normal;
};

TEST_F(EnginePolicies, ForceDeclarationsThroughValuesAndRecordTheCause)
{
    declare("a @cbd=false\n local.l =$a.id\n b from=$local.l @cbd\n c from=$b.id\n d");
    auto const t = tables();

    auto const g = forced_cbd{lifecycle_of_engine{t}}(draft()).value();

    std::vector<std::string> cbd;
    for (auto const v : g.vertices())
        if (g[v].create_before_destroy) cbd.push_back(node_naming<program_type>(t).name(g[v]));
    EXPECT_THAT(cbd, ElementsAre("toy.a (expand)", "toy.b (expand)"));
    EXPECT_EQ(g[*g.vertices().begin()].forced_by, 2U);
}

TEST_F(EnginePolicies, SplitDestroyedObjectsByStoredDependencies)
{
    declare("a\n b from=$a.id");
    add("toy.a", infra::action::update, 0);
    add("toy.b", infra::action::no_op, 1);
    add("toy.gone", infra::action::destroy, -1, {"toy.a", "toy.b"});
    auto const t = tables();

    auto const g = destroy_split{lifecycle_of_engine{t}}(draft()).value();

    EXPECT_THAT(edges(g),
        UnorderedElementsAre("toy.a -> toy.a (expand)", "toy.a -> toy.gone (destroy)",
            "toy.b (expand) -> toy.a (expand)", "toy.b (expand) -> toy.a"));
}

TEST_F(EnginePolicies, SplitDeposedObjectsFromTheirInstance)
{
    declare("a");
    add("toy.a", infra::action::update, 0);
    auto& old = add("toy.a", infra::action::destroy, 0);
    old.of_deposed = true;
    old.deposed_key = "89abcdef";
    old.stored_create_before_destroy = true;
    auto const t = tables();

    auto const g = (destroy_split{lifecycle_of_engine{t}} | cbd_inversion{lifecycle_of_engine{t}})(draft()).value();

    EXPECT_THAT(edges(g), UnorderedElementsAre("toy.a -> toy.a (expand)", "toy.a (destroy deposed 89abcdef) -> toy.a"));
}

TEST_F(EnginePolicies, RedirectEdgesToPriorObjectsForCreateBeforeDestroy)
{
    declare("a\n b from=$a.id");
    add("toy.a", infra::action::create_then_destroy, 0);
    add("toy.b", infra::action::update, 1, {"toy.a"});
    auto const t = tables();

    auto const g = (destroy_split{lifecycle_of_engine{t}} | cbd_inversion{lifecycle_of_engine{t}})(draft()).value();

    EXPECT_THAT(edges(g),
        UnorderedElementsAre("toy.a -> toy.a (expand)", "toy.b -> toy.b (expand)", "toy.b (expand) -> toy.a",
            "toy.b (expand) -> toy.a (expand)", "toy.a (destroy deposed 0123abcd) -> toy.a",
            "toy.a (destroy deposed 0123abcd) -> toy.b"));
}

// Graph-engine specification 5.4: an order between providers is omitted if it would close a cycle, except in a destroy.
TEST_F(EnginePolicies, OmitATentativeOrderBetweenProvidersThatWouldCloseACycle)
{
    declare("a\n b from=$a.id\n c from=$b.id");
    add("toy.a", infra::action::destroy_then_create, 0, {"toy.b"});
    add("toy.b", infra::action::destroy_then_create, 1, {"toy.a"}).provider = "other";
    auto const t = tables();

    auto const g = destroy_split{lifecycle_of_engine{t}}(draft()).value();

    EXPECT_THAT(edges(g),
        testing::Not(testing::IsSupersetOf(
            std::vector<std::string>{"toy.a (destroy) -> toy.b (destroy)", "toy.b (destroy) -> toy.a (destroy)"})));
}

TEST_F(EnginePolicies, PutModulesAroundTheirMembersButNotAroundDestroyers)
{
    declare("module.m\n m/module.n\n m/n/a\n b");
    add("module.m.module.n.toy.a", infra::action::create, 2);
    add("module.m.module.n.toy.gone", infra::action::destroy, -1);
    auto const t = tables();

    auto const g =
        (destroy_split{lifecycle_of_engine{t}} | scope_boundaries{module_scopes<program_type>{t}})(draft()).value();

    EXPECT_THAT(edges(g),
        UnorderedElementsAre("module.m (close) -> module.m (expand)", "module.m (close) -> module.m.module.n (close)",
            "module.m.module.n (expand) -> module.m (expand)",
            "module.m.module.n (close) -> module.m.module.n (expand)",
            "module.m.module.n (close) -> module.m.module.n.toy.a",
            "module.m.module.n (close) -> module.m.module.n.toy.a (expand)",
            "module.m.module.n.toy.a -> module.m.module.n (expand)",
            "module.m.module.n.toy.a -> module.m.module.n.toy.a (expand)",
            "module.m.module.n.toy.a (expand) -> module.m.module.n (expand)"));
}

TEST_F(EnginePolicies, OpenProvidersForCreatorsAndDestroyers)
{
    declare("a");
    add("toy.a", infra::action::create, 0);
    add("toy.gone", infra::action::destroy, -1);
    auto const t = tables();

    auto const g =
        (destroy_split{lifecycle_of_engine{t}} | scope_boundaries{provider_scopes<program_type>{t}})(draft()).value();

    EXPECT_THAT(edges(g),
        testing::IsSupersetOf({"toy.a -> sim", "toy.gone (destroy) -> sim", "sim (close) -> toy.a",
            "sim (close) -> toy.gone (destroy)", "sim (close) -> sim"}));
}

TEST_F(EnginePolicies, KeepTargetsTheirDependenciesAndCompleteOutputs)
{
    declare("a\n b from=$a.id\n c from=$b.id\n output.o =$b.id\n output.p =$c.id\n output.q =fixed");
    auto const t = tables();
    infra::plan_options options;
    options.targets.emplace_back("toy", "b");

    auto const g = target_subgraph{target_selection<program_type>{t, options, drafted::declarations}}(draft()).value();

    EXPECT_THAT(names(g), UnorderedElementsAre("toy.a (expand)", "toy.b (expand)", "output.o (expand)"));
}

TEST_F(EnginePolicies, ReduceTheGraphAndAddARoot)
{
    declare("a\n b from=$a.id\n c from=$a.id other=$b.id");
    auto const t = tables();

    auto const g = (single_root{lifecycle_of_engine{t}} | transitive_reduction{}
        | cycle_validation{node_naming<program_type>{t}})(draft());

    EXPECT_THAT(edges(g.value()),
        UnorderedElementsAre(
            "root -> toy.c (expand)", "toy.c (expand) -> toy.b (expand)", "toy.b (expand) -> toy.a (expand)"));
}

TEST_F(EnginePolicies, NameACycleWithPlacesAndReasons)
{
    declare("a from=$b.id\n b @depends_on=a");
    auto const t = tables();

    auto const refused = cycle_validation{node_naming<program_type>{t, true}}(draft());

    ASSERT_FALSE(refused.has_value());
    auto const error = refused.error();
    ASSERT_EQ(error.cycles().size(), 1U);
    EXPECT_EQ(to_string(error.cycles()[0]), "toy.a → toy.b (reference at line 1) → toy.a (depends_on at line 2)");
}

TEST_F(EnginePolicies, OfADestroyIncludeDependents)
{
    mode = plan_mode::destroy;
    add("toy.a", infra::action::destroy, -1);
    add("toy.b", infra::action::destroy, -1, {"toy.a"});
    add("toy.c", infra::action::destroy, -1, {"toy.a", "toy.b"});
    auto const t = tables();
    infra::plan_options options;
    options.mode = plan_mode::destroy;
    options.targets.emplace_back("toy", "b");

    auto const g = default_stages().apply_graph(t, draft(), options).value();

    std::vector<std::string> destroyed;
    for (std::string const& name : names(g))
        if (name.ends_with("(destroy)")) destroyed.push_back(name);
    EXPECT_THAT(destroyed, UnorderedElementsAre("toy.b (destroy)", "toy.c (destroy)"));
}

TEST_F(EnginePolicies, RemoveExcludedVerticesAndTheirDependents)
{
    declare("a\n b from=$a.id\n c from=$b.id\n output.o =$a.id\n output.p =$b.id");
    auto const t = tables();
    infra::plan_options options;
    options.excludes.emplace_back("toy", "b");

    auto const g = target_subgraph{target_selection<program_type>{t, options, drafted::declarations}}(draft()).value();

    EXPECT_THAT(names(g), UnorderedElementsAre("toy.a (expand)", "output.o (expand)"));
}

TEST_F(EnginePolicies, KeepAResourceOfWhichOneInstanceIsExcluded)
{
    declare("a\n b from=$a.id @count=2\n c from=$b[0].id");
    auto const t = tables();
    infra::plan_options options;
    options.excludes.emplace_back("toy", "b", infra::instance_key(std::int64_t{1}));

    auto const g = target_subgraph{target_selection<program_type>{t, options, drafted::declarations}}(draft()).value();

    EXPECT_THAT(names(g), UnorderedElementsAre("toy.a (expand)", "toy.b (expand)"));
}

}  // namespace
