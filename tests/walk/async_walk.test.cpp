// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace strider::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class AsyncWalk : public in_each_world {};
INSTANTIATE_TEST_SUITE_P(World, AsyncWalk, world_kinds, [](auto const& kind) { return to_string(kind.param); });

TEST_P(AsyncWalk, VisitsEachVertexOnceAfterItsDependencies)
{
    auto const g = frozen("b: a\nc: a\nd: b c\ne: d a\nf");
    for (std::uint32_t const limit : {1U, 10U}) {
        any_world world(GetParam());
        sim::recorder record(g);

        auto const end = walk_in(
            world, g,
            [&](vertex_id v, std::string const&) { typename sim::recorder<text_frozen>::visit const visit(record, v); },
            walk_options<>{.max_concurrency = limit});

        EXPECT_EQ(end.calls, 1);
        EXPECT_FALSE(end.error);
        EXPECT_EQ(end.report.done(), 6U);
        EXPECT_EQ(record.order().size(), 6U);
        EXPECT_THAT(record.violations(), IsEmpty());
    }
}

TEST_P(AsyncWalk, AwaitsCoroutineVisitsBeforeDependents)
{
    auto const g = frozen("b: a\nc: a\nd: b c\ne: d a\nf");
    for (std::uint32_t const limit : {1U, 10U}) {
        any_world world(GetParam());
        sim::recorder record(g);

        auto const end = walk_in(
            world, g,
            [&](vertex_id v, std::string const&) -> asio::awaitable<void> {
                typename sim::recorder<text_frozen>::visit const visit(record, v);
                timer_type timer(co_await asio::this_coro::executor, milliseconds(1));
                co_await timer.async_wait(asio::use_awaitable);
            },
            walk_options<>{.max_concurrency = limit});

        EXPECT_FALSE(end.error);
        EXPECT_EQ(end.report.done(), 6U);
        EXPECT_THAT(record.violations(), IsEmpty());
        EXPECT_LE(record.peak(), limit);
    }
}

TEST_P(AsyncWalk, WaitsForHandlesOfVisits)
{
    auto const g = frozen("b: a\nc: a\nd: b c\ne: d a\nf");
    for (std::uint32_t const limit : {1U, 10U}) {
        any_world world(GetParam());
        sim::recorder record(g);

        auto const end = walk_in(
            world, g,
            [&](vertex_id v, auto const&, visit_handle handle) {
                record.begin(v);
                auto const executor = handle.get_executor();
                auto timer = std::make_shared<timer_type>(executor, milliseconds(1));
                timer->async_wait(asio::bind_executor(
                    executor, [&record, v, timer, handle = std::move(handle)](error_code error) mutable {
                        record.end(v);
                        handle(error);
                    }));
            },
            walk_options<>{.max_concurrency = limit});

        EXPECT_FALSE(end.error);
        EXPECT_EQ(end.report.done(), 6U);
        EXPECT_THAT(record.violations(), IsEmpty());
        EXPECT_LE(record.peak(), limit);
    }
}

TEST_P(AsyncWalk, CompletesForAnEmptyGraph)
{
    text_frozen const g;

    auto const plain = walk_in(here, g, [](vertex_id, std::string const&) {});

    EXPECT_EQ(plain.calls, 1);
    EXPECT_FALSE(plain.error);
    EXPECT_EQ(plain.report.size(), 0U);
}

TEST_P(AsyncWalk, WithLimitOneVisitsInAscendingId)
{
    auto const g = frozen("z\ny: z\nx\nw: x\nv\nu: v z");
    std::vector<std::size_t> order;

    walk_in(
        here, g, [&](vertex_id v, std::string const&) { order.push_back(v.index()); },
        walk_options<>{.max_concurrency = 1});

    EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(AsyncWalk, VisitsInTheOrderOfTheGivenReadyQueue)
{
    auto const g = frozen("b: a\nc: a\nd: a");
    struct descending_id : ascending_id {
        std::vector<vertex_id> ready;
        void reset(std::size_t) {}
        void push(vertex_id v) { ready.push_back(v); }
        auto pop() -> vertex_id
        {
            auto const largest = std::max_element(ready.begin(), ready.end());
            vertex_id const v = *largest;
            ready.erase(largest);
            return v;
        }
        [[nodiscard]] auto size() const -> std::size_t { return ready.size(); }
    };
    std::vector<std::string> order;

    walk_on(
        here, on_strand(here.executor()), g, [&](vertex_id, std::string const& name) { order.push_back(name); },
        walk_options<descending_id>{.max_concurrency = 1});

    EXPECT_THAT(order, ElementsAre("a", "d", "c", "b"));
}

TEST_P(AsyncWalk, NeverRunsMoreVisitsThanTheLimit)
{
    auto const g = frozen("a\nb\nc\nd\ne\nf\ng\nh\ni: a\nj: b");
    for (std::uint32_t const limit : {1U, 2U, 3U}) {
        any_world world(GetParam(), 8);
        sim::recorder record(g);

        walk_in(
            world, g,
            [&](vertex_id v, std::string const&) {
                typename sim::recorder<text_frozen>::visit const visit(record, v);
                if (world.has_threads()) std::this_thread::sleep_for(milliseconds(2));
            },
            walk_options<>{.max_concurrency = limit});

        EXPECT_LE(record.peak(), limit);
        EXPECT_GE(record.peak(), 1U);
    }
}

TEST_P(AsyncWalk, VisitsAllWithoutALimit)
{
    auto const g = frozen("b: a");

    auto const end = walk_in(here, g, [](vertex_id, std::string const&) {}, walk_options<>{.max_concurrency = 0});

    EXPECT_EQ(end.report.done(), 2U);
}

TEST_P(AsyncWalk, UsesTheWholeLimitForCoroutines)
{
    auto const g = frozen("a\nb\nc\nd\ne\nf");
    sim::recorder record(g);

    walk_in(
        here, g,
        [&](vertex_id v, std::string const&) -> asio::awaitable<void> {
            typename sim::recorder<text_frozen>::visit const visit(record, v);
            timer_type timer(co_await asio::this_coro::executor, milliseconds(50));
            co_await timer.async_wait(asio::use_awaitable);
        },
        walk_options<>{.max_concurrency = 4});

    EXPECT_EQ(record.peak(), 4U);
}

TEST_P(AsyncWalk, SkipsDependentsOfAFailureAndVisitsOtherVertices)
{
    auto const g = frozen("b: a\nc: b\ne: d\nf: c e");

    auto const end = walk_in(here, g, [](vertex_id, std::string const& name) -> error_code {
        return name == "a" ? asio::error::connection_refused : error_code();
    });

    EXPECT_EQ(end.error, walk_errc::vertex_failed);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c", "d", "e", "f"}), "failed skipped skipped done done skipped");
    EXPECT_EQ(end.report[find(g, "a")].error(), asio::error::connection_refused);
    EXPECT_THAT(end.report.root_causes(), ElementsAre(find(g, "a")));
}

TEST_P(AsyncWalk, SkipsOnlyAfterAllDependenciesAreSettled)
{
    struct log {
        std::vector<vertex_id>* settled_order;
        void started(vertex_id, std::uint32_t) {}
        void settled(vertex_id v, visit_outcome const&, std::uint32_t) { settled_order->push_back(v); }
        void stopping(stop_reason) {}
    };
    auto const g = frozen("c: quick slow");
    std::vector<vertex_id> settled;
    walk_options<ascending_id, log> options;
    options.trace.settled_order = &settled;

    walk_on(
        here, on_strand(here.executor()), g,
        [](vertex_id, std::string const& name) -> asio::awaitable<void> {
            if (name == "quick") throw std::runtime_error("at once");
            timer_type timer(co_await asio::this_coro::executor, milliseconds(20));
            co_await timer.async_wait(asio::use_awaitable);
        },
        options);

    EXPECT_THAT(settled, ElementsAre(find(g, "quick"), find(g, "slow"), find(g, "c")));
}

TEST_P(AsyncWalk, StoresExceptionsOfPlainVisitors)
{
    auto const g = frozen("b: a\nc");

    auto const end = walk_in(here, g, [](vertex_id, std::string const& name) {
        if (name == "a") throw std::runtime_error("no room");
    });

    EXPECT_EQ(end.error, walk_errc::vertex_failed);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "failed skipped done");
    EXPECT_EQ(end.report[find(g, "a")].message(), "no room");
    EXPECT_NE(end.report[find(g, "a")].exception(), nullptr);
}

TEST_P(AsyncWalk, StoresExceptionsOfCoroutines)
{
    auto const g = frozen("b: a\nc");

    auto const end = walk_in(here, g, [](vertex_id, std::string const& name) -> asio::awaitable<void> {
        co_await asio::post(asio::use_awaitable);
        if (name == "a") throw 7;
    });

    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "failed skipped done");
    EXPECT_EQ(end.report[find(g, "a")].message(), "an exception of unknown type");
}

TEST_P(AsyncWalk, StoresExceptionsOfVisitorsWithHandles)
{
    auto const g = frozen("b: a\nc");

    auto const end = walk_in(here, g, [](vertex_id, auto const& name, visit_handle handle) {
        if (name == "a") throw std::runtime_error("before the call");
        handle();
    });

    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "failed skipped done");
    EXPECT_EQ(end.report[find(g, "a")].message(), "before the call");
}

TEST_P(AsyncWalk, UsesTheFirstOutcomeIfAVisitorThrowsAfterCallingItsHandle)
{
    auto const g = frozen("a");

    auto const end = walk_in(here, g, [](vertex_id, auto const&, visit_handle handle) {
        handle();
        throw std::runtime_error("too late");
    });

    EXPECT_FALSE(end.error);
    EXPECT_EQ(end.report.done(), 1U);
}

TEST_P(AsyncWalk, FailsAVisitWhoseHandleIsDropped)
{
    auto const g = frozen("b: a");

    auto const end = walk_in(here, g, [](vertex_id, auto const&, visit_handle) {});

    EXPECT_EQ(end.statuses(g, {"a", "b"}), "failed skipped");
    EXPECT_EQ(end.report[find(g, "a")].error(), walk_errc::abandoned);
}

TEST_P(AsyncWalk, AcceptsEveryKindOfOutcomeFromAHandle)
{
    auto const g = frozen("by_code\nby_exception\nby_outcome\nby_nothing\nby_null");

    auto const end = walk_in(here, g, [](vertex_id, auto const& name, visit_handle handle) {
        if (name == "by_code") handle(asio::error::timed_out);
        else if (name == "by_exception") handle(std::make_exception_ptr(std::runtime_error("thrown elsewhere")));
        else if (name == "by_outcome") handle(visit_outcome::skipped());
        else if (name == "by_null") handle(std::exception_ptr());
        else handle();
    });

    EXPECT_EQ(end.statuses(g, {"by_code", "by_exception", "by_outcome", "by_nothing", "by_null"}),
        "failed failed skipped done done");
}

TEST_P(AsyncWalk, AcceptsOutcomesThatVisitorsReturn)
{
    auto const g = frozen("dependent: leaver\nother");

    auto const end = walk_in(here, g, [](vertex_id, std::string const& name) -> asio::awaitable<visit_outcome> {
        co_return name == "leaver" ? visit_outcome::skipped() : visit_outcome::done();
    });

    EXPECT_FALSE(end.error);
    EXPECT_EQ(end.statuses(g, {"leaver", "dependent", "other"}), "skipped skipped done");
}

TEST_P(AsyncWalk, StartsNoVisitAfterTheFirstFailureIfConfigured)
{
    auto const g = frozen("a\nb\nc: a\nd: b");

    auto const end = walk_in(
        here, g,
        [](vertex_id, std::string const& name) {
            if (name == "a") throw std::runtime_error("first");
        },
        walk_options<>{.max_concurrency = 1, .stop_on_first_failure = true});

    EXPECT_EQ(end.error, walk_errc::vertex_failed);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c", "d"}), "failed cancelled skipped cancelled");
}

TEST_P(AsyncWalk, MakesWritesOfDependenciesVisibleToDependents)
{
    auto const g = frozen("b: a\nc: a\nd: b c");
    std::vector<int> written(g.vertex_count());  // no lock, no atomic: the walk orders it

    walk_in(here, g, [&](vertex_id v, std::string const&) {
        int sum = 1;
        for (vertex_id const d : g.dependencies(v)) sum += written[d.index()];
        written[v.index()] = sum;
    });

    EXPECT_THAT(written, ElementsAre(1, 2, 2, 5));
}

TEST_P(AsyncWalk, KeepsTheVisitorAliveUntilTheEnd)
{
    auto const g = frozen("b: a\nc: b");
    auto const seen = std::make_shared<std::atomic<int>>(0);
    std::weak_ptr<std::atomic<int>> const alive = seen;

    auto const end = walk_in(here, g,
        [counter = std::make_unique<std::shared_ptr<std::atomic<int>>>(seen)](
            vertex_id, std::string const&) -> asio::awaitable<void> {
            co_await asio::post(asio::use_awaitable);
            ++**counter;
        });

    EXPECT_EQ(end.report.done(), 3U);
    EXPECT_EQ(*seen, 3);
    EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(AsyncWalk, ReportsAllEventsToATraceInOneOrder)
{
    struct log {
        std::string* text;
        text_frozen const* graph;
        void started(vertex_id v, std::uint32_t) { *text += "+" + (*graph)[v]; }
        void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t)
        {
            *text += (outcome.is_done() ? "-" : "!") + (*graph)[v];
        }
        void stopping(stop_reason) { *text += "|"; }
    };
    auto const g = frozen("b: a\nc: b\nd");
    std::string text;
    walk_options<fifo, log> options{
        .max_concurrency = 1, .stop_on_first_failure = true, .trace = {.text = &text, .graph = &g}};

    walk_on(
        here, on_strand(here.executor()), g,
        [](vertex_id, std::string const& name) {
            if (name == "b") throw std::runtime_error("b");
        },
        options);

    EXPECT_EQ(text, "+a-a+d-d+b!b|!c");
}

// A graph with wrong degrees: `b` waits for two dependencies, but has one.
struct inconsistent_graph : text_frozen {
    explicit inconsistent_graph(text_frozen g) : text_frozen(std::move(g)) {}
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t
    {
        return text_frozen::dependency_count(v) * 2;
    }
};

}  // namespace
}  // namespace strider::test

template <>
inline constexpr bool strider::enable_acyclic_graph<strider::test::inconsistent_graph> = true;

namespace strider::test {
namespace {

TEST(AsyncWalkOfAnInconsistentGraph, ReportsThatTheWalkStalled)
{
    inconsistent_graph const g(frozen("b: a\nc"));
    sim::manual_context context;
    ending end;

    async_walk(
        context.get_executor(), g, [](vertex_id, std::string const&) {}, walk_options<own_order>(),
        [&](error_code error, walk_report report) { end = {error, std::move(report), end.calls + 1}; });
    context.run();

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::stalled);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "done cancelled done");
}

// Two vertices, far apart: 70000 waits for 0.
struct sparse_graph {
    using value_type = int;

    [[nodiscard]] auto vertices() const -> std::vector<vertex_id> const& { return all; }
    [[nodiscard]] auto vertex_count() const -> std::size_t { return 2; }
    [[nodiscard]] auto edge_count() const -> std::size_t { return 1; }
    [[nodiscard]] auto id_bound() const -> std::size_t { return 70001; }
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t { return v.index() == 0 ? 0 : 1; }
    [[nodiscard]] auto dependencies(vertex_id v) const -> std::span<vertex_id const>
    {
        return std::span(all).first(v.index() == 0 ? 0 : 1);
    }
    [[nodiscard]] auto dependents(vertex_id v) const -> std::span<vertex_id const>
    {
        return std::span(all).last(v.index() == 0 ? 1 : 0);
    }
    [[nodiscard]] auto dependency_edges(vertex_id v) const -> std::vector<strider::edge>
    {
        return v.index() == 0 ? std::vector<strider::edge>() : std::vector<strider::edge>{{all.back(), all.front()}};
    }
    [[nodiscard]] auto operator[](vertex_id) const -> int const& { return value; }

    std::vector<vertex_id> all{vertex_id(0), vertex_id(70000)};
    int value = 1;
};

}  // namespace
}  // namespace strider::test

template <>
inline constexpr bool strider::enable_acyclic_graph<strider::test::sparse_graph> = true;

namespace strider::test {
namespace {

TEST(AsyncWalkOfAGraphWithGaps, VisitsAllAndReportsThem)
{
    sparse_graph const g;
    sim::manual_context context;
    std::vector<std::size_t> visited;
    ending end;

    async_walk(
        context.get_executor(), g,
        [&](vertex_id v, int) {
            visited.push_back(v.index());
            if (v.index() != 0) throw std::runtime_error("no");
        },
        walk_options<>(),
        [&](error_code error, walk_report report) { end = {error, std::move(report), end.calls + 1}; });
    context.run();

    EXPECT_THAT(visited, ElementsAre(0, 70000));
    EXPECT_EQ(end.report.size(), 2U);
    EXPECT_EQ(end.report.done(), 1U);
    EXPECT_EQ(end.report[vertex_id(70000)].status(), visit_status::failed);
}

}  // namespace
}  // namespace strider::test
