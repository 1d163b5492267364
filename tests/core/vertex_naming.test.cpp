// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/core/make_digraph.hpp>
#include <strider/core/vertex_naming.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/conversion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace strider;
using testing::ElementsAre;
using testing::IsEmpty;

struct titled_task {
    std::string title;
    [[nodiscard]] auto name() const -> std::string const& { return title; }
};

struct named_task {
    std::string name;
};

TEST(DefaultNaming, UsesTheTextTheNameOrTheNumber)
{
    default_naming const naming;

    EXPECT_EQ(naming.name(std::string("text")), "text");
    EXPECT_EQ(naming.name(titled_task{"title"}), "title");
    EXPECT_EQ(naming.name(named_task{"member"}), "member");
    EXPECT_EQ(naming.name(3.5, 7), "vertex 7");
    EXPECT_EQ(naming.name(3.5), "vertex 0");
}

TEST(NamedBy, NamesVerticesByAProjection)
{
    struct task {
        std::string id;
        std::vector<std::string> needs;
    };
    std::vector<task> const tasks{{"a", {"b"}}, {"b", {"a"}}};
    auto const draft = make_digraph(tasks, &task::id, &task::needs).value();
    auto const by_view = [](task const& each) { return std::string_view(each.id); };

    EXPECT_EQ(named_by(&task::id).name(tasks.front()), "a");
    EXPECT_EQ(named_by(by_view).name(tasks.front()), "a");
    EXPECT_EQ(freeze(draft, &task::id).error().message(), "the graph has a cycle: a → b → a");
    EXPECT_EQ(freeze(draft, by_view).error().message(), "the graph has a cycle: a → b → a");
}

// A path "a -> - -> b -> c", in which "-" has no name.
struct hidden_naming {
    [[nodiscard]] auto name(std::string const& value) const -> std::string { return value == "-" ? "" : value; }
    [[nodiscard]] auto reason(std::string const& from, std::string const& to, edge_origin) const -> std::string
    {
        return from + " to " + to;
    }
};
auto texts_of(std::vector<path_step> const& steps) -> std::vector<std::string>
{
    std::vector<std::string> found;
    for (path_step const& step : steps) found.push_back(step.dependent + " > " + step.dependency + ": " + step.reason);
    return found;
}

TEST(NameSteps, LeavesOutVerticesWithoutAName)
{
    auto const g = test::graph("a: -\n-: b\nb: c");
    std::vector<draft_edge> path;
    for (auto const name : {"a", "-", "b"})
        for (draft_edge const e : g.dependency_edges(test::find(g, name))) path.push_back(e);

    EXPECT_THAT(texts_of(name_steps(g, path, hidden_naming{})), ElementsAre("a > b: a to -", "b > c: b to c"));
    EXPECT_THAT(name_steps(g, {}, hidden_naming{}), IsEmpty());
}

TEST(ReportCycle, BeginsAtAVertexWithAName)
{
    auto const g = test::graph("-: a\na: b\nb: -");
    auto const members = g.vertices() | ranges::to<std::vector>();
    std::vector<draft_edge> path;
    for (auto const v : members)
        for (draft_edge const e : g.dependency_edges(v)) path.push_back(e);

    auto const report = report_cycle(g, members, path, hidden_naming{});

    EXPECT_THAT(report.members, ElementsAre("a", "b"));
    EXPECT_THAT(texts_of(report.path), ElementsAre("a > b: a to b", "b > a: b to -"));
}

TEST(ReportCycle, IsEmptyIfNoVertexHasAName)
{
    auto const error = freeze(test::graph("-: -"), hidden_naming{}).error();

    EXPECT_THAT(error.cycles().front().path, IsEmpty());
    EXPECT_EQ(error.message(), "the graph has a cycle: ");
    EXPECT_EQ(error.path().size(), 1U);
}

// A cycle of `size` steps, whose names have a size of their own.
auto cycle_of(std::size_t size, std::size_t name_size = 0) -> cycle_report
{
    auto const name = [&](std::size_t i) { return "v" + std::to_string(i % size) + std::string(name_size, 'x'); };
    cycle_report report;
    for (std::size_t i = 0; i < size; ++i) {
        report.members.push_back(name(i));
        report.path.push_back({name(i), name(i + 1), "reference"});
    }
    return report;
}

TEST(Abridged, LeavesNoGapInThePath)
{
    for (std::size_t size = 1; size < 30; ++size) {
        auto const shown = abridged(cycle_of(size)).path;

        for (std::size_t i = 0; i < shown.size(); ++i)
            EXPECT_EQ(shown[i].dependency, shown[(i + 1) % shown.size()].dependent) << size << ", " << i;
    }
    EXPECT_EQ(abridged(cycle_of(23)).path[20].reason, "2 more dependencies");
}

TEST(Abridged, ShowsSixteenKibibytesOfNames)
{
    auto const shown = abridged(cycle_of(1000, 1020));

    EXPECT_EQ(shown.members.size(), 18U);  // 17 * 1024 bytes are more
    EXPECT_EQ(shown.members.back(), "and 983 more");
}

TEST(ToString, OfCyclesShowsTheFirstOnesAndTheNumberOfTheOthers)
{
    std::vector<cycle_report> const none;
    std::vector<cycle_report> const two(2, cycle_of(1));
    auto const twenty = to_string(std::vector<cycle_report>(20, cycle_of(1)));
    auto const many = to_string(std::vector<cycle_report>(23, cycle_of(1)));
    auto const large = to_string(std::vector<cycle_report>(9, cycle_of(1, 4000)));

    EXPECT_EQ(to_string(none), "");
    EXPECT_EQ(to_string(two), "cycle: v0 → v0 (reference); cycle: v0 → v0 (reference)");
    EXPECT_THAT(twenty, testing::EndsWith("; cycle: v0 → v0 (reference)"));
    EXPECT_EQ(many, twenty + "; and 3 more cycles");
    EXPECT_THAT(large, testing::EndsWith("; and 6 more cycles"));
}

}  // namespace
