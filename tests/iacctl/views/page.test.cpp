// SPDX-License-Identifier: BSL-1.0
#include "views/page.hpp"
#include "views/graph_text.hpp"
#include "views/graph_view.hpp"

#include "base/json.hpp"
#include "language/values/value.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace page_tests {
namespace {

namespace views = iacctl::views;
using iacctl::json;
using iacctl::parse_json;
using iacctl::language::mark;
using iacctl::language::type;
using iacctl::language::value;
using strider::infra::action;
using strider::infra::action_reason;
using strider::infra::operation_kind;
using strider::infra::parse_address;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using content = views::graph_view::content_type;
using kind = views::vertex_kind;

views::resource_schema const schema = {
    {{"id", type::string()}, {"secret", type::string(), false, true, false, true}, {"input", type()}}, 1};

[[nodiscard]] auto change(char const* at, action a, value before, value after) -> views::change_view
{
    views::change_view made;
    made.address = parse_address(at).value();
    made.action = a;
    made.before = std::move(before);
    made.after = std::move(after);
    made.schema = &schema;
    return made;
}

[[nodiscard]] auto object(char const* input, char const* secret = "s") -> value
{
    return value::object({{"id", value("1")}, {"secret", value(secret)}, {"input", value(input)}});
}

// A page of a plan with these changes, which are numbered in order, without a graph.
[[nodiscard]] auto page_of(std::vector<views::change_view> changes) -> views::page_view
{
    views::page_view page;
    page.workspace = "default";
    page.graph.content = content::operations;
    page.plan.emplace();
    for (auto& one : changes) {
        one.number = page.plan->changes.size();
        page.plan->changes.push_back(std::move(one));
    }
    return page;
}

[[nodiscard]] auto data_of(views::page_view const& page) -> json
{
    return parse_json(views::page_data(page)).value();
}

[[nodiscard]] auto addresses(json const& data) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (json const& one : data.at("changes").as_elements()) all.push_back(one.text_of("address"));
    return all;
}

[[nodiscard]] auto causes(json const& data, std::size_t change) -> std::vector<std::string>
{
    return data.at("changes").at(change).at("causes").as_texts();
}

[[nodiscard]] auto rows(json const& data) -> json const&
{
    return data.at("changes").at(0).at("rows");
}

[[nodiscard]] auto numbers(json const& list) -> std::vector<std::size_t>
{
    std::vector<std::size_t> all;
    for (json const& one : list.as_elements()) all.push_back(one.as_natural<std::size_t>());
    return all;
}

[[nodiscard]] auto operation(std::string name, std::size_t number, operation_kind ok) -> views::graph_view::vertex
{
    return {name, name, kind::operation, {}, "t." + name, number, ok};
}

TEST(Page, ListsChangesByTheirRisk)
{
    auto const data = data_of(page_of({change("t.created", action::create, value(), object("a")),
        change("t.updated", action::update, object("a"), object("b")),
        change("t.replaced", action::create_then_destroy, object("a"), object("b")),
        change("t.destroyed", action::destroy, object("a"), value()),
        change("t.unchanged", action::no_op, object("a"), object("a"))}));

    EXPECT_THAT(addresses(data), ElementsAre("t.destroyed", "t.replaced", "t.updated", "t.created"));
    EXPECT_EQ(data.at("changes").at(1).text_of("action"), "replace");
}

TEST(Page, NamesTheAttributesThatForceAReplacement)
{
    auto replaced = change("t.a", action::destroy_then_create, object("a"), object("b"));
    replaced.reason = action_reason::replace_because_cannot_update;
    replaced.replace_paths = {{"input"}};

    auto const data = data_of(page_of({replaced}));

    EXPECT_THAT(causes(data, 0), ElementsAre("Changes of these attributes require a replacement: input."));
    EXPECT_EQ(rows(data), parse_json(R"([{"path":"input","before":"\"a\"","after":"\"b\"","forces":true}])").value());
}

TEST(Page, NamesTheWholeAttributeIfNoPartForcesTheReplacement)
{
    auto const list = [](char const* first) {
        return value::object({{"input", value::tuple({value(first), value("x")})}});
    };
    auto replaced = change("t.a", action::destroy_then_create, list("a"), list("b"));
    replaced.reason = action_reason::replace_because_cannot_update;
    replaced.replace_paths = {{"input"}};

    auto const data = data_of(page_of({replaced}));

    EXPECT_THAT(causes(data, 0), ElementsAre("Changes of these attributes require a replacement: input[0]."));
}

TEST(Page, NamesTheTriggersOfAReplacement)
{
    auto replaced = change("t.a", action::destroy_then_create, object("a"), object("a"));
    replaced.reason = action_reason::replace_by_triggers;
    replaced.triggers = {"t.b.input", "t.c"};

    auto const data = data_of(page_of({replaced}));

    EXPECT_THAT(
        causes(data, 0), ElementsAre("These values that replace_triggered_by refers to change: t.b.input, t.c."));
    EXPECT_EQ(data.at("changes").at(0).at("triggers").as_texts(), (std::vector<std::string>{"t.b.input", "t.c"}));
}

TEST(Page, StatesWhyAnObjectIsDestroyed)
{
    auto undeclared = change("t.a", action::destroy, object("a"), value());
    undeclared.reason = action_reason::delete_because_no_resource_config;
    auto surplus = change("t.b[2]", action::destroy, object("a"), value());
    surplus.reason = action_reason::delete_because_count_index;
    auto deposed = change("t.c", action::destroy, object("a"), value());
    deposed.deposed_key = "0a1b2c3d";

    auto const data = data_of(page_of({undeclared, surplus, deposed}));

    EXPECT_THAT(causes(data, 0), ElementsAre("The configuration does not declare t.a."));
    EXPECT_THAT(causes(data, 1), ElementsAre("The index [2] is out of range for count."));
    EXPECT_THAT(causes(data, 2), ElementsAre("An earlier replacement left the object."));
}

TEST(Page, HasNoSensitiveValue)
{
    auto const hidden = value("hidden-in-a-value").with_marks(mark::sensitive);
    auto by_value = change("t.a", action::update, value::object({{"input", value("x")}}),
        value::object({{"input", value::object({{"deep", hidden}, {"open", value("y")}})}}));
    auto by_schema = change("t.b", action::update, object("a", "hidden-before"), object("b", "hidden-after"));
    auto page = page_of({by_value, by_schema, change("t.c", action::destroy, object("a", "hidden-gone"), value())});
    page.plan->output_changes = {{"o", action::update, value("hidden-old"), value("hidden-new"), true}};
    page.plan->variables = {{"v", value("hidden-variable")}};

    auto const text = views::page_text(page);

    EXPECT_THAT(text, Not(HasSubstr("hidden-")));
    EXPECT_THAT(text, HasSubstr("(sensitive value)"));
}

TEST(Page, MarksValuesThatAreKnownAfterTheApply)
{
    auto const after = value::object({{"id", value::unknown(type::string())}, {"input", value("a")}});

    auto const data = data_of(page_of({change("t.a", action::create, value(), after)}));

    EXPECT_EQ(rows(data).at(0), parse_json(R"json({"path":"id","after":"(known after apply)"})json").value());
}

TEST(Page, CutsLongTexts)
{
    std::string long_text;
    while (long_text.size() < 50'000) long_text += "\u00e4";

    auto const data = data_of(page_of({change("t.a", action::create, value(), object(long_text.c_str()))}));

    auto const shown = rows(data).at(1).text_of("after");
    EXPECT_LT(shown.size(), 20'100U);
    EXPECT_THAT(shown, testing::EndsWith("more bytes"));
}

TEST(Page, EscapesHostileNames)
{
    std::string const hostile = "</script><script>alert(1)</script><!--";
    auto page = page_of({change("t.a", action::create, value(), object(hostile.c_str()))});
    page.workspace = hostile;
    page.graph.vertices = {operation(hostile, 0, operation_kind::create)};

    auto const text = views::page_text(page);
    auto const begin = text.find("id=\"data\">") + 10;
    auto const data = parse_json(text.substr(begin, text.find("</script>", begin) - begin)).value();

    EXPECT_EQ(data.text_of("workspace"), hostile);
    EXPECT_EQ(data.at("vertices").at(0).text_of("name"), hostile);
    EXPECT_THAT(text, Not(HasSubstr("alert(1)</script>")));
}

TEST(Page, AllowsOnlyItsOwnScriptAndStyle)
{
    auto const text = views::page_text(page_of({}));

    EXPECT_THAT(text, HasSubstr("content=\"default-src 'none'; script-src 'sha256-"));
    EXPECT_THAT(text, Not(HasSubstr("unsafe")));
    EXPECT_THAT(text, Not(HasSubstr("http://")));
    EXPECT_THAT(text, Not(HasSubstr("https://")));
}

TEST(Page, ConnectsOperationsWithTheReasonsOfThePath)
{
    views::page_view page;
    page.graph.content = content::operations;
    page.graph.vertices = {operation("a", 0, operation_kind::create), {"b (expand)", "b", kind::resource},
        operation("b", 1, operation_kind::create), {"root", "root", kind::root}};
    page.graph.edges = {{1, 0, "reference", "main.tf:7"}, {2, 1, "expansion", ""}, {3, 2, "root", ""}};

    auto const data = data_of(page);

    ASSERT_EQ(data.at("edges").as_elements().size(), 1U);
    auto const edge = numbers(data.at("edges").at(0));
    std::vector<std::string> way;
    for (std::size_t i = 2; i < edge.size(); ++i) way.push_back(data.at("texts").at(edge[i]).as_text());
    EXPECT_THAT(way, ElementsAre("expansion", "", "b (expand)", "reference", "main.tf:7"));
    EXPECT_EQ(data.at("vertices").as_elements().size(), 2U);
    EXPECT_THAT(numbers(data.at("critical")), ElementsAre(0, 1));
}

TEST(Page, HasTheTimesOfAnApply)
{
    auto page = page_of({change("t.a", action::create, value(), object("a"))});
    page.graph.vertices = {{"", "", kind::join}, operation("a", 0, operation_kind::create)};
    page.seconds = {0, 1.5};
    page.run = {2, true, {{1, 0, 0.5, 2, views::timed_visit::end_type::failed}}};

    auto const data = data_of(page);

    EXPECT_EQ(data.text_of("kind"), "apply");
    EXPECT_EQ(data.at("run"), parse_json(R"({"seconds":2,"failed":true,"visits":[[0,0,0.5,2,"failed"]]})").value());
}

TEST(Page, HasShortTimes)
{
    auto page = page_of({change("t.a", action::create, value(), object("a"))});
    page.graph.vertices = {operation("a", 0, operation_kind::create)};
    page.run = {0.0002, false, {{0, 0, 0.00005, 0.0002, views::timed_visit::end_type::done}}};

    auto const data = data_of(page);

    EXPECT_EQ(data.at("run"),
        parse_json(R"({"seconds":0.0002,"failed":false,"visits":[[0,0,5e-05,0.0002,"done"]]})").value());
}

TEST(Page, CountsInstancesOfModulesWithoutChanges)
{
    auto page = page_of({change("module.m[0].t.a", action::update, object("a"), object("b")),
        change("module.m[1].module.n[\"x\"].t.a", action::update, object("a"), object("b"))});
    EXPECT_EQ(data_of(page).find("instances"), nullptr) << "all have changes";

    for (char const* const at : {"t.b", "module.m[0].t.b", "module.m[1].module.n[\"y\"].t.a", "module.m[2].t.a"})
        page.unchanged.insert(parse_address(at).value().module());

    EXPECT_EQ(data_of(page).at("instances"), parse_json(R"({"module.m":3,"module.m[1].module.n":2})").value());
}

TEST(Page, HasTheLimitAndTheProblemsOfAnApply)
{
    auto page = page_of({change("t.a", action::create, value(), object("a"))});
    page.project = "shop";
    page.graph.vertices = {operation("a", 0, operation_kind::create)};
    page.run = {2, true, {{0, 0, 0, 2, views::timed_visit::end_type::failed}}, 8};
    strider::infra::diagnostic problem;
    problem.summary = "It failed.";
    problem.detail = "Every\nline.";
    problem.address = "t.a";
    problem.source.file = "main.tf";
    problem.source.line = 7;
    problem.source.context = "resource t a";
    problem.source.text = "resource t a {";
    problem.source.notes = {"var.x is 1"};
    problem.code = "failed";
    page.run->problems.add(problem);

    auto const data = data_of(page);

    EXPECT_EQ(data.text_of("project"), "shop");
    EXPECT_EQ(data.at("run").at("limit"), parse_json("8").value());
    auto const expected = R"json([{"level":"error","summary":"It failed.","detail":"Every\nline.","address":"t.a",
        "code":"failed","place":"main.tf:7","context":"resource t a","source":"resource t a {","notes":["var.x is 1"]}])json";
    EXPECT_EQ(data.at("run").at("problems"), parse_json(expected).value());
}

// n instances that all depend on m others through one vertex.
[[nodiscard]] auto wide(std::size_t n, std::size_t m) -> views::graph_view
{
    views::graph_view g;
    g.content = content::operations;
    g.vertices.push_back({"", "", kind::join});
    for (std::size_t i = 0; i < n; ++i) {
        g.edges.push_back({g.vertices.size(), 0, "join", ""});
        g.vertices.push_back(operation("a" + std::to_string(i), i, operation_kind::create));
    }
    for (std::size_t i = 0; i < m; ++i) {
        g.edges.push_back({0, g.vertices.size(), "join", ""});
        g.vertices.push_back(operation("b" + std::to_string(i), n + i, operation_kind::create));
    }
    return g;
}

TEST(ShownGraph, KeepsAVertexThatSavesEdges)
{
    EXPECT_EQ(views::shown(wide(100, 100)).edges.size(), 200U);
    EXPECT_EQ(views::shown(wide(1, 100)).edges.size(), 100U);
    EXPECT_EQ(views::shown(wide(2, 2)).vertices.size(), 4U);
}

TEST(ShownGraph, ShowsTheShortestOfSeveralPaths)
{
    views::graph_view g;
    g.content = content::operations;
    g.vertices = {operation("a", 0, operation_kind::create), {"", "", kind::join}, {"", "", kind::join},
        operation("b", 1, operation_kind::create)};
    g.edges = {{0, 1, "join", ""}, {1, 2, "join", ""}, {2, 3, "join", ""}, {0, 3, "reference", "main.tf:1"}};

    auto const shown = views::shown(g);

    ASSERT_EQ(shown.edges.size(), 1U);
    EXPECT_THAT(shown.edges[0].through, ElementsAre(3));
}

TEST(MermaidText, PutsModulesIntoSubgraphs)
{
    views::graph_view g;
    g.vertices = {{"t.a", "t.a", kind::resource}, {"module.m.t.b", "t.b", kind::resource, {"module.m"}},
        {"module.m.module.n.t.c", "t.c", kind::resource, {"module.m", "module.n"}}};
    g.edges = {{1, 0, "reference", ""}, {2, 1, "reference", ""}};

    EXPECT_EQ(views::mermaid_text(g), R"(flowchart RL
  v0["t.a"]
  subgraph m0["module.m"]
    v1["t.b"]
    subgraph m1["module.n"]
      v2["t.c"]
    end
  end
  v1 --> v0
  v2 --> v1
)");
}

TEST(MermaidText, EscapesNamesAndColorsOperations)
{
    views::graph_view g;
    g.content = content::operations;
    g.vertices = {operation("t.a[\"</script>`#\"]", 0, operation_kind::destroy)};

    auto const text = views::mermaid_text(g);

    EXPECT_THAT(text, HasSubstr("v0[\"t.a#91;#34;#60;/script#62;#96;#35;#34;#93;\"]:::destroy\n"));
    EXPECT_THAT(text, HasSubstr("classDef destroy"));
}

TEST(DotText, WritesDependenciesOfJoinsAndNoJoin)
{
    auto const text = views::dot_text(wide(2, 1));

    EXPECT_THAT(text, HasSubstr("\"[root] a1\" -> \"[root] b0\"\n"));
    EXPECT_THAT(text, Not(HasSubstr("\"[root] \"")));
}

}  // namespace
}  // namespace page_tests
