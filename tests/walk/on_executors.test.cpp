// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/walk.hpp>
#include <strider/walk/on_executors.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Vertices whose names begin with "g" run on the device, the others on the pool.
class OnExecutors : public testing::Test {
protected:
    // Threads of one context may leave the walk after it has ended, and use another context there.
    void TearDown() override
    {
        own.join();
        pool.join();
        device.join();
    }
    [[nodiscard]] auto executor_of(vertex_id v) -> asio::thread_pool::executor_type
    {
        return g[v].starts_with("g") ? device.get_executor() : pool.get_executor();
    }
    [[nodiscard]] auto choice()
    {
        return [this](vertex_id v) { return executor_of(v); };
    }
    [[nodiscard]] auto is_at_home(vertex_id v) -> bool { return executor_of(v).running_in_this_thread(); }

    dag<std::string> const g = freeze(graph("a\ng1: a\ng2: a\nb: g1 g2\ng3: b\nc: b")).value();
    asio::thread_pool pool{2};
    asio::thread_pool device{1};
    asio::thread_pool own{1};  // of the walk
};

TEST_F(OnExecutors, CallsPlainVisitorsThere)
{
    std::atomic<int> at_home = 0;

    auto const report = walk(
        own, g, on_executors(choice(), [&](vertex_id v, std::string const&) { at_home += is_at_home(v) ? 1 : 0; }));

    EXPECT_EQ(report.done(), 6U);
    EXPECT_EQ(at_home, 6);
}

TEST_F(OnExecutors, RunsCoroutinesThere)
{
    std::atomic<int> at_home = 0;
    auto const visit = [&](vertex_id v, std::string const&) -> asio::awaitable<void> {
        at_home += is_at_home(v) ? 1 : 0;
        asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(1));
        co_await timer.async_wait(asio::use_awaitable);
        at_home += is_at_home(v) ? 1 : 0;
    };

    auto const report = walk(own, g, on_executors(choice(), visit));

    EXPECT_EQ(report.done(), 6U);
    EXPECT_EQ(at_home, 12);
}

TEST_F(OnExecutors, VisitsOfOneThreadDoNotHoldUpTheOthers)
{
    dag<std::string> const apart = freeze(graph("g\na")).value();
    std::promise<void> is_visited;
    auto const executor = [&](vertex_id v) { return apart[v] == "g" ? device.get_executor() : pool.get_executor(); };

    auto const report = walk(own, apart, on_executors(executor, [&](vertex_id, std::string const& name) {
        if (name == "g") is_visited.get_future().wait();
        else is_visited.set_value();
    }));

    EXPECT_EQ(report.done(), 2U);
}

TEST_F(OnExecutors, ReportsResultsAndExceptionsAsOutcomes)
{
    auto const plain = [](vertex_id, std::string const& name) -> error_code {
        if (name == "g1") throw std::runtime_error("no device");
        return name == "g2" ? error_code(asio::error::timed_out) : error_code();
    };
    auto const awaitable = [&](vertex_id v, std::string const& name) -> asio::awaitable<error_code> {
        co_return plain(v, name);
    };

    for (auto const& report :
        {walk(own, g, on_executors(choice(), plain)), walk(own, g, on_executors(choice(), awaitable))}) {
        EXPECT_EQ(report[find(g, "g1")].message(), "no device");
        EXPECT_EQ(report[find(g, "g2")].error(), asio::error::timed_out);
        EXPECT_EQ(report.skipped(), 3U);
        EXPECT_EQ(report.done(), 1U);
    }
}

TEST_F(OnExecutors, ReportsAnExceptionOfTheChoiceAsOutcome)
{
    auto const none = [this](vertex_id v) {
        if (g[v] == "b") throw std::runtime_error("no executor");
        return executor_of(v);
    };

    auto const report = walk(own, g, on_executors(none, [](vertex_id, std::string const&) {}));

    EXPECT_EQ(report[find(g, "b")].message(), "no executor");
    EXPECT_EQ(report.done(), 3U);
}

TEST_F(OnExecutors, ForwardsTerminalCancellationToCoroutines)
{
    dag<std::string> const apart = freeze(graph("g\na\nb: a g")).value();
    asio::strand<asio::thread_pool::executor_type> const home(pool.get_executor());
    asio::cancellation_signal stop;
    std::atomic<int> waiting = 0;
    std::promise<walk_report> end;
    auto const visit = [&](vertex_id, std::string const&) -> asio::awaitable<void> {
        asio::steady_timer timer(co_await asio::this_coro::executor, hours(1));
        if (++waiting == 2) asio::post(home, [&] { stop.emit(asio::cancellation_type::terminal); });
        co_await timer.async_wait(asio::use_awaitable);
    };
    auto const executor = [&](vertex_id v) -> asio::any_io_executor {
        if (apart[v] == "g") return device.get_executor();
        return pool.get_executor();
    };

    async_walk(own, apart, on_executors(executor, visit), {},
        asio::bind_executor(home, asio::bind_cancellation_slot(stop.slot(), [&](error_code, walk_report report) {
            end.set_value(std::move(report));
        })));
    auto const report = end.get_future().get();

    EXPECT_EQ(report.error(), walk_errc::cancelled);
    EXPECT_EQ(report.cancelled(), 3U);
}

TEST_F(OnExecutors, CancellationRacesWithTheEndOfVisits)
{
    for (int run = 0; run < 300; ++run) {
        asio::strand<asio::thread_pool::executor_type> const home(pool.get_executor());
        asio::cancellation_signal stop;
        std::promise<walk_report> end;
        auto const visit = [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        };

        async_walk(own, g, on_executors(choice(), visit), {},
            asio::bind_executor(home, asio::bind_cancellation_slot(stop.slot(), [&](error_code, walk_report report) {
                end.set_value(std::move(report));
            })));
        std::promise<void> emitted;
        std::this_thread::sleep_for(std::chrono::microseconds(run % 60));
        asio::post(home, [&] {
            stop.emit(asio::cancellation_type::terminal);
            emitted.set_value();
        });
        emitted.get_future().wait();
        auto const report = end.get_future().get();

        ASSERT_EQ(report.done() + report.cancelled(), 6U);
    }
}

TEST_F(OnExecutors, AbandonsVisitsOfADestroyedContext)
{
    auto context = std::make_unique<asio::io_context>();
    dag<std::string> const one = freeze(graph("a")).value();
    std::promise<void> is_chosen;
    auto const executor = [&](vertex_id) {
        is_chosen.set_value();
        return context->get_executor();
    };
    std::promise<walk_report> end;

    async_walk(own, one, on_executors(executor, [](vertex_id, std::string const&) {}), {},
        [&](error_code, walk_report report) { end.set_value(std::move(report)); });
    is_chosen.get_future().wait();
    asio::post(own, asio::use_future).wait();  // the visit is queued
    context.reset();

    EXPECT_EQ(end.get_future().get()[vertex_id(0)].error(), walk_errc::abandoned);
}

TEST_F(OnExecutors, AcceptsStrandsAndForwardsVerticesThatAreNotVisited)
{
    struct counting_visitor {
        int* visits;
        int* not_visits;
        auto operator()(vertex_id, std::string const& name) const -> error_code
        {
            ++*visits;
            return name == "a" ? error_code(asio::error::timed_out) : error_code();
        }
        void not_visited(vertex_id, visit_outcome const&) const { ++*not_visits; }
    };
    asio::strand<asio::thread_pool::executor_type> const serial(pool.get_executor());
    int visits = 0;
    int not_visits = 0;

    auto const report =
        walk(own, g, on_executors([&](vertex_id) { return serial; }, counting_visitor{&visits, &not_visits}));

    EXPECT_EQ(visits, 1);
    EXPECT_EQ(not_visits, 5);
    EXPECT_EQ(report.skipped(), 5U);
}

}  // namespace
}  // namespace strider::test
