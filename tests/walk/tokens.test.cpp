// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/counting_allocator.hpp>
#include <walk/worlds.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace strider::test {
namespace {

template <class World>
using WalkToken = in_world<World>;
TYPED_TEST_SUITE(WalkToken, executors);

auto const throwing = [](vertex_id, std::string const&) { throw 1; };

TEST(WalkFuture, HoldsTheReport)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);

    auto future = async_walk(pool.get_executor(), g, nothing, {}, asio::use_future);

    EXPECT_EQ(future.get().done(), 2U);
}

TEST(WalkFuture, ThrowsTheErrorCode)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);

    auto future = async_walk(pool.get_executor(), g, throwing, {}, asio::use_future);

    EXPECT_THROW((void)future.get(), boost::system::system_error);
}

TEST(WalkArguments, OptionsAndTokenMayEachBeLeftOut)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);
    auto const executor = pool.get_executor();
    walk_options const in_order{.ready = fifo()};
    std::atomic<int> calls{0};
    auto const handler = [&](error_code error, walk_report const& report) {
        if (!error && report.done() == 2) ++calls;
    };
    auto const launch = [&](auto walking) {
        std::move(walking)([&](std::tuple<error_code, walk_report> const& end) { std::apply(handler, end); });
    };

    EXPECT_EQ(async_walk(executor, g, nothing, asio::use_future).get().done(), 2U);
    EXPECT_EQ(async_walk(executor, g, nothing, {.max_concurrency = 1}, asio::use_future).get().done(), 2U);
    EXPECT_EQ(async_walk(executor, g, nothing, in_order, asio::use_future).get().done(), 2U);
    EXPECT_EQ(async_walk(pool, g, nothing, asio::use_future).get().done(), 2U);
    EXPECT_EQ(async_walk(pool, g, nothing, in_order, asio::use_future).get().done(), 2U);
    launch(async_walk(executor, g, nothing));
    launch(async_walk(executor, g, nothing, {.max_concurrency = 1}));
    launch(async_walk(pool, g, nothing, in_order));
    async_walk(pool, g, nothing, handler);
    async_walk(pool, g, awaiting_nothing, asio::bind_executor(executor, handler));
    pool.join();

    EXPECT_EQ(calls, 5);
}

using pool_executor = asio::thread_pool::executor_type;
using awaiting_executor = asio::use_awaitable_t<>::executor_with_default<pool_executor>;
using plain_function = void (*)(vertex_id, std::string const&);

static_assert(std::same_as<default_walk_token_t<pool_executor>, asio::as_tuple_t<asio::deferred_t>>);

// The token of executors since Boost 1.86.
struct executor_with_deferred : pool_executor {
    using default_completion_token_type = asio::deferred_t;
};
static_assert(std::same_as<default_walk_token_t<executor_with_deferred>, asio::as_tuple_t<asio::deferred_t>>);
static_assert(std::same_as<decltype(async_walk(std::declval<awaiting_executor>(), std::declval<text_frozen const&>(),
                               std::declval<plain_function>())),
    asio::awaitable<walk_report>>);

TEST(WalkDefaultToken, IsThatOfTheExecutor)
{
    auto const g = frozen("b: a\nc");
    asio::thread_pool pool(2);
    awaiting_executor const executor(pool.get_executor());

    auto future = asio::co_spawn(
        pool,
        [&]() -> asio::awaitable<std::size_t> {
            walk_report const report = co_await async_walk(executor, g, nothing);
            co_return report.done();
        },
        asio::use_future);

    EXPECT_EQ(future.get(), 3U);
}

TEST(WalkContext, IsWalkedOnByItsExecutor)
{
    auto const g = frozen("b: a\nc");
    asio::thread_pool pool(2);
    std::atomic<int> outside = 0;
    auto const visit = [&](vertex_id, std::string const&) {
        if (!pool.get_executor().running_in_this_thread()) ++outside;
    };

    EXPECT_EQ(async_walk(pool, g, visit, {}, asio::use_future).get().done(), 3U);
    EXPECT_EQ(walk(pool, g, visit).done(), 3U);
    EXPECT_EQ(walk(pool, g, visit, {.max_concurrency = 1}).done(), 3U);

    EXPECT_EQ(outside, 0);
}

TYPED_TEST(WalkToken, RedirectErrorKeepsTheReportOfAFailure)
{
    auto const g = frozen("b: a\nc");
    error_code error;
    std::size_t failed = 0;
    std::promise<void> done;

    asio::co_spawn(
        this->here.executor(),
        [&]() -> asio::awaitable<void> {
            auto const executor = co_await asio::this_coro::executor;
            auto walking = async_walk(executor, g, throwing, {}, asio::redirect_error(asio::use_awaitable, error));
            walk_report const report = co_await std::move(walking);
            failed = report.failed();
            done.set_value();
        },
        asio::detached);
    this->here.finish(done.get_future());

    EXPECT_EQ(error, walk_errc::vertex_failed);
    EXPECT_EQ(failed, 2U);
}

TYPED_TEST(WalkToken, DeferredThrowsAnError)
{
    auto const g = frozen("b: a");
    bool thrown = false;
    std::promise<void> done;

    asio::co_spawn(
        this->here.executor(),
        [&]() -> asio::awaitable<void> {
            auto const executor = co_await asio::this_coro::executor;
            auto walking = async_walk(executor, g, throwing, {}, asio::deferred);
            try {
                (void)co_await std::move(walking);
            } catch (boost::system::system_error const& error) {
                thrown = error.code() == walk_errc::vertex_failed;
            }
            done.set_value();
        },
        asio::detached);
    this->here.finish(done.get_future());

    EXPECT_TRUE(thrown);
}

TEST(WalkDetached, WalksToTheEnd)
{
    auto const g = frozen("b: a\nc");
    std::atomic<int> visits = 0;
    asio::thread_pool pool(2);

    async_walk(pool, g, [&](vertex_id, std::string const&) { ++visits; }, {}, asio::detached);
    pool.join();

    EXPECT_EQ(visits, 3);
}

TEST(WalkCallback, CanBeMoveOnly)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(1);
    std::promise<std::size_t> ended;
    auto future = ended.get_future();

    async_walk(pool, g, nothing, {},
        [end = std::make_unique<std::promise<std::size_t>>(std::move(ended))](
            error_code, walk_report const& report) { end->set_value(report.done()); });

    EXPECT_EQ(future.get(), 2U);
}

// Executors that can post, in all forms that properties permit.
TEST(WalkExecutor, CanBeAnyExecutorThatPosts)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);
    auto const pooled = pool.get_executor();
    auto const done_on = [&](auto const& executor) {
        return async_walk(executor, g, nothing, {}, asio::use_future).get().done();
    };

    EXPECT_EQ(done_on(pooled), 2U);
    EXPECT_EQ(done_on(asio::any_io_executor(pooled)), 2U);
    EXPECT_EQ(done_on(asio::make_strand(pooled)), 2U);
    EXPECT_EQ(done_on(asio::require(pooled, asio::execution::blocking.never)), 2U);
    EXPECT_EQ(done_on(asio::require(pooled, asio::execution::blocking.always)), 2U);
    EXPECT_EQ(done_on(asio::prefer(pooled, asio::execution::outstanding_work.tracked)), 2U);
    EXPECT_EQ(done_on(asio::system_executor()), 2U);
}

// The minimum that the constraint requires.
struct posting_only {
    asio::thread_pool* pool;

    template <class F>
    void execute(F f) const
    {
        asio::post(*pool, std::move(f));
    }
    [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> posting_only { return *this; }
    auto operator==(posting_only const&) const noexcept -> bool = default;
};
static_assert(walk_executor<posting_only> && !walk_executor<asio::any_completion_executor>);

TEST(WalkExecutor, NeedsOnlyToPost)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);

    EXPECT_EQ(async_walk(posting_only{&pool}, g, nothing, {}, asio::use_future).get().done(), 2U);
    EXPECT_EQ(walk(posting_only{&pool}, g, nothing).done(), 2U);
}

TYPED_TEST(WalkToken, DefaultCanBeAwaitedAndKeepsTheReportOfAFailure)
{
    auto const g = frozen("b: a\nc");
    std::optional<std::tuple<error_code, walk_report>> seen;
    std::promise<void> done;

    asio::co_spawn(
        this->here.executor(),
        [&]() -> asio::awaitable<void> {
            auto const executor = this->here.executor();
            auto walking = async_walk(executor, g, throwing);
            seen = co_await std::move(walking);
            done.set_value();
        },
        asio::detached);
    this->here.finish(done.get_future());

    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(std::get<0>(*seen), walk_errc::vertex_failed);
    EXPECT_EQ(std::get<1>(*seen).failed(), 2U);
    EXPECT_EQ(std::get<1>(*seen).skipped(), 1U);
}

TYPED_TEST(WalkToken, UseAwaitableReturnsTheReport)
{
    auto const g = frozen("b: a\nc");
    std::size_t visited = 0;
    std::promise<void> done;

    asio::co_spawn(
        this->here.executor(),
        [&]() -> asio::awaitable<void> {
            auto const executor = co_await asio::this_coro::executor;
            walk_options<> const options{.max_concurrency = 2};
            walk_report const report = co_await async_walk(executor, g, nothing, options, asio::use_awaitable);
            visited = report.done();
            done.set_value();
        },
        asio::detached);
    this->here.finish(done.get_future());

    EXPECT_EQ(visited, 3U);
}

TYPED_TEST(WalkToken, CancellationOfTheAwaitingCoroutineReachesTheWalk)
{
    auto const g = frozen("a\nb: a");
    asio::cancellation_signal signal;
    std::optional<error_code> seen;
    std::promise<void> done;

    asio::co_spawn(
        this->here.home,
        [&]() -> asio::awaitable<void> {
            co_await asio::this_coro::throw_if_cancelled(false);
            auto const executor = this->here.executor();
            auto visitor = [&](vertex_id, std::string const&) -> asio::awaitable<void> {
                typename TypeParam::timer_type timer(co_await asio::this_coro::executor, std::chrono::hours(1));
                asio::post(this->here.home, [&] { signal.emit(asio::cancellation_type::terminal); });
                co_await timer.async_wait(asio::use_awaitable);
            };
            auto walking = async_walk(executor, g, visitor);
            auto const result = co_await std::move(walking);
            seen = std::get<0>(result);
            done.set_value();
        },
        asio::bind_cancellation_slot(signal.slot(), asio::detached));
    this->here.finish(done.get_future());

    EXPECT_EQ(seen, error_code(walk_errc::cancelled));
}

TYPED_TEST(WalkToken, CallsTheHandlerOnItsAssociatedExecutor)
{
    auto const g = frozen("b: a");
    asio::thread_pool other(1);
    std::promise<bool> inside;

    async_walk(this->here.executor(), g, nothing, {},
        asio::bind_executor(other.get_executor(),
            [&](error_code, walk_report const&) { inside.set_value(other.get_executor().running_in_this_thread()); }));
    if constexpr (std::is_base_of_v<manual_world, TypeParam>) this->here.context.run();
    else this->here.pool.join();  // its threads use `other` until then

    EXPECT_TRUE(inside.get_future().get());
}

TYPED_TEST(WalkToken, KeepsWorkOutstandingOnTheExecutorOfTheHandler)
{
    auto const g = frozen("a");
    asio::thread_pool other(1);
    std::atomic<bool> called = false;

    async_walk(this->here.executor(), g, nothing, {},
        asio::bind_executor(other.get_executor(), [&](error_code, walk_report const&) { called = true; }));
    if constexpr (std::is_base_of_v<manual_world, TypeParam>) this->here.context.run();
    other.join();
    if constexpr (!std::is_base_of_v<manual_world, TypeParam>) this->here.pool.join();  // its threads use `other`

    EXPECT_TRUE(called);
}

template <class Visitor, class Options = walk_options<>, class Place = decltype(directly)>
void expect_memory_given_back_before_the_handler(Visitor visitor, Options options = {}, Place place = directly)
{
    options.timeout = std::chrono::hours(1);
    auto const g = frozen("b: a\nc: a\nd: b c");
    auto const counts = std::make_shared<allocation_counts>();
    sim::manual_context context;
    std::optional<std::ptrdiff_t> alive_in_handler;

    async_walk(place(context.get_executor()), g, visitor, options,
        asio::bind_allocator(counting_allocator<int>(counts),
            asio::bind_executor(context.get_executor(),
                [&](error_code, walk_report const&) { alive_in_handler = counts->alive.load(); })));
    context.run();

    EXPECT_GE(counts->made, 1U);
    EXPECT_LE(counts->made, 2U);  // the operation, and the call of the handler
    EXPECT_EQ(alive_in_handler, 0);
    EXPECT_EQ(counts->alive, 0);
}

TEST(WalkAllocator, AllocatesTheOperationAndFreesItBeforeTheHandlerRuns)
{
    expect_memory_given_back_before_the_handler(nothing);
    expect_memory_given_back_before_the_handler(nothing, walk_options<fifo>());
    expect_memory_given_back_before_the_handler(nothing, walk_options<>(), on_strand);
    expect_memory_given_back_before_the_handler(nothing, walk_options<fifo>(), on_strand);
}

TEST(WalkAllocator, FreesTheOperationWhileLanesUnwind)
{
    expect_memory_given_back_before_the_handler(
        [](vertex_id, std::string const&) -> asio::awaitable<void> { co_await asio::post(asio::use_awaitable); });
}

TEST(WalkAllocator, FreesTheOperationAfterHandles)
{
    expect_memory_given_back_before_the_handler([](vertex_id, auto const&, visit_handle handle) { handle(); });
}

TEST(WalkInitiation, DoesNothingUntilADeferredWalkIsLaunched)
{
    auto const g = frozen("a");
    sim::manual_context context;
    int visits = 0;
    int calls = 0;

    auto deferred = async_walk(context.get_executor(), g, [&](vertex_id, std::string const&) { ++visits; });
    context.run();
    int const visits_before = visits;
    std::move(deferred)([&](std::tuple<error_code, walk_report> const&) { ++calls; });
    int const calls_at_launch = calls;
    context.run();

    EXPECT_EQ(visits_before, 0);
    EXPECT_EQ(calls_at_launch, 0);
    EXPECT_EQ(visits, 1);
    EXPECT_EQ(calls, 1);
}

TEST(WalkInitiation, RunsOnAnErasedExecutorAndOnAStrand)
{
    auto const g = frozen("b: a");
    sim::manual_context context;
    std::size_t done = 0;
    auto const count = [&](error_code, walk_report const& report) { done += report.done(); };
    auto const coroutine = [](vertex_id, std::string const&) -> asio::awaitable<void> { co_return; };

    async_walk(asio::any_io_executor(context.get_executor()), g, nothing, {}, count);
    async_walk(asio::any_io_executor(context.get_executor()), g, coroutine, {}, count);
    async_walk(asio::make_strand(context.get_executor()), g, nothing, {}, count);
    async_walk(asio::make_strand(context.get_executor()), g, coroutine, {}, count);
    context.run();

    EXPECT_EQ(done, 8U);
}

TEST(WalkInitiation, DestroysTheHandlerWithoutACallIfTheContextIsDestroyedAtAnyStep)
{
    auto const g = frozen("b: a\nc: a\nd: b\ne: c");
    auto const crash = [&](auto visitor, std::uint64_t seed, int steps) {
        auto const token = std::make_shared<int>();
        {
            sim::manual_context context(seed);
            async_walk(context.get_executor(), g, visitor, walk_options<>{.max_concurrency = 2},
                [token](error_code, walk_report const&) {});
            for (int i = 0; i < steps; ++i) context.run_one();
        }
        return token.use_count();
    };

    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        for (int steps = 0; steps < 40; ++steps) {
            EXPECT_EQ(crash(nothing, seed, steps), 1);
            EXPECT_EQ(crash(
                          [](vertex_id, std::string const&) -> asio::awaitable<void> {
                              auto const executor = co_await asio::this_coro::executor;
                              sim::virtual_timer timer(executor, std::chrono::seconds(1));
                              co_await timer.async_wait(asio::use_awaitable);
                          },
                          seed, steps),
                1);
            EXPECT_EQ(crash(
                          [](vertex_id, auto const&, visit_handle handle) {
                              auto const executor = handle.get_executor();
                              asio::post(executor, std::move(handle));
                          },
                          seed, steps),
                1);
        }
    }
}

}  // namespace
}  // namespace strider::test
