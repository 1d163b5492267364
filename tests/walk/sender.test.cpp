// SPDX-License-Identifier: BSL-1.0
// Walks as senders.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/as_sender.hpp>
#include <support/graph_text.hpp>
#include <walk/worlds.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

namespace strider::test {
namespace {

using text_frozen = dag<std::string>;

// Stores the completion as text.
struct receiver {
    std::shared_ptr<std::promise<std::string>> end = std::make_shared<std::promise<std::string>>();
    std::stop_token stop;

    void set_value(walk_report const& report) const { end->set_value("value " + std::to_string(report.done())); }
    void set_error(error_code error) const { end->set_value("error " + error.message()); }
    void set_stopped() const { end->set_value("stopped"); }
    [[nodiscard]] auto get_stop_token() const -> std::stop_token { return stop; }
};

template <class Sender>
auto result_of(Sender sender, std::stop_token stop = {}) -> std::string
{
    receiver to;
    to.stop = std::move(stop);
    auto ended = to.end->get_future();
    auto operation = std::move(sender).connect(to);
    operation.start();
    return ended.get();
}

class WalkSender : public testing::Test {
protected:
    text_frozen const g = freeze(graph("b: a\nc: a\nd: b c")).value();
    asio::thread_pool pool{2};
};

auto const waiting = [](vertex_id, std::string const&) -> asio::awaitable<void> {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
};

TEST_F(WalkSender, SetsTheReportAsValue)
{
    EXPECT_EQ(result_of(async_walk(pool, g, nothing, {}, as_sender)), "value 4");
    EXPECT_EQ(result_of(async_walk(pool, g, awaiting_nothing, {}, as_sender)), "value 4");
    EXPECT_EQ(result_of(async_walk(asio::make_strand(pool), g, nothing, as_sender)), "value 4");
}

TEST_F(WalkSender, SetsAnError)
{
    auto const throwing = [](vertex_id, std::string const&) { throw std::runtime_error("planned"); };

    EXPECT_EQ(result_of(async_walk(pool, g, throwing, {}, as_sender)), "error a vertex failed");
}

TEST_F(WalkSender, IsStoppedByTheStopTokenOfTheReceiver)
{
    std::stop_source source;
    auto const stopping = [&](vertex_id v, std::string const& name) -> asio::awaitable<void> {
        source.request_stop();
        return waiting(v, name);
    };

    EXPECT_EQ(result_of(async_walk(pool, g, stopping, {}, as_sender), source.get_token()), "stopped");
    EXPECT_EQ(result_of(async_walk(pool, g, nothing, {}, as_sender), source.get_token()), "stopped");
}

TEST_F(WalkSender, DoesNothingBeforeItIsStarted)
{
    int visits = 0;
    sim::manual_context context;
    receiver const to;
    auto ended = to.end->get_future();

    auto operation =
        async_walk(context, g, [&](vertex_id, std::string const&) { ++visits; }, {}, as_sender).connect(to);
    context.run();
    EXPECT_EQ(visits, 0);
    operation.start();
    context.run();

    EXPECT_EQ(visits, 4);
    EXPECT_EQ(ended.get(), "value 4");
}

TEST_F(WalkSender, CanStartARunOfAWalker)
{
    walker walks(pool, g, nothing);

    EXPECT_EQ(result_of(walks.async_run(as_sender)), "value 4");
    EXPECT_EQ(result_of(walks.async_run(as_sender)), "value 4");
}

TEST_F(WalkSender, IsStoppedIfTheContextIsDestroyed)
{
    for (int steps = 0; steps < 6; ++steps) {
        auto context = std::make_optional<sim::manual_context>();
        receiver const to;
        auto ended = to.end->get_future();
        auto operation = async_walk(*context, g, awaiting_nothing, {}, as_sender).connect(to);
        operation.start();
        for (int i = 0; i < steps; ++i) context->run_one();

        context.reset();

        EXPECT_EQ(ended.get(), "stopped");
    }
}

}  // namespace
}  // namespace strider::test
