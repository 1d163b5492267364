// SPDX-License-Identifier: BSL-1.0
// Walks of graphs to which visits add other graphs: order, limits, failures and stops of the whole.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>

#include <walk/worlds.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test::growth {
namespace {

using growing = growing_digraph<std::string>;
using action = std::function<void(vertex_id, std::string const&)>;

// Each visit adds a graph, waits for a post, and ends.
struct plain_visits {
    action act;
    action end;
    void operator()(vertex_id v, std::string const& name) const
    {
        act(v, name);
        end(v, name);
    }
};
struct awaitable_visits {
    action act;
    action end;
    auto operator()(vertex_id v, std::string const& name) const -> asio::awaitable<void>
    {
        act(v, name);
        co_await asio::post(asio::use_awaitable);
        end(v, name);
    }
};
struct handle_visits {
    action act;
    action end;
    void operator()(vertex_id v, std::string const& name, visit_handle handle) const
    {
        act(v, name);
        auto const executor = handle.get_executor();
        asio::post(executor, [end = &end, v, &name, handle = std::move(handle)]() mutable {
            (*end)(v, name);
            handle();
        });
    }
};

template <class Visits, auto const& Place = directly>
struct kind {
    using visits = Visits;
    static constexpr auto const& place = Place;
};

// The names of the settled vertices, in order.
struct settled_names {
    growing const* graph;
    std::string* names;

    void started(vertex_id, std::uint32_t) const {}
    void settled(vertex_id v, visit_outcome const&, std::uint32_t) const { *names += (*graph)[v]; }
    void stopping(stop_reason) const {}
};

template <class Kind>
class GrowingGraph : public testing::Test {
protected:
    using options_type = walk_options<ascending_id, settled_names>;

    auto walk_all(growing const& g, action act, options_type options = {}, std::uint64_t seed = 0,
        asio::cancellation_signal* stop = nullptr) -> walk_report
    {
        sim::manual_context context(seed);
        std::optional<walk_report> report;
        visited.clear();
        settled.clear();
        running = peak = 0;
        options.trace = settled_names{&g, &settled};
        action const begin = [&](vertex_id v, std::string const& name) {
            peak = std::max(peak, ++running);
            visited += name;
            if (act) act(v, name);
        };
        action const end = [&](vertex_id, std::string const&) { --running; };
        asio::cancellation_signal none;
        walker walking(Kind::place(context.get_executor()), g, typename Kind::visits{begin, end}, options);
        walking.async_run(asio::bind_cancellation_slot((stop == nullptr ? none : *stop).slot(),
            [&](error_code, walk_report ended) { report = std::move(ended); }));
        context.run();
        EXPECT_TRUE(report);
        return report.value_or(walk_report());
    }
    [[nodiscard]] static auto statuses(walk_report const& report) -> std::string
    {
        std::string all;
        for (std::size_t i = 0; i < report.size(); ++i)
            all += (i == 0 ? "" : " ") + std::string(to_string(report[vertex_id(i)].status()));
        return all;
    }

    std::string visited;
    std::string settled;
    std::size_t running = 0;
    std::size_t peak = 0;
};

using kinds =
    testing::Types<kind<plain_visits>, kind<plain_visits, on_strand>, kind<awaitable_visits>, kind<handle_visits>>;
TYPED_TEST_SUITE(GrowingGraph, kinds);

TYPED_TEST(GrowingGraph, SettlesAVertexAfterTheVerticesThatItsVisitAdded)
{
    growing const g(frozen("b: a"));

    auto const report = this->walk_all(g, [&](vertex_id v, std::string const& name) {
        if (name == "a") g.add(v, frozen("y: x"));
    });

    EXPECT_EQ(this->visited, "axyb");
    EXPECT_EQ(this->settled, "xyab");
    EXPECT_EQ(report.done(), 4U);
    EXPECT_EQ(g[vertex_id(3)], "y");
    EXPECT_EQ(g.added_by(vertex_id(3)), vertex_id(0));
    EXPECT_FALSE(g.added_by(vertex_id(1)));
}

TYPED_TEST(GrowingGraph, GrowsAtAddedVerticesToo)
{
    growing const g(frozen("b: a"));

    auto const report = this->walk_all(g, [&](vertex_id v, std::string const& name) {
        if (name == "a") {
            g.add(v, frozen("y: x"));
            g.add(v, frozen("w"));
        }
        if (name == "x") g.add(v, frozen("z"));
    });

    EXPECT_EQ(report.done(), 6U);
    EXPECT_LT(this->settled.find('z'), this->settled.find('x'));
    EXPECT_LT(this->visited.find('z'), this->visited.find('y'));
    EXPECT_EQ(this->settled.substr(4), "ab");
    EXPECT_EQ(this->visited.back(), 'b');
}

TYPED_TEST(GrowingGraph, FailsAVertexIfAnAddedOneFails)
{
    growing const g(frozen("b: a\nc"));

    auto const report = this->walk_all(g, [&](vertex_id v, std::string const& name) {
        if (name == "a") g.add(v, frozen("y: x\nz"));
        if (name == "x") {
            --this->running;
            throw std::runtime_error("no luck");
        }
    });

    EXPECT_EQ(this->statuses(report), "failed done skipped failed done skipped");
    EXPECT_EQ(report[vertex_id(0)].error(), walk_errc::part_failed);
    EXPECT_THAT(report.root_causes(), testing::ElementsAre(vertex_id(3)));
    EXPECT_EQ(report.error(), walk_errc::vertex_failed);
}

TYPED_TEST(GrowingGraph, DiscardsVerticesThatAFailedVisitAdded)
{
    growing const g(frozen("b: a"));

    auto const report = this->walk_all(g, [&](vertex_id v, std::string const& name) {
        if (name != "a") return;
        g.add(v, frozen("y: x"));
        throw std::runtime_error("no luck");
    });

    EXPECT_EQ(this->visited, "a");
    EXPECT_EQ(this->statuses(report), "failed skipped");
    EXPECT_EQ(g.vertex_count(), 2U);
}

TYPED_TEST(GrowingGraph, LimitsTheConcurrencyOfAllVertices)
{
    growing const g(frozen("a\nb\nc"));

    auto const report = this->walk_all(g,
        [&](vertex_id v, std::string const& name) {
            if (name < "d") g.add(v, frozen("x\ny: x\nz\nw\nu"));
        },
        {.max_concurrency = 3});

    EXPECT_EQ(report.done(), 18U);
    EXPECT_LE(this->peak, 3U);
    if constexpr (!std::is_same_v<typename TypeParam::visits, plain_visits>) { EXPECT_EQ(this->peak, 3U); }
}

TYPED_TEST(GrowingGraph, CancelsAllVerticesWithAnySeed)
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        growing const g(frozen("b: a\nc: a\nd: b c"));
        asio::cancellation_signal stop;
        std::size_t visits = 0;
        bool is_late = false;

        auto const report = this->walk_all(
            g,
            [&](vertex_id v, std::string const& name) {
                is_late = is_late || visits > seed % 6;
                if (name < "e") g.add(v, frozen("x\ny: x\nz: y"));
                if (visits++ == seed % 6)
                    stop.emit(seed % 2 == 0 ? asio::cancellation_type::partial : asio::cancellation_type::terminal);
            },
            {.max_concurrency = 1}, seed, &stop);

        EXPECT_FALSE(is_late) << "seed " << seed;
        EXPECT_EQ(report.size(), g.vertex_count());
        EXPECT_EQ(report.done() + report.cancelled(), report.size()) << "seed " << seed;
        EXPECT_EQ(report.error(), walk_errc::cancelled);
        EXPECT_TRUE(report[vertex_id(3)].status() == visit_status::cancelled);
    }
}

TYPED_TEST(GrowingGraph, StopsAllVerticesOnTheFirstFailure)
{
    growing const g(frozen("b: a\nc: b"));

    auto const report = this->walk_all(g,
        [&](vertex_id v, std::string const& name) {
            if (name == "a") g.add(v, frozen("x\ny: x\nz: x"));
            if (name == "x") {
                --this->running;
                throw std::runtime_error("no luck");
            }
        },
        {.max_concurrency = 1, .stop_on_first_failure = true});

    EXPECT_EQ(this->visited, "ax");
    EXPECT_EQ(report.done(), 0U);
    EXPECT_EQ(report[vertex_id(0)].error(), walk_errc::part_failed);
}

TYPED_TEST(GrowingGraph, StartsEachRunWithTheInitialGraph)
{
    sim::manual_context context;
    growing const g(frozen("b: a"));
    auto const part = std::make_shared<text_frozen const>(frozen("y: x"));
    std::string settled;
    std::string order;
    action const begin = [&](vertex_id v, std::string const& name) {
        order += name;
        if (name < "c") g.add(v, part);
    };
    typename TestFixture::options_type options{.trace = settled_names{&g, &settled}};
    walker walks(context, g, typename TypeParam::visits{begin, [](vertex_id, std::string const&) {}}, options);
    std::vector<std::size_t> done;

    for (int i = 0; i < 3; ++i) {
        walks.async_run([&](error_code, walk_report const& report) { done.push_back(report.done()); });
        context.run();
    }

    EXPECT_THAT(done, testing::Each(6U));
    EXPECT_EQ(order, "axybxyaxybxyaxybxy");
}

TEST(GrowingGraphEdges, HaveTheIdsOfTheWholeGraph)
{
    growing const g(frozen("b: a"));
    g.add(vertex_id(0), frozen("y: x"));

    g.attach(vertex_id(0));

    EXPECT_EQ(g.vertex_count(), 4U);
    EXPECT_EQ(g.edge_count(), 2U);
    ASSERT_EQ(g.dependency_edges(vertex_id(3)).size(), 1U);
    auto const added = g.dependency_edges(vertex_id(3))[0];
    EXPECT_EQ(added.dependent, vertex_id(3));
    EXPECT_EQ(added.dependency, vertex_id(2));
    EXPECT_EQ(g.dependency_count(vertex_id(3)), 1U);
    EXPECT_EQ(g.dependency_count(vertex_id(2)), 0U);
    EXPECT_EQ(g.added_by(vertex_id(3)), vertex_id(0));
}

TEST(GrowingGraphOfThreads, VisitsEachVertexOnceAfterItsDependencies)
{
    asio::thread_pool pool(4);
    digraph<std::uint32_t> layers;
    std::vector<draft_vertex_id> ids;
    for (std::uint32_t i = 0; i < 40; ++i) {
        ids.push_back(layers.add_vertex(i));
        for (std::uint32_t d = i < 8 ? i : i - 8 - i % 3; d < i && i >= 8; d += 3)
            layers.add_edge(ids[i], depends_on(ids[d]));
    }
    auto const part = std::make_shared<dag<std::uint32_t> const>(freeze(layers).value());
    growing_digraph<std::uint32_t> const g(part);
    // Plain integers, because the walk orders the reads of one visit after the writes of another.
    std::vector<std::uint32_t> visits(40 * 41 + 40 * 40);
    std::atomic<std::size_t> wrong{0};
    auto const visit = [&](vertex_id v, std::uint32_t value) {
        for (vertex_id const d : g.dependencies(v)) wrong += visits[d.index()] == 1 ? 0U : 1U;
        ++visits[v.index()];
        if (!g.added_by(v) || (!g.added_by(g.added_by(v)) && value % 40 == 7)) g.add(v, part);
    };

    for (int i = 0; i < 20; ++i) {
        std::fill(visits.begin(), visits.end(), 0U);
        auto const report = walk(pool, g, visit, {.max_concurrency = 4});
        ASSERT_EQ(report.done(), 40U * 41U + 40U * 40U);
        ASSERT_THAT(visits, testing::Each(1U));
    }
    EXPECT_EQ(wrong, 0U);
}

TEST(GrowingGraphOfThreads, VisitsMoreVerticesAtOnceThanTheFirstGraphHas)
{
    asio::thread_pool pool(2);
    growing const g(frozen("a"));
    std::atomic<int> running{0};
    std::atomic<int> met{0};

    auto const report = walk(pool, g, [&](vertex_id v, std::string const& name) {
        if (name == "a") return g.add(v, frozen("x\ny"));
        ++running;
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (running != 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        met += running == 2 ? 1 : 0;
    });

    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(met, 2);
}

}  // namespace
}  // namespace strider::test::growth
