// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/async_walk.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/walk.hpp>

#include <strider/sim/manual_executor.hpp>

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

namespace asio = boost::asio;
using requests = std::vector<resource_request>;
constexpr std::uint64_t memory = 1;
constexpr std::uint64_t licence = 2;

auto independent(std::size_t count) -> dag<int>
{
    digraph<int> draft;
    for (std::size_t i = 0; i < count; ++i) draft.add_vertex(static_cast<int>(i));
    return freeze(std::move(draft)).value();
}

// A queue in which the vertex `i` makes the request `of[i]`, with all vertices pushed.
auto queue_of(resource_limits const& limits, std::vector<requests> of)
{
    std::size_t const count = of.size();
    resource_pools queue(limits, [of = std::move(of)](vertex_id v) { return of[v.index()]; });
    queue.reset(count);
    for (std::size_t i = 0; i < count; ++i) queue.push(vertex_id(i));
    return queue;
}

TEST(ResourceLimits, GiveAllUnitsOfARequestTogether)
{
    resource_limits const limits{{memory, 2}, {licence, 1}};
    auto queue = queue_of(limits, {{{licence, 1}}, {{memory, 2}, {licence, 1}}});

    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(queue.waiting(), 1U);
    EXPECT_EQ(limits.in_use(memory), 0U);
    queue.settled(vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(1));
    EXPECT_EQ(limits.in_use(memory), 2U);
    EXPECT_EQ(limits.in_use(licence), 1U);
    queue.settled(vertex_id(1));

    EXPECT_EQ(limits.in_use(memory), 0U);
    EXPECT_EQ(limits.in_use(licence), 0U);
}

TEST(ResourceLimits, AddEqualResourcesOfOneRequest)
{
    resource_limits const limits{{memory, 3}};
    auto queue = queue_of(limits, {{{memory, 1}, {memory, 2}, {licence, 0}}});

    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(limits.in_use(memory), 3U);
}

TEST(ResourceLimits, DoNotStarveALargeRequestBySmallOnes)
{
    resource_limits const limits{{memory, 2}};
    auto queue = queue_of(limits, {{{memory, 1}}, {{memory, 2}}, {{memory, 1}}, {{memory, 1}}});

    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id()) << "one unit is free, but the large request has reserved it";
    queue.settled(vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(1));
    EXPECT_EQ(queue.size(), 0U);
    queue.settled(vertex_id(1));
    EXPECT_EQ(queue.pop(), vertex_id(2));
    EXPECT_EQ(queue.pop(), vertex_id(3));
}

TEST(ResourceLimits, LetRequestsPassThatDoNotDelayTheOneThatWaits)
{
    resource_limits const limits{{memory, 8}, {licence, 1}};
    auto queue = queue_of(limits, {{{licence, 1}}, {{memory, 4}, {licence, 1}}, {{memory, 4}}, {{memory, 1}}, {}});

    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(2));
    EXPECT_EQ(queue.pop(), vertex_id(4));
    EXPECT_EQ(queue.pop(), vertex_id());
    queue.settled(vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(1));
}

TEST(ResourceLimits, ServeRequestsOfSeveralWalksInTheOrderInWhichTheyBeganToWait)
{
    resource_limits const limits{{memory, 2}};
    auto small = queue_of(limits, {{{memory, 1}}, {{memory, 1}}, {{memory, 1}}});
    EXPECT_EQ(small.pop(), vertex_id(0));
    auto large = queue_of(limits, {{{memory, 2}}});

    EXPECT_EQ(small.pop(), vertex_id());
    small.settled(vertex_id(0));
    EXPECT_EQ(small.size(), 0U);
    EXPECT_EQ(large.pop(), vertex_id(0));
    large.settled(vertex_id(0));
    EXPECT_EQ(small.pop(), vertex_id(1));
}

TEST(ResourceLimits, RefuseARequestAboveTheCapacity)
{
    resource_limits const limits{{memory, 2}};

    EXPECT_THAT([&] { (void)queue_of(limits, {{{memory, 3}}}); },
        testing::ThrowsMessage<std::invalid_argument>(
            "a vertex requests 3 units of the resource 1, whose capacity is 2: it could never start"));
    EXPECT_THAT([&] { (void)queue_of(limits, {{{licence, 1}}}); },
        testing::ThrowsMessage<std::invalid_argument>(
            "a vertex requests the resource 2, which has no capacity: state it in "
            "resource_limits, or by set_capacity"));
}

TEST(ResourceLimits, ReturnTheUnitsOfAQueueThatIsDestroyed)
{
    resource_limits const limits{{memory, 2}};
    {
        auto queue = queue_of(limits, {{{memory, 1}}, {{memory, 1}}});
        EXPECT_EQ(queue.pop(), vertex_id(0));
        EXPECT_EQ(queue.pop(), vertex_id(1));
    }

    EXPECT_EQ(limits.in_use(memory), 0U);
}

TEST(ResourceLimits, WakeAQueueWhenUnitsReturnOrTheCapacityIsRaised)
{
    resource_limits limits{{memory, 1}};
    auto first = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(first.pop(), vertex_id(0));
    auto second = queue_of(limits, {{{memory, 1}}, {{memory, 1}}});
    int calls = 0;
    second.set_waker([&] { ++calls; });
    EXPECT_EQ(second.size(), 0U);

    first.settled(vertex_id(0));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(second.pop(), vertex_id(0));
    EXPECT_EQ(second.size(), 0U);
    limits.set_capacity(memory, 2);

    EXPECT_EQ(calls, 2);
    EXPECT_EQ(second.pop(), vertex_id(1));
}

TEST(ResourceLimits, EndAWalkWithARequestAboveALoweredCapacity)
{
    auto const g = independent(2);
    resource_limits limits{{memory, 2}};
    asio::io_context context;
    walk_report report;

    async_walk(
        context, g, [&](vertex_id, int) { limits.set_capacity(memory, 1); },
        walk_options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory, 2}; })},
        [&](error_code, walk_report ended) { report = std::move(ended); });
    context.run();

    EXPECT_EQ(report.error(), walk_errc::policy_threw);
    EXPECT_EQ(report.done(), 1U);
    EXPECT_EQ(limits.in_use(memory), 0U);
}

TEST(ResourceLimits, LimitTheConcurrencyOfAWalkThatRuns)
{
    auto const g = independent(60);
    resource_limits limits{{0, 1}};
    asio::thread_pool pool(4);
    std::atomic<int> running = 0, most_before = 0, most_after = 0;

    walk_report const report = walk(
        pool.get_executor(), g,
        [&](vertex_id v, int) {
            int const now = ++running;
            std::atomic<int>& most = limits.capacity(0) == 1 ? most_before : most_after;
            if (now > most) most = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            --running;
            if (v.index() == 20) limits.set_capacity(0, 3);
        },
        walk_options{.granularity = visit_granularity::coarse,
            .ready = resource_pools(limits, [](vertex_id) { return resource_request{0}; })});

    EXPECT_EQ(report.done(), 60U);
    EXPECT_EQ(most_before, 1);
    EXPECT_GT(most_after, 1);
    EXPECT_LE(most_after, 3);
}

TEST(ResourceLimits, StartVerticesOfAPausedWalkWhenAnotherThreadRaisesTheCapacity)
{
    auto const g = independent(5);
    resource_limits limits{{memory, 0}};
    asio::thread_pool pool(2);
    std::thread raising([limits]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        limits.set_capacity(memory, 1);
    });

    walk_report const report = walk(
        pool.get_executor(), g, [](vertex_id, int) {},
        walk_options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })});
    raising.join();

    EXPECT_EQ(report.done(), 5U);
}

TEST(ResourceLimits, DoNotKeepACancelledWalkWaitingForAnotherOne)
{
    auto const g = independent(5);
    resource_limits const limits{{memory, 1}};
    auto holder = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(holder.pop(), vertex_id(0));
    asio::io_context context;
    asio::cancellation_signal stop;
    walk_report report;
    bool ended = false;

    async_walk(
        context, g, [](vertex_id, int) {},
        walk_options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })},
        asio::bind_cancellation_slot(stop.slot(), [&](error_code, walk_report all) {
            report = std::move(all);
            ended = true;
        }));
    while (context.poll() != 0) {}
    EXPECT_FALSE(ended);
    stop.emit(asio::cancellation_type::partial);
    context.run();

    EXPECT_TRUE(ended);
    EXPECT_EQ(report.cancelled(), 5U);
    EXPECT_EQ(limits.in_use(memory), 1U);
}

TEST(ResourceLimits, EndAWaitingWalkAtItsTimeout)
{
    auto const g = independent(3);
    resource_limits const limits{{memory, 0}};
    asio::thread_pool pool(1);
    walk_options options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })};
    options.timeout = std::chrono::milliseconds(20);
    auto const awaiting = [](vertex_id, int) -> asio::awaitable<void> { co_return; };

    walk_report const plain = walk(pool, g, [](vertex_id, int) {}, options);
    walk_report const awaited = walk(pool, g, awaiting, options);
    walk_report const on_strand = walk(asio::make_strand(pool), g, awaiting, options);

    for (walk_report const* const each : {&plain, &awaited, &on_strand}) {
        EXPECT_EQ(each->error(), walk_errc::timed_out);
        EXPECT_EQ(each->cancelled(), 3U);
    }
}

TEST(ResourceLimits, EndAWaitingWalkAtItsTimeoutInVirtualTime)
{
    auto const g = independent(3);
    resource_limits const limits{{memory, 0}};
    sim::manual_context world;
    walk_options options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })};
    options.timeout = std::chrono::hours(2);
    std::chrono::nanoseconds ended{};

    async_walk(
        world, g, [](vertex_id, int) {}, options,
        [&](error_code, walk_report const&) { ended = world.now().time_since_epoch(); });
    world.run();

    EXPECT_EQ(ended, std::chrono::hours(2));
}

TEST(ResourceLimits, EndAWalkThatWaitedAsSoonAsItCompletesBeforeItsTimeout)
{
    auto const g = independent(3);
    resource_limits limits{{memory, 0}};
    sim::manual_context world;
    walk_options options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })};
    options.timeout = std::chrono::hours(2);
    walk_report report;

    async_walk(world, g, [](vertex_id, int) {}, options, [&](error_code, walk_report all) { report = std::move(all); });
    world.run_for(std::chrono::hours(1));
    limits.set_capacity(memory, 1);
    world.run();

    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(world.now().time_since_epoch(), std::chrono::hours(1));
}

// Starts walks that wait for a unit of `limits`, with copies of `owner` in their visitors and handlers.
template <class Context>
void start_waiting_walks(
    Context& context, dag<int> const& g, resource_limits const& limits, std::shared_ptr<int> const& owner)
{
    auto const options =
        walk_options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{memory}; })};
    for (int i = 0; i < 3; ++i)
        async_walk(
            context, g, [owner](vertex_id, int) {}, options, [owner](error_code, walk_report const&) { ++*owner; });
}

TEST(ResourceLimits, AreLeftByAWaitingWalkWhoseContextIsDestroyed)
{
    auto const g = independent(3);
    resource_limits const limits{{memory, 1}};
    auto holder = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(holder.pop(), vertex_id(0));
    auto const calls = std::make_shared<int>(0);

    {
        asio::io_context context;
        start_waiting_walks(context, g, limits, calls);
        while (context.poll() != 0) {}
        sim::manual_context world;
        start_waiting_walks(world, g, limits, calls);
        world.run();
        EXPECT_GT(calls.use_count(), 1);
    }

    EXPECT_EQ(calls.use_count(), 1);
    EXPECT_EQ(*calls, 0);
    holder.settled(vertex_id(0));
    auto next = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(next.pop(), vertex_id(0)) << "no request of a destroyed walk is before it in the line";
}

// Several walks at once, on several executors, by all kinds of visitors; some visits fail, some walks are cancelled or time out.
TEST(ResourceLimits, ReturnEveryUnitOfWalksThatShareThem)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 60; ++round) {
        auto const g = independent(40);
        resource_limits limits{{memory, 3}, {licence, 2}};
        std::atomic<int> in_memory = 0, in_licence = 0, excess = 0, ended = 0;
        auto const request_of = [](vertex_id v) -> requests {
            switch (v.index() % 4) {
            case 0: return {{memory, 3}};
            case 1: return {{memory, 1}, {licence, 1}};
            case 2: return {{licence, 2}, {memory, 1}};
            default: return {};
            }
        };
        auto const count = [&](vertex_id v, int sign) {
            for (resource_request const& each : request_of(v)) {
                bool const is_memory = each.resource == memory;
                int const now = (is_memory ? in_memory : in_licence) += sign * static_cast<int>(each.units);
                if (now > (is_memory ? 3 : 2)) ++excess;
            }
        };
        auto const plain = [&](vertex_id v, int) {
            count(v, 1);
            std::this_thread::yield();
            count(v, -1);
            if (v.index() % 7 == 0) throw std::runtime_error("fails");
        };
        auto const awaiting = [&](vertex_id v, int) -> asio::awaitable<void> {
            count(v, 1);
            co_await asio::post(asio::use_awaitable);
            count(v, -1);
        };
        auto const by_handle = [&](vertex_id v, int, visit_handle done) {
            count(v, 1);
            count(v, -1);
            done();
        };
        asio::thread_pool two(2), one(1), three(2);
        asio::cancellation_signal stop;
        auto const options = [&] { return walk_options{.ready = resource_pools(limits, request_of)}; };
        auto timed = options();
        timed.timeout = std::chrono::microseconds(random() % 500);
        auto const handler = [&](error_code, walk_report const& report) {
            if (report.size() == 40) ++ended;
        };

        async_walk(two, g, plain, options(), handler);
        async_walk(one, g, awaiting, options(), handler);
        async_walk(three, g, by_handle, options(), handler);
        async_walk(asio::make_strand(three), g, awaiting, timed, handler);
        auto const strand = asio::make_strand(two);
        async_walk(strand, g, awaiting, options(),
            asio::bind_executor(strand, asio::bind_cancellation_slot(stop.slot(), handler)));
        asio::post(strand, [&] { stop.emit(asio::cancellation_type::terminal); });
        limits.set_capacity(licence, 0);
        limits.set_capacity(licence, 2);
        one.join();
        two.join();
        three.join();

        ASSERT_EQ(ended, 5);
        ASSERT_EQ(excess, 0);
        ASSERT_EQ(limits.in_use(memory), 0U);
        ASSERT_EQ(limits.in_use(licence), 0U);
    }
}

TEST(ResourceLimits, AreNotHeldByACopyOfAQueue)
{
    resource_limits const limits{{licence, 1}};
    auto queue = std::make_unique<decltype(queue_of(limits, {}))>(queue_of(limits, {{{licence, 1}}, {{licence, 1}}}));
    EXPECT_EQ(queue->pop(), vertex_id(0));

    auto copy = *queue;
    queue.reset();

    EXPECT_EQ(copy.waiting(), 0U);
    EXPECT_EQ(limits.in_use(licence), 0U);
    copy.reset(2);
    copy.push(vertex_id(1));
    EXPECT_EQ(copy.pop(), vertex_id(1));
    EXPECT_EQ(limits.in_use(licence), 1U);
}

// Requests need limits, in which their resources are.
TEST(ResourceLimits, TellHowManyVerticesCanStart)
{
    resource_limits const limits{{memory, 2}};
    auto queue = queue_of(limits, {{{memory, 1}}, {{memory, 1}}, {{memory, 1}}});

    EXPECT_EQ(queue.size(), 2U);
    EXPECT_EQ(queue.waiting(), 3U);
}

TEST(ResourceLimits, KeepTheSumOfEqualResourcesOfARequestWithinTheRangeOfUnits)
{
    constexpr auto all = std::numeric_limits<std::uint32_t>::max();
    resource_limits const limits{{memory, all}};
    auto queue = queue_of(limits, {{{memory, all}, {memory, 2}}});

    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(limits.in_use(memory), all);
}

TEST(ResourceLimits, WakeAQueueOnceUntilItLooks)
{
    resource_limits const limits{{memory, 2}};
    auto first = queue_of(limits, {{{memory, 1}}, {{memory, 1}}});
    EXPECT_EQ(first.pop(), vertex_id(0));
    EXPECT_EQ(first.pop(), vertex_id(1));
    auto second = queue_of(limits, {{{memory, 2}}});
    int calls = 0;
    second.set_waker([&] { ++calls; });
    EXPECT_EQ(second.size(), 0U);

    first.settled(vertex_id(0));
    first.settled(vertex_id(1));

    EXPECT_EQ(calls, 1);
    EXPECT_EQ(second.pop(), vertex_id(0));
}

TEST(ResourceLimits, DoNotWakeAQueueWithoutVerticesThatWait)
{
    resource_limits limits{{memory, 1}};
    auto queue = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(queue.pop(), vertex_id(0));
    int calls = 0;
    queue.set_waker([&] { ++calls; });

    limits.set_capacity(memory, 2);

    EXPECT_EQ(calls, 0);
}

TEST(ResourceLimits, PutAVertexIntoTheLineIfAnotherWalkHasTakenItsUnits)
{
    resource_limits const limits{{memory, 1}};
    auto overtaken = queue_of(limits, {{{memory, 1}}});
    auto first = queue_of(limits, {{{memory, 1}}});
    EXPECT_EQ(first.pop(), vertex_id(0));

    EXPECT_EQ(overtaken.pop(), vertex_id());
    auto last = queue_of(limits, {{{memory, 1}}});
    first.settled(vertex_id(0));

    EXPECT_EQ(last.pop(), vertex_id());
    EXPECT_EQ(overtaken.pop(), vertex_id(0));
}

using request_function = auto (*)(vertex_id) -> resource_request;
using pool_function = auto (*)(vertex_id) -> resource_pool;
static_assert(!std::constructible_from<resource_pools<request_function>, request_function>);
static_assert(std::constructible_from<resource_pools<request_function>, resource_limits, request_function>);
static_assert(std::constructible_from<resource_pools<pool_function>, pool_function>);
static_assert(std::copyable<resource_pools<pool_function>>);

}  // namespace
}  // namespace strider::test
