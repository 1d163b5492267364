// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/core/reverse_graph.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>
#include <strider/walk/vertex_cancellation.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

static_assert(plain_visitor_for<decltype(std::declval<vertex_cancellation<dag<std::string>>&>().visitor(
                                    [](vertex_id, std::string const&) {})),
    dag<std::string>>);

class VertexCancellation : public testing::Test {
protected:
    auto record(vertex_id v) -> void
    {
        std::lock_guard const lock(mutex);
        visited.push_back(g[v]);
    }
    [[nodiscard]] auto status(walk_report const& report, std::string const& name) const -> visit_status
    {
        return report[find(g, name)].status();
    }

    dag<std::string> const g = freeze(graph("a\nb: a\nc: b\nd: c\ne: a\nf: e")).value();
    vertex_cancellation<dag<std::string>> cancellation{g};
    asio::thread_pool pool{2};
    std::mutex mutex;
    std::vector<std::string> visited;
};

TEST_F(VertexCancellation, CancelsAVertexAndAllThatDependsOnIt)
{
    cancellation.cancel(find(g, "b"));

    auto const report = walk(pool, g, cancellation.visitor([&](vertex_id v, std::string const&) { record(v); }));

    EXPECT_THAT(visited, UnorderedElementsAre("a", "e", "f"));
    EXPECT_EQ(status(report, "b"), visit_status::cancelled);
    EXPECT_EQ(status(report, "d"), visit_status::cancelled);
    EXPECT_EQ(report.error(), walk_errc::cancelled);
    EXPECT_TRUE(cancellation.is_cancelled(find(g, "d")));
    EXPECT_FALSE(cancellation.is_cancelled(find(g, "e")));
}

TEST_F(VertexCancellation, LetsARunningVisitCompleteAndCancelsWhatIsBelow)
{
    auto const visit = [&](vertex_id v, std::string const& name) {
        record(v);
        if (name == "b") cancellation.cancel(v);
    };

    auto const report = walk(pool, g, cancellation.visitor(visit));

    EXPECT_EQ(status(report, "b"), visit_status::done);
    EXPECT_EQ(status(report, "c"), visit_status::cancelled);
    EXPECT_EQ(report.done(), 4U);
}

TEST_F(VertexCancellation, CancelsBelowAVertexThatIsDone)
{
    auto const visit = [&](vertex_id v, std::string const& name) {
        record(v);
        if (name == "c") std::thread([&] { cancellation.cancel(find(g, "b")); }).join();
    };

    auto const report = walk(pool, g, cancellation.visitor(visit));

    EXPECT_EQ(status(report, "b"), visit_status::done);
    EXPECT_EQ(status(report, "c"), visit_status::done);
    EXPECT_EQ(status(report, "d"), visit_status::cancelled);
    EXPECT_EQ(report.done(), 5U);
}

TEST_F(VertexCancellation, AdaptsCoroutinesAndHandles)
{
    cancellation.cancel(find(g, "e"));
    auto const coroutine = [&](vertex_id v, std::string const&) -> asio::awaitable<void> {
        record(v);
        co_return;
    };
    auto const by_handle = [&](vertex_id v, std::string const&, visit_handle handle) {
        record(v);
        handle();
    };

    auto const awaited = walk(pool, g, cancellation.visitor(coroutine), {.max_concurrency = 1});
    auto const handled = walk(pool, g, cancellation.visitor(by_handle), {.max_concurrency = 1});

    EXPECT_THAT(visited, ElementsAre("a", "b", "c", "d", "a", "b", "c", "d"));
    EXPECT_EQ(awaited.cancelled(), 2U);
    EXPECT_EQ(handled.cancelled(), 2U);
}

TEST_F(VertexCancellation, KeepsOutcomesAndExceptionsOfVisits)
{
    auto const visit = [](vertex_id, std::string const& name) -> visit_outcome {
        if (name == "b") throw std::runtime_error("broken");
        return name == "e" ? visit_outcome(error_code(asio::error::timed_out)) : visit_outcome::unchanged();
    };

    auto const report = walk(pool, g, cancellation.visitor(visit));

    EXPECT_EQ(report[find(g, "b")].message(), "broken");
    EXPECT_EQ(report[find(g, "e")].error(), asio::error::timed_out);
    EXPECT_TRUE(report[find(g, "a")].is_unchanged());
}

TEST_F(VertexCancellation, NotifiesTheVisitorOnceOfEachVertexWithoutVisit)
{
    struct counting_visitor {
        std::atomic<int>* not_visits;
        void operator()(vertex_id, std::string const&) const {}
        void not_visited(vertex_id, visit_outcome const& outcome) const
        {
            EXPECT_EQ(outcome.status(), visit_status::cancelled);
            ++*not_visits;
        }
    };
    std::atomic<int> not_visits = 0;
    cancellation.cancel(find(g, "b"));

    auto const report = walk(pool, g, cancellation.visitor(counting_visitor{&not_visits}));

    EXPECT_EQ(report.cancelled(), 3U);
    EXPECT_EQ(not_visits, 3);
}

TEST_F(VertexCancellation, HoldsForRunsOfAWalkerUntilReset)
{
    walker walks(pool, g, cancellation.visitor([&](vertex_id v, std::string const&) { record(v); }));
    cancellation.cancel(find(g, "a"));

    EXPECT_EQ(walks.run().cancelled(), 6U);
    EXPECT_EQ(walks.run().cancelled(), 6U);
    cancellation.reset();
    EXPECT_EQ(walks.run().done(), 6U);
}

TEST_F(VertexCancellation, OfAReverseGraphCancelsWhatTheVertexNeeds)
{
    auto const down = reversed(g);
    vertex_cancellation part(down);
    part.cancel(find(down, "b"));

    auto const report = walk(pool, down, part.visitor([](vertex_id, std::string const&) {}));

    EXPECT_EQ(report.cancelled(), 2U);
    EXPECT_EQ(report[find(down, "a")].status(), visit_status::cancelled);
}

TEST_F(VertexCancellation, FromAnotherThreadStopsWhatHasNotStarted)
{
    std::string text;
    for (int i = 0; i < 2000; ++i)
        text += "v" + std::to_string(i + 1) + ": v" + std::to_string(i) + "\nw" + std::to_string(i) + "\n";
    auto const chain = freeze(graph(text)).value();
    for (int run = 0; run < 20; ++run) {
        vertex_cancellation part(chain);
        std::atomic<bool> is_cancelled = false;
        std::atomic<std::size_t> late = 0;
        std::atomic<std::size_t> started = 0;
        std::thread other([&] {
            while (started < 50U * static_cast<std::size_t>(run)) std::this_thread::yield();
            part.cancel(find(chain, "v0"));
            is_cancelled = true;
        });

        auto const report = walk(pool, chain, part.visitor([&](vertex_id, std::string const& name) {
            ++started;
            if (is_cancelled && name.starts_with("v")) ++late;
        }));
        other.join();

        // A visit whose check came before may call the visitor after the cancellation: one for each thread.
        ASSERT_LE(late, 2U);
        ASSERT_EQ(report.done() + report.cancelled(), 4001U);
        ASSERT_EQ(report.done(), started);
        for (auto const v : chain.vertices()) ASSERT_TRUE(chain[v].starts_with("v") || report[v].is_done());
    }
}

template <class G>
concept can_be_cancelled = requires(G const& g) { vertex_cancellation(g); };
template <class Cancellation>
concept makes_visitors =
    requires(Cancellation&& cancellation) { std::forward<Cancellation>(cancellation).visitor([] {}); };
static_assert(growing_graph<growing_digraph<int>> && !can_be_cancelled<growing_digraph<int>>);
static_assert(can_be_cancelled<dag<int>>);
static_assert(makes_visitors<vertex_cancellation<dag<int>> const&> && !makes_visitors<vertex_cancellation<dag<int>>>);

}  // namespace
}  // namespace strider::test
