// SPDX-License-Identifier: BSL-1.0
// Incremental runs of walkers of each kind: the repeated visits, and the end of a change.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

#include <walk/load.hpp>
#include <walk/worlds.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace strider::test::caching {
namespace {

using inputs = dependency_values<std::string>;
using function = std::function<std::string(vertex_id, std::string const&, inputs)>;

struct plain_visits {
    function f;
    auto operator()(vertex_id v, std::string const& name, inputs read) const -> std::string { return f(v, name, read); }
};
struct awaitable_visits {
    function f;
    auto operator()(vertex_id v, std::string const& name, inputs read) const -> asio::awaitable<std::string>
    {
        co_await asio::post(asio::use_awaitable);
        co_return f(v, name, read);
    }
};
struct handle_visits {
    function f;
    void operator()(vertex_id v, std::string const& name, inputs read, value_handle<std::string> handle) const
    {
        auto const executor = handle.get_executor();
        asio::post(executor, [f = &f, v, &name, read, handle = std::move(handle)]() mutable {
            try {
                handle((*f)(v, name, read));
            } catch (...) {
                handle(std::current_exception());
            }
        });
    }
};

template <class Visits, class Options, auto const& Place = directly>
struct kind {
    using visits = Visits;
    using options = Options;
    static constexpr auto const& place = Place;
};

/// A build: each vertex has a text of its own; its value consists of the values of its dependencies and that text in
/// capitals.
template <class Kind>
class ValueCache : public testing::Test {
protected:
    using visits = typename Kind::visits;
    using options = typename Kind::options;

    void SetUp() override
    {
        for (vertex_id const v : g.vertices()) text[g[v]] = g[v];
    }
    /// The names of the visited vertices, in order, after these vertices have changed.
    auto build(std::vector<std::string> const& names = {}) -> std::string
    {
        visited.clear();
        std::vector<vertex_id> changed;
        for (std::string const& name : names) changed.push_back(find(g, name));
        walking.async_run(cache.outdated(changed), [&](error_code, walk_report ended) { report = std::move(ended); });
        context.run();
        return visited;
    }
    [[nodiscard]] auto value(std::string_view name) const -> std::string { return cache[find(g, name)]; }

    auto make(std::string const& name, inputs read) -> std::string
    {
        visited += name;
        if (text[name] == "broken") throw std::runtime_error("broken");
        if (text[name] == "stop") walking.cancel(asio::cancellation_type::partial);
        std::string made;
        for (std::string const& each : read) made += each;
        for (char const c : text[name]) made += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        return made;
    }

    text_frozen const g = frozen("b: a\nc: b\nd: a\ne: c d\nf");
    std::map<std::string, std::string> text;
    std::string visited;
    std::optional<walk_report> report;
    sim::manual_context context;
    value_cache<std::string> cache{g};
    walker<decltype(Kind::place(std::declval<sim::manual_executor>())), text_frozen,
        detail::value_visitor<visits, detail::cached_values<std::string>>, decltype(options::ready)>
        walking{Kind::place(context.get_executor()), g,
            cache.visitor(visits{[this](vertex_id, std::string const& name, inputs read) { return make(name, read); }}),
            options{.max_concurrency = 1}};
};

using kinds = testing::Types<kind<plain_visits, walk_options<>>, kind<plain_visits, walk_options<own_order>>,
    kind<awaitable_visits, walk_options<>>, kind<awaitable_visits, walk_options<>, on_strand>,
    kind<handle_visits, walk_options<>>>;
TYPED_TEST_SUITE(ValueCache, kinds);

TYPED_TEST(ValueCache, VisitsAllVerticesFirstAndNoneAgainWithoutAChange)
{
    EXPECT_EQ(this->build().size(), 6U);
    EXPECT_EQ(this->value("e"), "ABCADE");

    EXPECT_EQ(this->build(), "");
    EXPECT_EQ(this->report->unchanged(), 6U);
    EXPECT_EQ(this->value("e"), "ABCADE");
}

TYPED_TEST(ValueCache, VisitsOnlyVerticesThatAChangeReaches)
{
    this->build();
    this->text["d"] = "x";

    EXPECT_EQ(this->build({"d"}), "de");

    EXPECT_EQ(this->value("e"), "ABCAXE");
    EXPECT_EQ(this->report->done(), 6U);
    EXPECT_EQ(this->report->unchanged(), 4U);
    EXPECT_TRUE((*this->report)[find(this->g, "b")].is_unchanged());
    EXPECT_FALSE((*this->report)[find(this->g, "e")].is_unchanged());
}

TYPED_TEST(ValueCache, StopsAtAValueThatIsEqual)
{
    this->build();
    this->text["b"] = "B";

    EXPECT_EQ(this->build({"b"}), "b");
    EXPECT_EQ(this->report->unchanged(), 6U);

    this->text["f"] = "F";
    this->text["c"] = "y";
    EXPECT_EQ(this->build({"f", "c"}), "fce");
    EXPECT_EQ(this->value("e"), "ABYADE");
}

TYPED_TEST(ValueCache, VisitsFailedAndSkippedVerticesAgain)
{
    this->build();
    this->text["b"] = "broken";
    EXPECT_EQ(this->build({"b"}), "b");
    EXPECT_EQ(this->report->skipped(), 2U);
    EXPECT_FALSE(this->cache.contains(find(this->g, "e")));

    this->text["b"] = "z";
    EXPECT_EQ(this->build(), "bce");

    EXPECT_EQ(this->value("e"), "AZCADE");
}

TYPED_TEST(ValueCache, VisitsCancelledVerticesAgain)
{
    this->text["b"] = "stop";
    this->build();
    EXPECT_GT(this->report->cancelled(), 0U);
    EXPECT_FALSE(this->cache.contains(find(this->g, "e")));

    this->text["b"] = "b";
    this->build({"b"});

    EXPECT_EQ(this->report->error(), error_code());
    EXPECT_EQ(this->value("e"), "ABCADE");
}

TYPED_TEST(ValueCache, ComparesValuesInFullRuns)
{
    this->build();

    this->walking.async_run([&](error_code, walk_report ended) { this->report = std::move(ended); });
    this->context.run();

    EXPECT_EQ(this->report->done(), 6U);
    EXPECT_EQ(this->report->unchanged(), 6U);
}

TYPED_TEST(ValueCache, ReadsValuesThatWereStoredWithoutAVisit)
{
    for (std::string const name : {"a", "b", "c", "d", "f"}) this->cache.store(find(this->g, name), name + "!");

    EXPECT_EQ(this->build(), "e");

    EXPECT_EQ(this->value("e"), "c!d!E");
    EXPECT_EQ(this->value("a"), "a!");
}

TYPED_TEST(ValueCache, StopsAtAVisitWhoseValueEqualsTheStoredOne)
{
    for (std::string const name : {"a", "b", "c", "d", "e", "f"}) this->cache.store(find(this->g, name), "old");
    this->cache.store(find(this->g, "a"), "A");

    EXPECT_EQ(this->build({"a"}), "a");

    EXPECT_EQ(this->value("b"), "old");
    EXPECT_EQ(this->report->unchanged(), 6U);
}

TYPED_TEST(ValueCache, VisitsAllVerticesAgainAfterItWasCleared)
{
    this->build();

    this->cache.clear();

    EXPECT_FALSE(this->cache.contains(find(this->g, "a")));
    EXPECT_EQ(this->build().size(), 6U);
    EXPECT_EQ(this->value("e"), "ABCADE");
}

TEST(OutdatedValues, AreThoseOfChangedVerticesAndOfVerticesWithoutAValueInAscendingId)
{
    auto const g = frozen("a\nb\nc\nd");
    value_cache<int> cache(g);
    cache.store(vertex_id(0), 1);
    cache.store(vertex_id(2), 1);
    cache.store(vertex_id(3), 1);

    auto const outdated = cache.outdated(std::vector{vertex_id(3), vertex_id(1), vertex_id(3)});

    EXPECT_THAT(outdated, testing::ElementsAre(vertex_id(1), vertex_id(3)));
}

// A partial run with a ledger visits the same vertices as one without a ledger.
TEST(ValueCacheOfThreads, ComputesTheValuesOfAFullRun)
{
    shape const g = layers(400);
    asio::thread_pool pool(4);
    std::vector<std::uint64_t> own(g.vertex_count(), 1);
    std::atomic<std::size_t> visits{0};
    auto const sum = [&](vertex_id v, std::uint32_t, dependency_values<std::uint64_t> read) {
        visits.fetch_add(1);
        std::uint64_t total = own[v.index()];
        for (std::uint64_t const each : read) total = (total + each) / 2;
        return total;
    };
    auto const await = [&](vertex_id v, std::uint32_t of,
                           dependency_values<std::uint64_t> read) -> asio::awaitable<std::uint64_t> {
        co_return sum(v, of, read);
    };
    value_cache<std::uint64_t> plain(g);
    value_cache<std::uint64_t> awaited(g);
    walker plain_run(pool, g, plain.visitor(sum));
    walker awaited_run(pool, g, awaited.visitor(await));
    std::mt19937_64 random(5);
    std::vector<vertex_id> changed;

    for (std::uint32_t i = 0; i < runs(20); ++i) {
        visits = 0;
        ASSERT_FALSE(plain_run.run(plain.outdated(changed)).error());
        std::size_t const of_plain = visits.exchange(0);
        auto const report = awaited_run.run(awaited.outdated(changed));
        ASSERT_FALSE(report.error());
        ASSERT_EQ(visits, of_plain);
        ASSERT_EQ(report.size(), g.vertex_count());
        visit_values<std::uint64_t> full(g, [](vertex_id) { return true; });
        ASSERT_FALSE(walk(pool, g, full.visitor(sum)).error());
        for (vertex_id const v : g.vertices()) {
            ASSERT_EQ(plain[v], full[v]);
            ASSERT_EQ(awaited[v], full[v]);
        }
        changed.clear();
        for (int k = 0; k < 3; ++k) {
            changed.emplace_back(random() % g.vertex_count());
            own[changed.back().index()] = random() % 1000;
        }
    }
}

struct no_equality {
    int number = 0;
};
static_assert(enable_change_detection<std::vector<std::string>> && enable_change_detection<std::filesystem::path>);
static_assert(!enable_change_detection<no_equality> && !enable_change_detection<std::vector<no_equality>>);
static_assert(!enable_change_detection<std::map<int, std::optional<no_equality>>>);
static_assert(!enable_change_detection<std::tuple<int, no_equality>>);
static_assert(!enable_change_detection<std::variant<no_equality, int>>);
static_assert(enable_change_detection<std::map<int, std::variant<int, std::pair<int, std::string>>>>);

TEST(ValueCacheOfIncomparableValues, StoresThem)
{
    auto const g = freeze(graph("b: a")).value();
    value_cache<std::vector<no_equality>> cache(g);

    cache.store(vertex_id(0), {{1}});
    cache.store(vertex_id(0), {{1}, {2}});

    EXPECT_EQ(cache[vertex_id(0)].size(), 2U);
}

}  // namespace
}  // namespace strider::test::caching
