// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/graph_text.hpp>
#include <strider/core/dag.hpp>
#include <strider/walk/remaining.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walker.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Remaining, IsWhatFailedAndAllThatDependsOnIt)
{
    auto const g = freeze(graph("a\nb: a\nc: b\nd: a\ne: c d")).value();
    asio::thread_pool pool(2);
    auto const report = walk(pool, g, [](vertex_id, std::string const& name) {
        return name == "b" ? error_code(asio::error::timed_out) : error_code();
    });

    EXPECT_EQ(to_text(g, remaining(g, report)).value(), "b\nc\ne\n");
}

TEST(Remaining, OfACompleteRunIsEmpty)
{
    auto const g = freeze(graph("a\nb: a")).value();

    EXPECT_THAT(remaining(g, walk_report(std::vector<visit_outcome>(2))), IsEmpty());
    EXPECT_THAT(remaining(g, walk_report({visit_outcome(), visit_outcome::unchanged()})), IsEmpty());
}

TEST(Remaining, ContainsVerticesWhoseOutcomeIsNotKnown)
{
    auto const g = freeze(graph("a\nb: a")).value();
    auto const ended = detail::walk_access::make<walk_report>(detail::report_content{
        .size = 2, .id_bound = 2, .exception = std::make_exception_ptr(std::bad_alloc()), .is_rest_cancelled = true});

    EXPECT_EQ(remaining(g, ended).size(), 2U);
}

TEST(Remaining, ContainsDependentsThatWereDoneBefore)
{
    auto const g = freeze(graph("a\nb: a\nc: b\nd: a")).value();
    std::set<std::string> const done{"a", "c", "d"};

    auto const left = remaining(g, [&](vertex_id v) { return done.contains(g[v]); });

    EXPECT_THAT(left, ElementsAre(find(g, "b"), find(g, "c")));
}

TEST(Remaining, ResumesARunUntilEveryVertexWasDoneOnce)
{
    std::mt19937_64 random(3);
    for (int run = 0; run < 50; ++run) {
        std::string text;
        for (std::size_t i = 0; i < 60; ++i) {
            text += "v" + std::to_string(i) + ":";
            for (auto k = random() % 4; k > 0 && i > 0; --k) text += " v" + std::to_string(random() % i);
            text += "\n";
        }
        auto const g = freeze(graph(text)).value();
        std::vector<int> times_done(g.vertex_count());
        std::string saved = to_text(g, g.vertices()).value();
        asio::thread_pool pool(1);

        for (int process = 0; !saved.empty(); ++process) {
            ASSERT_LT(process, 1000);
            walker resume(pool, g,
                [&](vertex_id v, std::string const&) {
                    for (auto const d : g.dependencies(v)) EXPECT_EQ(times_done[d.index()], 1);
                    if (random() % 4 == 0) return visit_outcome(error_code(asio::error::timed_out));
                    ++times_done[v.index()];
                    return visit_outcome();
                },
                {.stop_on_first_failure = random() % 2 == 0});
            auto const ids = read_vertices(saved, g).value();
            saved = to_text(g, remaining(g, resume.run(ids))).value();
        }

        EXPECT_THAT(times_done, testing::Each(1));
    }
}

}  // namespace
}  // namespace strider::test
