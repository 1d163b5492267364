// SPDX-License-Identifier: BSL-1.0
// The handler of a walk is the last function that has to do with it: nothing of the walk is left, wherever its functions
// were queued.
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walker.hpp>

#include <support/counting_allocator.hpp>
#include <support/places.hpp>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test::ends {
namespace {

// Three chains.
auto chains(std::size_t size) -> dag<int>
{
    digraph<int> draft;
    std::vector<draft_vertex_id> ids;
    for (std::size_t i = 0; i < size; ++i) ids.push_back(draft.add_vertex(0));
    for (std::size_t i = 3; i < size; ++i) draft.add_edge(ids[i], depends_on(ids[i - 3]));
    return freeze(std::move(draft)).value();
}

// Visits some of which suspend. All copies share `life`.
struct suspending_visits {
    std::shared_ptr<int> life;

    auto operator()(vertex_id v, int const&) const -> asio::awaitable<void>
    {
        if (v.index() % 3 != 0) co_return;
        auto const executor = co_await asio::this_coro::executor;
        auto queued = asio::post(executor, asio::deferred);
        co_await std::move(queued);
    }
};
struct visits_by_handle {
    std::shared_ptr<int> life;

    void operator()(vertex_id v, int const&, visit_handle done) const
    {
        if (v.index() % 3 != 0) return std::move(done)(visit_outcome());
        auto const executor = done.get_executor();
        asio::post(executor, [done = std::move(done)]() mutable { std::move(done)(visit_outcome()); });
    }
};
struct plain_visits {
    std::shared_ptr<int> life;

    void operator()(vertex_id, int const&) const {}
};

// Walks in a stepped context, and checks in the handler that memory and visitor of the walk are gone.
template <class Visits, class Options, class Place = decltype(directly)>
void expect_nothing_left(Options const& options, bool never_blocking, Place place = directly)
{
    auto const graph = chains(9);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const memory = std::make_shared<allocation_counts>();
        auto life = std::make_shared<int>();
        std::weak_ptr<int> const visitor = life;
        int calls = 0;
        sim::manual_context world(seed);
        auto handler = asio::bind_allocator(
            counting_allocator<int>(memory), [&](error_code const& error, walk_report const& report) {
                ++calls;
                EXPECT_FALSE(error);
                EXPECT_EQ(report.done(), 9U);
                EXPECT_EQ(memory->alive, 0) << "seed " << seed;
                EXPECT_TRUE(visitor.expired()) << "seed " << seed;
            });
        if (never_blocking)
            async_walk(place(asio::require(world.get_executor(), asio::execution::blocking.never)), graph,
                Visits{std::move(life)}, options, std::move(handler));
        else async_walk(place(world.get_executor()), graph, Visits{std::move(life)}, options, std::move(handler));
        world.run();
        EXPECT_EQ(calls, 1) << "seed " << seed;
    }
}

template <class Visits>
class EndOfAWalk : public testing::Test {};
using kinds_of_visits = testing::Types<plain_visits, suspending_visits, visits_by_handle>;
TYPED_TEST_SUITE(EndOfAWalk, kinds_of_visits);

TYPED_TEST(EndOfAWalk, LeavesNothingToTheHandler)
{
    expect_nothing_left<TypeParam>(walk_options<>{}, false);
    expect_nothing_left<TypeParam>(walk_options<fifo>{}, false);
    expect_nothing_left<TypeParam>(walk_options<>{}, false, on_strand);
    expect_nothing_left<TypeParam>(walk_options<fifo>{}, false, on_strand);
}

TYPED_TEST(EndOfAWalk, LeavesNothingToTheHandlerOnAnExecutorThatNeverBlocks)
{
    expect_nothing_left<TypeParam>(walk_options<>{}, true);
    expect_nothing_left<TypeParam>(walk_options<fifo>{}, true);
    expect_nothing_left<TypeParam>(walk_options<>{}, true, on_strand);
    expect_nothing_left<TypeParam>(walk_options<fifo>{}, true, on_strand);
}

TYPED_TEST(EndOfAWalk, LeavesNothingToTheHandlerInThreads)
{
    auto const graph = chains(24);
    asio::thread_pool pool(3);
    for (int i = 0; i < 1000; ++i) {
        auto const memory = std::make_shared<allocation_counts>();
        std::atomic<int> left{-1};
        async_walk(pool.get_executor(), graph, TypeParam{std::make_shared<int>()}, walk_options<fifo>{},
            asio::bind_executor(
                asio::system_executor(), asio::bind_allocator(counting_allocator<int>(memory), [&](auto const&...) {
                    left = static_cast<int>(memory->alive);
                    left.notify_one();
                })));
        left.wait(-1);
        ASSERT_EQ(left, 0) << "walk " << i;
    }
    pool.join();
}

TYPED_TEST(EndOfAWalk, IsBeforeACancellationThatItsHandlerRequests)
{
    auto const graph = chains(9);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        sim::manual_context world(seed);
        walker walks(world, graph, TypeParam{}, walk_options<fifo>{});
        walks.async_run([&](error_code const&, walk_report const&) { walks.cancel(asio::cancellation_type::partial); });
        world.run();
        std::size_t cancelled = 0;
        walks.async_run([&](error_code const&, walk_report const& report) { cancelled = report.cancelled(); });
        world.run();
        EXPECT_EQ(cancelled, 9U) << "seed " << seed;
    }
}

// An allocator that fails.
template <class T>
struct no_memory {
    using value_type = T;
    no_memory() = default;
    template <class U>
    no_memory(no_memory<U> const&) noexcept  // NOLINT(google-explicit-constructor): rebinding
    {}
    [[nodiscard]] static auto allocate(std::size_t) -> T* { throw std::bad_alloc(); }
    static void deallocate(T*, std::size_t) noexcept {}
    template <class U>
    auto operator==(no_memory<U> const&) const noexcept -> bool
    {
        return true;
    }
};

template <class Options>
void expect_whole_run_after_a_partial_one_that_did_not_start(Options const& options)
{
    auto const graph = chains(9);
    asio::thread_pool pool(2);
    std::atomic<int> visits{0};
    walker walks(pool, graph, [&](vertex_id, int const&) { ++visits; }, options);
    std::vector<vertex_id> const changed{vertex_id(5)};
    for (int i = 0; i < 3; ++i) {
        auto const refused = [] {
            return asio::bind_allocator(
                no_memory<int>(), [](error_code const&, walk_report const&) { ADD_FAILURE() << "called"; });
        };
        EXPECT_THROW(walks.async_run(changed, refused()), std::bad_alloc);
        visits = 0;
        EXPECT_EQ(walks.run().unchanged(), 0U);
        EXPECT_EQ(visits, 9);

        EXPECT_THROW(walks.async_run(changed, refused()), std::bad_alloc);
        visits = 0;
        EXPECT_EQ(walks.run(changed).unchanged(), 7U);
        EXPECT_EQ(visits, 2);
    }
}

TEST(PartialRunThatDidNotStart, HasNoEffectOnTheNextRun)
{
    expect_whole_run_after_a_partial_one_that_did_not_start(walk_options<>{});
    expect_whole_run_after_a_partial_one_that_did_not_start(walk_options<fifo>{});
}

template <class Options, class Place = decltype(directly)>
void expect_no_visit_after_the_timeout(Options options, unsigned threads, Place place = directly)
{
    auto const graph = chains(600);
    asio::thread_pool pool(threads);
    auto const run = [&](auto const& visit) { return walk(place(pool.get_executor()), graph, visit, options); };

    options.timeout = std::chrono::seconds(0);
    std::atomic<int> visits{0};
    EXPECT_EQ(run([&](vertex_id, int const&) { ++visits; }).cancelled(), 600U);
    EXPECT_EQ(visits, 0);

    // Short visits, of which one takes longer than the timeout.
    options.timeout = std::chrono::milliseconds(20);
    std::atomic<bool> is_late{false};
    std::atomic<int> late{0};
    (void)run([&](vertex_id v, int const&) {
        if (is_late) ++late;
        if (v.index() != 300) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        is_late = true;
    });
    EXPECT_EQ(late, 0);
}

TEST(Timeout, StartsNoVisitOnceItHasPassed)
{
    expect_no_visit_after_the_timeout(walk_options<>{}, 1);
    expect_no_visit_after_the_timeout(walk_options<>{}, 2);
    expect_no_visit_after_the_timeout(walk_options<>{.granularity = visit_granularity::coarse}, 1);
    expect_no_visit_after_the_timeout(walk_options<fifo>{}, 1);
    expect_no_visit_after_the_timeout(walk_options<>{}, 1, on_strand);
    expect_no_visit_after_the_timeout(walk_options<fifo>{}, 1, on_strand);
}

}  // namespace
}  // namespace strider::test::ends
