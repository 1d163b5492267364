// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/graph_text.hpp>
#include <support/places.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using namespace std::chrono_literals;

// A visit, and the number of tasks that ran before it.
using visits = std::vector<std::pair<std::uint64_t, std::string>>;

// A walk in a context with virtual time, whose visits take this real time.
struct slow_visits {
    sim::manual_context& world;
    std::chrono::milliseconds real_time;
    visits seen{};
    walk_report report{};

    void visit(std::string const& name)
    {
        seen.emplace_back(world.steps(), name);
        std::this_thread::sleep_for(real_time);
    }
    template <class Executor, class Visitor, class Options>
    void run(Executor const& executor, Visitor const& visitor, Options options)
    {
        auto const g = freeze(graph("a\nb\nc\nd: a b\ne: b c\nf: d e")).value();
        async_walk(executor, g, visitor, std::move(options),
            [this](error_code, walk_report ended) { report = std::move(ended); });
        world.run();
    }
};

// Runs a walk with each kind of visitor, with and without a strand. \return the visits of all walks, in a fixed order
template <class ExecutorOf>
[[nodiscard]] auto all_walks(ExecutorOf const& executor_of, std::uint64_t seed, std::chrono::milliseconds real_time)
    -> std::vector<visits>
{
    std::vector<visits> all;
    auto const record = [&](auto const& visitor_of, auto options, auto place) {
        sim::manual_context world(seed);
        slow_visits walk{world, real_time};
        walk.run(place(executor_of(world)), visitor_of(walk), std::move(options));
        EXPECT_EQ(walk.report.done(), 6U);
        all.push_back(walk.seen);
    };
    auto const plain = [](slow_visits& walk) {
        return [&walk](vertex_id, std::string const& name) { walk.visit(name); };
    };
    auto const awaitable = [](slow_visits& walk) {
        return [&walk](vertex_id, std::string const& name) -> asio::awaitable<void> {
            walk.visit(name);
            if (name == "b")
                co_await sim::virtual_timer(co_await asio::this_coro::executor, 5ms).async_wait(asio::use_awaitable);
        };
    };
    auto const handle = [](slow_visits& walk) {
        return [&walk](vertex_id, std::string const& name, visit_handle done) {
            walk.visit(name);
            done(error_code());
        };
    };
    record(plain, walk_options<>{}, directly);
    record(plain, walk_options{.ready = priority_first(vertex_map<int>(6))}, directly);
    record(plain, walk_options<>{}, on_strand);
    record(plain, walk_options<fifo>{}, on_strand);
    record(awaitable, walk_options<>{}, directly);
    record(awaitable, walk_options<>{.max_concurrency = 1}, directly);
    record(awaitable, walk_options<>{}, on_strand);
    record(handle, walk_options<>{}, directly);
    record(handle, walk_options<>{}, on_strand);
    return all;
}

[[nodiscard]] auto typed(sim::manual_context& world)
{
    return world.get_executor();
}
[[nodiscard]] auto erased(sim::manual_context& world)
{
    return asio::any_io_executor(world.get_executor());
}
[[nodiscard]] auto erased_strand(sim::manual_context& world)
{
    return asio::any_io_executor(asio::make_strand(asio::any_io_executor(world.get_executor())));
}

TEST(WalkInVirtualTime, DoesNotDependOnTheRealTimeThatVisitsTake)
{
    for (std::uint64_t const seed : {0U, 1U, 2U, 3U}) {
        EXPECT_EQ(all_walks(typed, seed, 0ms), all_walks(typed, seed, 2ms)) << "seed " << seed;
        EXPECT_EQ(all_walks(erased, seed, 0ms), all_walks(erased, seed, 2ms)) << "seed " << seed;
        EXPECT_EQ(all_walks(erased_strand, seed, 0ms), all_walks(erased_strand, seed, 2ms)) << "seed " << seed;
    }
}

TEST(WalkInVirtualTime, IsTheSameBehindATypeErasedExecutor)
{
    for (std::uint64_t const seed : {0U, 1U, 2U, 3U})
        EXPECT_EQ(all_walks(typed, seed, 0ms), all_walks(erased, seed, 0ms)) << "seed " << seed;
}

TEST(WalkInVirtualTime, DependsOnTheSeed)
{
    EXPECT_NE(all_walks(erased, 1, 0ms), all_walks(erased, 2, 0ms));
}

TEST(WalkInVirtualTime, MeasuresItsTimeoutBehindATypeErasedExecutor)
{
    sim::manual_context world;
    slow_visits walk{world, 0ms};
    auto const visitor = [&walk](vertex_id, std::string const& name) -> asio::awaitable<void> {
        walk.visit(name);
        co_await sim::virtual_timer(co_await asio::this_coro::executor, 1h).async_wait(asio::use_awaitable);
    };

    walk.run(erased(world), visitor, walk_options<>{.timeout = 90min});

    EXPECT_EQ(walk.report.done(), 5U);
    EXPECT_EQ(walk.report.cancelled(), 1U);
}

TEST(WalkInVirtualTime, DoesNotCountTheRealTimeOfVisitsByWorkers)
{
    sim::manual_context world;
    slow_visits walk{world, 2ms};

    walk.run(
        erased(world), [&walk](vertex_id, std::string const& name) { walk.visit(name); },
        walk_options<>{.timeout = 1ms});

    EXPECT_EQ(walk.report.done(), 6U);
}

// The number of plain visits of which each takes a millisecond of virtual time, with a timeout of three.
template <class Options, class Place = decltype(directly)>
[[nodiscard]] auto visits_before_timeout(Options options, Place place = directly) -> std::size_t
{
    sim::manual_context world;
    digraph<int> draft;
    for (int i = 0; i < 1000; ++i) draft.add_vertex(i);
    auto const g = freeze(std::move(draft)).value();
    options.timeout = 3ms;
    walk_report report;
    async_walk(
        place(erased(world)), g,
        [&world](vertex_id, int) { asio::use_service<sim::virtual_time>(world).advance_to(world.now() + 1ms); },
        std::move(options), [&report](error_code, walk_report ended) { report = std::move(ended); });
    world.run();
    return report.done();
}

TEST(WalkInVirtualTime, StartsNoVisitAfterItsTimeout)
{
    EXPECT_EQ(visits_before_timeout(walk_options<>()), 3U);
    EXPECT_EQ(visits_before_timeout(walk_options<>(), on_strand), 3U);
    EXPECT_EQ(visits_before_timeout(walk_options<fifo>(), on_strand), 3U);
    EXPECT_EQ(visits_before_timeout(walk_options<priority_first<int>>{
                  .max_concurrency = 1, .ready = priority_first(vertex_map<int>(1000))}),
        3U);
}

}  // namespace
}  // namespace strider::test
