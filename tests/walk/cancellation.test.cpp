// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace strider::test {
namespace {

using asio::cancellation_type;
using std::chrono::hours;
using std::chrono::milliseconds;

class WalkCancellation : public in_each_world {};
INSTANTIATE_TEST_SUITE_P(World, WalkCancellation, world_kinds, [](auto const& kind) { return to_string(kind.param); });

TEST_P(WalkCancellation, PartialStartsNoVisitAndWaitsForRunningVisits)
{
    auto const g = frozen("a\nb: a\nc: b\nd");
    asio::cancellation_signal signal;
    bool ended = false;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            co_await async_emit(here, signal, cancellation_type::partial, asio::use_awaitable);
            timer_type timer(co_await asio::this_coro::executor, milliseconds(20));
            co_await timer.async_wait(asio::use_awaitable);
            ended = true;
        },
        walk_options<>{.max_concurrency = 1}, &signal);

    EXPECT_TRUE(ended);
    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::cancelled);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c", "d"}), "done cancelled cancelled cancelled");
}

TEST_P(WalkCancellation, PartialReportsSuccessIfAllVisitsHaveStarted)
{
    auto const g = frozen("a");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            co_await async_emit(here, signal, cancellation_type::partial, asio::use_awaitable);
        },
        {}, &signal);

    EXPECT_FALSE(end.error);
    EXPECT_EQ(end.report.done(), 1U);
}

TEST_P(WalkCancellation, TerminalReachesRunningCoroutinesAndCountsThemAsCancelled)
{
    auto const g = frozen("a\nb: a\nc\nd");
    for (std::uint32_t const limit : {1U, 10U}) {
        any_world world(GetParam());
        asio::cancellation_signal signal;

        auto const end = walk_in(
            world, g,
            [&](vertex_id, std::string const& name) -> asio::awaitable<void> {
                timer_type timer(co_await asio::this_coro::executor, hours(24));
                if (name == "a") co_await async_emit(world, signal, cancellation_type::terminal, asio::use_awaitable);
                co_await timer.async_wait(asio::use_awaitable);
            },
            walk_options<>{.max_concurrency = limit}, &signal);

        EXPECT_EQ(end.calls, 1);
        EXPECT_EQ(end.error, walk_errc::cancelled);
        EXPECT_EQ(end.report.cancelled(), 4U);
    }
}

TEST_P(WalkCancellation, TerminalWaitsForVisitsThatIgnoreIt)
{
    auto const g = frozen("a\nb: a");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<visit_outcome> {
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            co_await async_emit(here, signal, cancellation_type::terminal, asio::use_awaitable);
            timer_type timer(co_await asio::this_coro::executor, milliseconds(20));
            co_await timer.async_wait(asio::use_awaitable);
            co_return visit_outcome::done();
        },
        {}, &signal);

    EXPECT_EQ(end.error, walk_errc::cancelled);
    EXPECT_EQ(end.statuses(g, {"a", "b"}), "done cancelled");
}

TEST_P(WalkCancellation, AVisitCanEndInAnotherErrorAfterAStop)
{
    auto const g = frozen("a\nb: a\nc");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<error_code> {
            co_await async_emit(here, signal, cancellation_type::partial, asio::use_awaitable);
            co_return asio::error::broken_pipe;
        },
        walk_options<>{.max_concurrency = 1}, &signal);

    EXPECT_EQ(end.error, walk_errc::vertex_failed);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "failed skipped cancelled");
}

TEST_P(WalkCancellation, AVisitMayEndInTheStandardCodeOfACancellation)
{
    auto const g = frozen("a\nb: a");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<visit_outcome> {
            co_await async_emit(here, signal, cancellation_type::partial, asio::use_awaitable);
            co_return std::make_error_code(std::errc::operation_canceled);
        },
        walk_options<>{.max_concurrency = 1}, &signal);

    EXPECT_EQ(end.error, walk_errc::cancelled);
    EXPECT_EQ(end.statuses(g, {"a", "b"}), "cancelled cancelled");
}

TEST_P(WalkCancellation, AnAbortedVisitWithoutAStopFailed)
{
    auto const g = frozen("a\nb: a");

    auto const end =
        walk_in(here, g, [](vertex_id, std::string const&) -> error_code { return asio::error::operation_aborted; });

    EXPECT_EQ(end.error, walk_errc::vertex_failed);
    EXPECT_EQ(end.statuses(g, {"a", "b"}), "failed skipped");
}

TEST_P(WalkCancellation, TerminalAfterPartialReachesRunningVisits)
{
    auto const g = frozen("a\nb: a");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            timer_type timer(co_await asio::this_coro::executor, hours(24));
            co_await async_emit(here, signal, cancellation_type::partial, asio::use_awaitable);
            co_await async_emit(here, signal, cancellation_type::terminal, asio::use_awaitable);
            co_await timer.async_wait(asio::use_awaitable);
        },
        {}, &signal);

    EXPECT_EQ(end.error, walk_errc::cancelled);
    EXPECT_EQ(end.statuses(g, {"a", "b"}), "cancelled cancelled");
}

TEST_P(WalkCancellation, TotalIsIgnoredAfterAVisitHasStarted)
{
    auto const g = frozen("a\nb: a\nc");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            co_await async_emit(here, signal, cancellation_type::total, asio::use_awaitable);
        },
        walk_options<>{.max_concurrency = 1}, &signal);

    EXPECT_FALSE(end.error);
    EXPECT_EQ(end.report.done(), 3U);
}

TEST_P(WalkCancellation, TerminalReachesHandlesOfVisits)
{
    auto const g = frozen("a\nb: a\nc");
    asio::cancellation_signal signal;

    auto const end = walk_in(
        here, g,
        [&](vertex_id, auto const& name, visit_handle handle) {
            auto const executor = handle.get_executor();
            auto const slot = handle.get_cancellation_slot();
            auto const timer = std::make_shared<timer_type>(executor, hours(24));
            timer->async_wait(asio::bind_cancellation_slot(slot,
                asio::bind_executor(
                    executor, [timer, handle = std::move(handle)](error_code error) mutable { handle(error); })));
            if (name == "a") asio::post(here.home, [&signal] { signal.emit(cancellation_type::terminal); });
        },
        {}, &signal);

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::cancelled);
    EXPECT_EQ(end.report.cancelled(), 3U);
}

TEST_P(WalkCancellation, AHandleCanBeTheCompletionHandlerOfATimer)
{
    auto const g = frozen("a\nb: a");
    asio::cancellation_signal signal;
    timer_type quick(here.home, milliseconds(1));
    timer_type late(here.home, hours(24));

    auto const end = walk_in(
        here, g,
        [&](vertex_id, auto const& name, visit_handle handle) {
            auto* const timer = name == "a" ? &quick : &late;
            timer->async_wait(std::move(handle));
            if (name == "b") asio::post(here.home, [&signal] { signal.emit(cancellation_type::terminal); });
        },
        {}, &signal);

    EXPECT_EQ(end.statuses(g, {"a", "b"}), "done cancelled");
}

TEST(WalkCancellationOnAManualExecutor, EachTypeBeforeTheStartCancelsAllVisits)
{
    auto const g = frozen("a\nb: a\nc");
    for (auto const type : {cancellation_type::total, cancellation_type::partial, cancellation_type::terminal}) {
        any_world world(world_kind::manual);
        asio::cancellation_signal signal;
        bool visited = false;

        auto const end = walk_in(
            world, g, [&](vertex_id, std::string const&) { visited = true; }, {}, &signal, [&] { signal.emit(type); });

        EXPECT_FALSE(visited);
        EXPECT_EQ(end.error, walk_errc::cancelled);
        EXPECT_EQ(end.report.cancelled(), 3U);
    }
}

TEST(WalkCancellationOnAManualExecutor, APlainVisitThatHasNotBegunIsCancelled)
{
    auto const g = frozen("a\nb\nc");
    any_world world(world_kind::manual);
    asio::cancellation_signal signal;
    int visits = 0;

    auto const end = walk_in(
        world, g,
        [&](vertex_id, std::string const&) {
            if (++visits == 1) signal.emit(cancellation_type::partial);
        },
        walk_options<>{.max_concurrency = 1}, &signal);

    EXPECT_EQ(visits, 1);
    EXPECT_EQ(end.statuses(g, {"a", "b", "c"}), "done cancelled cancelled");
}

TEST(WalkCancellationOnAManualExecutor, TheSlotIsClearedBeforeTheHandlerRuns)
{
    auto const g = frozen("a");
    sim::manual_context context;
    asio::cancellation_signal signal;
    bool connected = true;

    async_walk(
        context.get_executor(), g, [](vertex_id, std::string const&) {}, {},
        asio::bind_cancellation_slot(
            signal.slot(), [&](error_code, walk_report const&) { connected = signal.slot().has_handler(); }));
    bool const connected_before = signal.slot().has_handler();
    context.run();

    EXPECT_TRUE(connected_before);
    EXPECT_FALSE(connected);
}

TEST(WalkCancellationOnAManualExecutor, EveryInterleavingOfATerminalSignalCountsEachVertexOnce)
{
    auto const g = frozen("b: a\nc: a\nd: b\ne: c");

    auto const failing = sim::seeded_interleaving(0, 500).failing_seed([&](sim::manual_context& context) {
        asio::cancellation_signal signal;
        int calls = 0;
        bool well = false;
        async_walk(
            context.get_executor(), g,
            [](vertex_id, std::string const&) -> asio::awaitable<void> {
                sim::virtual_timer timer(co_await asio::this_coro::executor, std::chrono::seconds(1));
                co_await timer.async_wait(asio::use_awaitable);
            },
            walk_options<>{.max_concurrency = 2},
            asio::bind_cancellation_slot(signal.slot(), [&](error_code error, walk_report const& report) {
                ++calls;
                well =
                    report.done() + report.cancelled() == 5 && (error == walk_errc::cancelled) == (report.done() != 5);
            }));
        for (std::uint64_t i = 0; i < context.seed() % 40; ++i) context.run_one();
        signal.emit(cancellation_type::terminal);
        context.run();
        return well && calls == 1;
    });

    EXPECT_EQ(failing, std::nullopt);
}

}  // namespace
}  // namespace strider::test
