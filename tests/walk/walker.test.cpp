// SPDX-License-Identifier: BSL-1.0
// Walkers with each kind of visitor: blocking runs, runs with a token, and cancelled runs.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::test::walkers {
namespace {

using action = std::function<void(vertex_id)>;

struct plain_visits {
    action act;
    void operator()(vertex_id v, std::string const&) const { act(v); }
};
struct awaitable_visits {
    action act;
    auto operator()(vertex_id v, std::string const&) const -> asio::awaitable<void>
    {
        co_await asio::post(asio::use_awaitable);
        act(v);
    }
};
struct handle_visits {
    action act;
    void operator()(vertex_id v, std::string const&, visit_handle handle) const
    {
        auto const executor = handle.get_executor();
        asio::post(executor, [act = act, v, handle = std::move(handle)]() mutable {
            act(v);
            handle();
        });
    }
};
struct no_action {
    void operator()(vertex_id) const {}
};

template <class Visits, class Options, auto const& Place = directly>
struct kind {
    using visits = Visits;
    using options = Options;
    static constexpr auto const& place = Place;
};

template <class Kind>
class WalkerOfAnyVisitor : public testing::Test {
protected:
    using visits = typename Kind::visits;
    using options = typename Kind::options;

    text_frozen const g = frozen("b: a\nc: a\nd: b c\ne");
    std::atomic<std::size_t> count = 0;
};

using kinds = testing::Types<kind<plain_visits, walk_options<>>, kind<awaitable_visits, walk_options<>>,
    kind<handle_visits, walk_options<>>, kind<plain_visits, walk_options<fifo>>,
    kind<plain_visits, walk_options<>, on_strand>, kind<plain_visits, walk_options<fifo>, on_strand>,
    kind<awaitable_visits, walk_options<>, on_strand>, kind<handle_visits, walk_options<>, on_strand>>;
TYPED_TEST_SUITE(WalkerOfAnyVisitor, kinds);

TYPED_TEST(WalkerOfAnyVisitor, RunsRepeatedly)
{
    asio::thread_pool pool(2);
    walker walks(TypeParam::place(pool.get_executor()), this->g,
        typename TestFixture::visits{[&](vertex_id) { ++this->count; }}, typename TestFixture::options());

    for (int i = 0; i < 20; ++i) EXPECT_EQ(walks.run().done(), 5U);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(walks.async_run(asio::use_future).get().done(), 5U);

    EXPECT_EQ(this->count, 200U);
}

TYPED_TEST(WalkerOfAnyVisitor, RunsWithCompletionTokensOnAManualExecutor)
{
    sim::manual_context context;
    walker walks(TypeParam::place(context.get_executor()), this->g,
        typename TestFixture::visits{[&](vertex_id) { ++this->count; }}, typename TestFixture::options());
    std::size_t done = 0;

    walks.async_run([&](error_code, walk_report const& report) {
        done += report.done();
        walks.async_run([&](error_code, walk_report const& again) { done += again.done(); });
    });
    EXPECT_EQ(this->count, 0U);
    context.run();
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            auto running = walks.async_run();
            auto const [error, report] = co_await std::move(running);
            done += report.done();
        },
        asio::detached);
    context.run();

    EXPECT_EQ(done, 15U);
    EXPECT_EQ(this->count, 15U);
}

TYPED_TEST(WalkerOfAnyVisitor, CancelsTheRunInProgressOrTheNextRun)
{
    sim::manual_context context;
    action at_visit = [](vertex_id) {};
    walker walks(TypeParam::place(context.get_executor()), this->g,
        typename TestFixture::visits{[&](vertex_id v) { at_visit(v); }}, typename TestFixture::options());
    std::vector<error_code> errors;
    auto const once = [&] {
        walks.async_run([&](error_code error, walk_report const&) { errors.push_back(error); });
        context.run();
    };

    at_visit = [&](vertex_id) { walks.cancel(asio::cancellation_type::partial); };
    once();
    at_visit = no_action();
    once();
    walks.cancel();
    once();
    once();

    ASSERT_EQ(errors.size(), 4U);
    EXPECT_EQ(errors[0], walk_errc::cancelled);
    EXPECT_FALSE(errors[1]);
    EXPECT_EQ(errors[2], walk_errc::cancelled);
    EXPECT_FALSE(errors[3]);
}

TYPED_TEST(WalkerOfAnyVisitor, UsesTheCancellationSlotOfTheHandlerOnlyForItsRun)
{
    sim::manual_context context;
    asio::cancellation_signal signal;
    walker walks(TypeParam::place(context.get_executor()), this->g, typename TestFixture::visits{no_action()},
        typename TestFixture::options());
    std::vector<error_code> errors;
    auto const note = [&](error_code error, walk_report const&) { errors.push_back(error); };

    walks.async_run(asio::bind_cancellation_slot(signal.slot(), note));
    signal.emit(asio::cancellation_type::terminal);
    context.run();
    walks.async_run(asio::bind_cancellation_slot(signal.slot(), note));
    context.run();
    signal.emit(asio::cancellation_type::terminal);
    walks.async_run(note);
    context.run();

    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[0], walk_errc::cancelled);
    EXPECT_FALSE(errors[1]);
    EXPECT_FALSE(errors[2]);
}

TYPED_TEST(WalkerOfAnyVisitor, CanBeDestroyedByItsHandler)
{
    using walker_type = walker<decltype(TypeParam::place(std::declval<asio::thread_pool::executor_type>())),
        text_frozen, typename TestFixture::visits, decltype(TestFixture::options::ready)>;
    for (int i = 0; i < 50; ++i) {
        asio::thread_pool pool(3);
        auto run = std::make_unique<walker_type>(TypeParam::place(pool.get_executor()), this->g,
            typename TestFixture::visits{no_action()}, typename TestFixture::options());
        std::promise<std::size_t> ended;
        run->async_run([&](error_code, walk_report const& report) {
            run.reset();
            ended.set_value(report.done());
        });
        EXPECT_EQ(ended.get_future().get(), 5U);
    }
}

TYPED_TEST(WalkerOfAnyVisitor, DestroysTheHandlerWithoutACallIfTheContextIsDestroyed)
{
    for (int steps = 0; steps < 12; ++steps) {
        auto const token = std::make_shared<int>();
        bool called = false;
        {
            auto context = std::make_optional<sim::manual_context>(1);
            walker walks(*context, this->g, typename TestFixture::visits{no_action()}, typename TestFixture::options());
            walks.async_run([token, &called](error_code, walk_report const&) { called = true; });
            for (int i = 0; i < steps && !called; ++i) context->run_one();
            context.reset();
            EXPECT_EQ(token.use_count(), 1) << "after " << steps << " steps";
        }
    }
}

TEST(PartialRunOfAWalker, AcceptsCompletionTokens)
{
    auto const g = frozen("b: a\nc: b\nd");
    std::vector<std::string> visited;
    sim::manual_context context;
    walker walks(context, g, [&](vertex_id, std::string const& name) { visited.push_back(name); });
    std::size_t unchanged = 0;

    {
        std::vector<vertex_id> const changed{find(g, "b")};
        walks.async_run(changed, [&](error_code, walk_report const& report) { unchanged = report.unchanged(); });
    }
    context.run();

    EXPECT_THAT(visited, testing::ElementsAre("b", "c"));
    EXPECT_EQ(unchanged, 2U);
}

}  // namespace
}  // namespace strider::test::walkers
