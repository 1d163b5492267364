// SPDX-License-Identifier: BSL-1.0
// Traces of plain visits, which workers call concurrently.
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/trace.hpp>

#include <walk/load.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <locale>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace strider::test::tracing {
namespace {

constexpr std::uint32_t threads = 6;

// A buffer for each worker: no locks.
struct buffers {
    struct event {
        vertex_id vertex;
        bool is_start;
        visit_status status;
        std::size_t time;
    };
    std::array<std::vector<event>, threads> of_worker;
    std::atomic<std::size_t> time = 0;
    std::atomic<int> stops = 0;
};
struct buffered_trace {
    buffers* to;
    void started(vertex_id v, std::uint32_t worker) const
    {
        to->of_worker.at(worker).push_back({v, true, visit_status::done, to->time++});
    }
    void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t worker) const
    {
        to->of_worker.at(worker).push_back({v, false, outcome.status(), to->time++});
    }
    void stopping(stop_reason) const { ++to->stops; }
};
using traced_options = walk_options<ascending_id, buffered_trace>;

auto const returning = [](vertex_id, std::uint32_t) {};
static_assert(detail::walked_by_workers<decltype(returning), shape, ascending_id, buffered_trace>,
    "a walk with a trace has the same engine as one without");

TEST(TraceByWorkers, ReportsEachEventOnceAndAfterThoseOfTheDependencies)
{
    shape const g = layers(2000);
    for (auto const share : {visit_granularity::coarse, visit_granularity::adaptive, visit_granularity::fine}) {
        buffers events;
        asio::thread_pool pool(threads);

        walk_report const report = walk(
            pool, g,
            [](vertex_id v, std::uint32_t) {
                if (v.index() == 700) throw std::runtime_error("planned");
            },
            traced_options{.granularity = share, .trace = {&events}});

        std::vector<std::size_t> started(g.vertex_count());
        std::vector<std::size_t> settled(g.vertex_count());
        std::array<std::size_t, 4> counts{};
        for (auto const& buffer : events.of_worker)
            for (auto const& each : buffer) {
                std::size_t& at = (each.is_start ? started : settled)[each.vertex.index()];
                EXPECT_EQ(at, 0U);
                at = each.time + 1;
                if (!each.is_start) ++counts[static_cast<std::size_t>(each.status)];
            }
        for (std::size_t i = 0; i < counts.size(); ++i)
            EXPECT_EQ(counts[i], report.count(static_cast<visit_status>(i)));
        EXPECT_EQ(report.failed(), 1U);
        for (vertex_id const v : g.vertices()) {
            bool const is_visited = report[v].status() != visit_status::skipped;
            EXPECT_EQ(started[v.index()] != 0, is_visited);
            EXPECT_GT(settled[v.index()], started[v.index()]);
            for (vertex_id const d : g.dependencies(v))
                EXPECT_LT(settled[d.index()], is_visited ? started[v.index()] : settled[v.index()]);
        }
        EXPECT_EQ(events.stops, 0);
    }
}

TEST(TraceByWorkers, ReportsAStopOnceBeforeCancelledVisits)
{
    struct text_trace {
        std::string* text;
        void started(vertex_id v, std::uint32_t) const { *text += "+" + std::to_string(v.index()); }
        void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t) const
        {
            *text += (outcome.status() == visit_status::cancelled ? "!" : "-") + std::to_string(v.index());
        }
        void stopping(stop_reason reason) const { *text += reason == stop_reason::first_failure ? "|" : "?"; }
    };
    digraph<std::uint32_t> draft;
    for (std::uint32_t i = 0; i < 4; ++i) draft.add_vertex(i);
    shape const g = freeze(std::move(draft)).value();
    asio::thread_pool pool(1);
    std::string text;
    walker walks(
        pool, g,
        [](vertex_id v, std::uint32_t) -> error_code {
            return v.index() == 1 ? error_code(asio::error::timed_out) : error_code();
        },
        walk_options<ascending_id, text_trace>{.stop_on_first_failure = true, .trace = {&text}});

    walks.run();
    walks.run();

    EXPECT_EQ(text, "+0-0+1-1|!2!3+0-0+1-1|!2!3");
}

struct reason_trace : no_trace {
    std::vector<stop_reason>* reasons;
    explicit reason_trace(std::vector<stop_reason>& of) : reasons(&of) {}
    void stopping(stop_reason reason) const { reasons->push_back(reason); }
};

TEST(Trace, NamesTheTimeoutThatStopsAWalk)
{
    shape const g = layers(10);
    asio::thread_pool pool(1);
    std::vector<stop_reason> reasons;

    (void)walk(
        pool, g, [](vertex_id, std::uint32_t) {},
        walk_options<ascending_id, reason_trace>{.timeout = std::chrono::seconds(0), .trace = reason_trace(reasons)});
    (void)walk(
        pool, g, [](vertex_id, std::uint32_t) {},
        walk_options<fifo, reason_trace>{.timeout = std::chrono::seconds(0), .trace = reason_trace(reasons)});

    EXPECT_EQ(reasons, (std::vector{stop_reason::timeout, stop_reason::timeout}));
}

struct throwing_trace : no_trace {
    static void settled(vertex_id v, visit_outcome const&, std::uint32_t)
    {
        if (v.index() == 5) throw std::runtime_error("full");
    }
};

TEST(TraceByWorkers, EndsTheWalkIfItThrows)
{
    shape const g = layers(300);
    asio::thread_pool pool(threads);
    for (auto const share : {visit_granularity::coarse, visit_granularity::fine}) {
        walk_report const report =
            walk(pool, g, returning, walk_options<ascending_id, throwing_trace>{.granularity = share});

        EXPECT_EQ(report.error(), walk_errc::policy_threw);
    }
}

TEST(TraceByWorkers, CanBeAChromeTrace)
{
    shape const g = layers(500);
    std::ostringstream out;
    {
        asio::thread_pool pool(threads);
        walk_report const report = walk(pool, g, returning,
            walk_options<ascending_id, chrome_trace>{
                .granularity = visit_granularity::coarse, .trace = chrome_trace(out)});
        EXPECT_EQ(report.done(), g.vertex_count());
    }

    std::string const text = out.str();
    std::size_t events = 0;
    for (std::size_t at = text.find("\"ph\":\"X\""); at != std::string::npos; at = text.find("\"ph\":\"X\"", at + 1))
        ++events;
    EXPECT_EQ(events, g.vertex_count());
    EXPECT_THAT(text, testing::EndsWith("}}\n]\n"));
}

TEST(ChromeTrace, DoesNotDependOnTheFormatOfItsStream)
{
    struct grouping final : std::numpunct<char> {
        [[nodiscard]] auto do_thousands_sep() const -> char override { return ','; }
        [[nodiscard]] auto do_grouping() const -> std::string override { return "\1"; }
    };
    digraph<std::string> draft;
    for (int i = 0; i < 20; ++i) draft.add_vertex("v");
    auto const g = freeze(draft).value();
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new grouping));
    out << std::hex;
    asio::thread_pool pool(1);
    {
        walk_options<ascending_id, chrome_trace> options{.trace = chrome_trace(out)};
        (void)walk(pool, g, [](vertex_id, std::string const&) {}, options);
    }
    EXPECT_NE(out.str().find("\"vertex\":17,"), std::string::npos) << out.str();
    EXPECT_FALSE(std::regex_search(out.str(), std::regex(R"([0-9],[0-9])"))) << out.str();
}

}  // namespace
}  // namespace strider::test::tracing
