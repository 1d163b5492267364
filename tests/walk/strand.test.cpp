// SPDX-License-Identifier: BSL-1.0
// Guarantees of a walk on a strand beyond those of every walk, and the time slices of handlers.
#include <walk/worlds.hpp>

#include <strider/walk.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using std::chrono::microseconds;

[[nodiscard]] auto roots(std::size_t count) -> text_frozen
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "v" + std::to_string(i) + "\n";
    return frozen(text);
}

// A strand, and a strand that the walk does not recognise. ThreadSanitizer would detect concurrent visits.
template <class Executor>
class WalkOnAStrand : public testing::Test {
protected:
    asio::thread_pool pool{4};
    Executor const strand{asio::make_strand(pool)};
    text_frozen const g = roots(500);
};
using strands = testing::Types<asio::strand<asio::thread_pool::executor_type>, asio::any_io_executor>;
TYPED_TEST_SUITE(WalkOnAStrand, strands);

TYPED_TEST(WalkOnAStrand, SerializesPlainVisitors)
{
    std::vector<std::size_t> seen;

    auto const report =
        walk(this->strand, this->g, [&](vertex_id v, std::string const&) { seen.push_back(v.index()); });

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(seen.size(), 500U);
}

TYPED_TEST(WalkOnAStrand, SerializesPlainVisitorsWithAQueue)
{
    std::vector<std::size_t> seen;

    auto const report = walk(
        this->strand, this->g, [&](vertex_id v, std::string const&) { seen.push_back(v.index()); },
        walk_options{.ready = fifo()});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(seen.size(), 500U);
}

TYPED_TEST(WalkOnAStrand, SerializesCoroutinesAtEverySuspension)
{
    std::size_t under_way = 0;
    std::size_t most = 0;

    auto const report = walk(
        this->strand, this->g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            most = std::max(most, ++under_way);
            co_await asio::post(asio::use_awaitable);
            --under_way;
        },
        walk_options<>{.max_concurrency = 10});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(under_way, 0U);
    EXPECT_GT(most, 1U);
    EXPECT_LE(most, 10U);
}

TYPED_TEST(WalkOnAStrand, SerializesVisitorsIfHandlesAreCalledOnAnyThread)
{
    std::size_t called = 0;

    auto const report = walk(
        this->strand, this->g,
        [&](vertex_id v, std::string const&, visit_handle done) {
            ++called;
            if (v.index() % 2 == 0) return done();
            asio::post(this->pool, [done = std::move(done)]() mutable { done(); });
        },
        walk_options<>{.max_concurrency = 10});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(called, 500U);
}

// The events of a trace; they are recorded on the strand only.
struct strand_trace {
    asio::strand<asio::thread_pool::executor_type> strand;
    std::size_t* events;
    std::size_t* elsewhere;

    void started(vertex_id, std::uint32_t) { count(); }
    void settled(vertex_id, visit_outcome const&, std::uint32_t) { count(); }
    void stopping(stop_reason) { count(); }
    void count()
    {
        ++*events;
        if (!strand.running_in_this_thread()) ++*elsewhere;
    }
};

TEST(TraceOfAWalkOnAStrand, IsCalledOnTheStrandForEachKindOfVisitor)
{
    asio::thread_pool pool(4);
    auto const strand = asio::make_strand(pool);
    auto const g = roots(200);
    std::size_t events = 0;
    std::size_t elsewhere = 0;
    walk_options const options{.trace = strand_trace{strand, &events, &elsewhere}};
    walk_options const with_queue{.ready = fifo(), .trace = options.trace};
    auto const later = [&](vertex_id, std::string const&, visit_handle done) {
        asio::post(pool, [done = std::move(done)]() mutable { done(); });
    };

    EXPECT_EQ(walk(strand, g, nothing, options).done(), 200U);
    EXPECT_EQ(walk(strand, g, nothing, with_queue).done(), 200U);
    EXPECT_EQ(walk(strand, g, awaiting_nothing, options).done(), 200U);
    EXPECT_EQ(walk(strand, g, later, options).done(), 200U);

    EXPECT_EQ(events, 1600U);
    EXPECT_EQ(elsewhere, 0U);
}

// The first visit posts a handler on the only thread. \return the number of visits before this handler runs
template <auto const& Place>
class turns_of_others {
public:
    auto visits_before_one(auto visitor) -> std::size_t
    {
        auto const g = roots(200);
        auto const report = walk(Place(pool_.get_executor()), g, visitor(*this), walk_options<>{.max_concurrency = 1});
        pool_.join();
        EXPECT_EQ(report.done(), 200U);
        return before_;
    }
    void visit()
    {
        if (visits_++ == 0) asio::post(pool_, [this] { before_ = visits_; });
        std::this_thread::sleep_for(microseconds(100));
    }

private:
    asio::thread_pool pool_{1};
    std::size_t visits_ = 0;
    std::size_t before_ = 0;
};

template <auto const& Place>
struct place_type {
    static constexpr auto const& place = Place;
};
template <class Place>
class TimeSlice : public testing::Test {};
using places = testing::Types<place_type<directly>, place_type<on_strand>>;
TYPED_TEST_SUITE(TimeSlice, places);

TYPED_TEST(TimeSlice, YieldsBetweenCoroutines)
{
    turns_of_others<TypeParam::place> others;

    EXPECT_LT(others.visits_before_one([](auto& here) {
        return [&here](vertex_id, std::string const&) -> asio::awaitable<void> {
            here.visit();
            co_return;
        };
    }),
        100U);
}

TYPED_TEST(TimeSlice, YieldsBetweenVisitsByHandle)
{
    turns_of_others<TypeParam::place> others;

    EXPECT_LT(others.visits_before_one([](auto& here) {
        return [&here](vertex_id, std::string const&, visit_handle done) {
            here.visit();
            done();
        };
    }),
        100U);
}

TEST(TimeSliceOnAStrand, YieldsBetweenPlainVisits)
{
    turns_of_others<on_strand> others;

    EXPECT_LT(
        others.visits_before_one([](auto& here) { return [&here](vertex_id, std::string const&) { here.visit(); }; }),
        100U);
}

}  // namespace
}  // namespace strider::test
