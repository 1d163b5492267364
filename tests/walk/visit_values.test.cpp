// SPDX-License-Identifier: BSL-1.0
// Values along edges: the values that visits of each kind receive, and the time of their destruction.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

#include <walk/load.hpp>
#include <walk/worlds.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <range/v3/numeric/accumulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::test::values {
namespace {

/// A text that counts its instances; an instance that was moved from does not count.
class counted {
public:
    explicit counted(std::string text) : text_(std::move(text)) { alive.fetch_add(1); }
    counted(counted&& other) noexcept : text_(std::exchange(other.text_, std::nullopt)) {}
    auto operator=(counted&&) -> counted& = delete;
    ~counted()
    {
        if (text_) alive.fetch_sub(1);
    }

    [[nodiscard]] auto text() const -> std::string const& { return text_.value(); }

    static inline std::atomic<int> alive{0};

private:
    std::optional<std::string> text_;
};

using counted_result = boost::system::result<counted, error_code>;
using inputs = dependency_values<counted>;
using counted_function = std::function<counted_result(vertex_id, std::string const&, inputs)>;

struct plain_visits {
    counted_function f;
    auto operator()(vertex_id v, std::string const& name, inputs read) const -> counted_result
    {
        return f(v, name, read);
    }
};
struct awaitable_visits {
    counted_function f;
    auto operator()(vertex_id v, std::string const& name, inputs read) const -> asio::awaitable<counted_result>
    {
        co_await asio::post(asio::use_awaitable);
        co_return f(v, name, read);
    }
};
struct handle_visits {
    counted_function f;
    void operator()(vertex_id v, std::string const& name, inputs read, value_handle<counted> handle) const
    {
        auto const executor = handle.get_executor();
        asio::post(executor, [f = &f, v, &name, read, handle = std::move(handle)]() mutable {
            try {
                counted_result returned = (*f)(v, name, read);
                if (returned) handle(std::move(*returned));
                else handle(returned.error());
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

/// The names of the dependencies in their order, and of the vertex: "d(b(a)c(a))".
[[nodiscard]] auto nested(std::string const& name, inputs read) -> counted
{
    std::string text = name + "(";
    for (counted const& each : read) text += each.text();
    return counted(text + ")");
}

/// Layers with one letter for each vertex.
[[nodiscard]] auto named_layers(std::size_t count, std::uint64_t seed) -> text_frozen
{
    shape const unnamed = layers(count, seed);
    text_graph g;
    std::vector<draft_vertex_id> ids;
    for (vertex_id const v : unnamed.vertices())
        ids.push_back(g.add_vertex(std::string(1, "abcdefghijklmnopqrstuvwxyz"[v.index() % 26])));
    for (vertex_id const v : unnamed.vertices())
        for (vertex_id const d : unnamed.dependencies(v)) g.add_edge(ids[v.index()], depends_on(ids[d.index()]));
    return freeze(std::move(g)).value();
}

template <class Kind>
class VisitValues : public testing::Test {
protected:
    using options_type = typename Kind::options;

    VisitValues() { counted::alive = 0; }

    // Walks by a walker, so that only one walk of each kind is compiled.
    auto walk_with(text_frozen const& g, visit_values<counted>& values, counted_function f, options_type options = {},
        std::uint64_t seed = 0, asio::cancellation_signal* stop = nullptr) -> walk_report
    {
        sim::manual_context context(seed);
        asio::cancellation_signal none;
        std::optional<walk_report> report;
        walker walking(
            Kind::place(context.get_executor()), g, values.visitor(typename Kind::visits{std::move(f)}), options);
        walking.async_run(asio::bind_cancellation_slot((stop == nullptr ? none : *stop).slot(),
            [&](error_code, walk_report ended) { report = std::move(ended); }));
        context.run();
        EXPECT_TRUE(report);
        return report.value_or(walk_report());
    }
};

using kinds = testing::Types<kind<plain_visits, walk_options<>>, kind<plain_visits, walk_options<own_order>>,
    kind<awaitable_visits, walk_options<>>, kind<awaitable_visits, walk_options<>, on_strand>,
    kind<handle_visits, walk_options<>>>;
TYPED_TEST_SUITE(VisitValues, kinds);

TYPED_TEST(VisitValues, OfDependenciesReachAVisitInTheOrderOfItsEdges)
{
    auto const g = frozen("b: a\nc: a\nd: c b");
    visit_values<counted> values(g);

    this->walk_with(g, values, [&](vertex_id v, std::string const& name, inputs read) {
        EXPECT_EQ(read.size(), g.dependency_count(v));
        EXPECT_TRUE(std::ranges::equal(read.vertices(), g.dependencies(v)));
        for (auto at = read.begin(); at != read.end(); ++at) EXPECT_EQ(&*at, &read[at.vertex()]);
        return nested(name, read);
    });

    EXPECT_EQ(values[find(g, "d")].text(), "d(c(a())b(a()))");
}

TYPED_TEST(VisitValues, AreDestroyedAfterTheirLastReader)
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const g = named_layers(30, seed);
        std::vector<char> ended(g.vertex_count());
        std::vector<char> has_value(g.vertex_count());
        auto const is_over = [&](vertex_id v) { return ended[v.index()] != 0; };
        visit_values<counted> values(g);

        auto const report = this->walk_with(g, values, [&](vertex_id v, std::string const& name, inputs read) {
            int readable = 0;
            for (vertex_id const u : g.vertices())
                readable += has_value[u.index()] != 0
                        && (g.dependent_count(u) == 0 || !std::ranges::all_of(g.dependents(u), is_over))
                    ? 1
                    : 0;
            EXPECT_LE(counted::alive, readable);
            ended[v.index()] = 1;
            if (seed % 2 == 1 && v.index() == 7) return counted_result(error_code(asio::error::eof));
            has_value[v.index()] = 1;
            return counted_result(nested(name, read));
        });

        int kept = 0;
        for (vertex_id const v : g.vertices()) kept += g.dependent_count(v) == 0 && report[v].is_done() ? 1 : 0;
        EXPECT_EQ(counted::alive, kept) << "seed " << seed;
        values.clear();
        EXPECT_EQ(counted::alive, 0);
    }
}

TYPED_TEST(VisitValues, AreAbsentAfterAnErrorAndItsDependentsAreSkipped)
{
    auto const g = frozen("b: a\nc: b\nd: c e\nf: e");
    visit_values<counted> values(g);

    auto const report = this->walk_with(g, values, [&](vertex_id, std::string const& name, inputs read) {
        return name == "b" ? counted_result(error_code(asio::error::eof)) : counted_result(nested(name, read));
    });

    EXPECT_EQ(report[find(g, "b")].error(), error_code(asio::error::eof));
    EXPECT_EQ(report.failed(), 1U);
    EXPECT_EQ(report.skipped(), 2U);
    EXPECT_EQ(values[find(g, "f")].text(), "f(e())");
    EXPECT_EQ(counted::alive, 1);
}

TYPED_TEST(VisitValues, AreAbsentAfterAnException)
{
    auto const g = frozen("b: a\nc: b");
    visit_values<counted> values(g);

    auto const report =
        this->walk_with(g, values, [&](vertex_id, std::string const& name, inputs read) -> counted_result {
            if (name == "b") throw std::runtime_error("no luck");
            return nested(name, read);
        });

    EXPECT_EQ(report[find(g, "b")].message(), "no luck");
    EXPECT_EQ(report.skipped(), 1U);
    EXPECT_EQ(counted::alive, 0);
}

TYPED_TEST(VisitValues, AreDestroyedIfTheirReadersAreCancelled)
{
    auto const g = frozen("b: a\nc: b\nd: a\ne");
    visit_values<counted> values(g);

    auto const report = this->walk_with(g, values,
        [&](vertex_id, std::string const& name, inputs read) {
            return name == "e" ? counted_result(error_code(asio::error::eof)) : counted_result(nested(name, read));
        },
        {.stop_on_first_failure = true});

    EXPECT_EQ(report.failed(), 1U);
    EXPECT_GT(report.cancelled(), 0U);
    EXPECT_EQ(counted::alive, report[find(g, "d")].is_done() ? 1 : 0);
}

TYPED_TEST(VisitValues, AreDestroyedOnAnyStopWithAnySeed)
{
    auto const g = named_layers(30, 1);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        asio::cancellation_signal stop;
        visit_values<counted> values(g);
        std::size_t visits = 0;

        auto const report = this->walk_with(
            g, values,
            [&](vertex_id v, std::string const& name, inputs read) {
                EXPECT_EQ(read.size(), g.dependency_count(v));
                if (++visits == seed % 10)
                    stop.emit(seed % 3 == 0 ? asio::cancellation_type::terminal : asio::cancellation_type::partial);
                return counted_result(nested(name, read));
            },
            {.max_concurrency = static_cast<std::uint32_t>(seed % 4)}, seed, &stop);

        int kept = 0;
        for (vertex_id const v : g.vertices()) kept += g.dependent_count(v) == 0 && report[v].is_done() ? 1 : 0;
        EXPECT_EQ(counted::alive, kept) << "seed " << seed;
    }
    EXPECT_EQ(counted::alive, 0);
}

TYPED_TEST(VisitValues, OfEachRunReplaceThoseOfThePreviousRun)
{
    auto const g = frozen("b: a\nc: a\nd: b c");
    sim::manual_context context;
    visit_values<counted> values(g);
    int run = 0;
    walker walking(TypeParam::place(context.get_executor()), g,
        values.visitor(
            typename TypeParam::visits{[&](vertex_id, std::string const& name, inputs read) -> counted_result {
                if (run == 1 && name == "b") throw std::runtime_error("no luck");
                return nested(name + std::to_string(run), read);
            }}),
        typename TypeParam::options());
    std::vector<std::size_t> done;
    auto const once = [&] {
        walking.async_run([&](error_code, walk_report const& report) { done.push_back(report.done()); });
        context.run();
    };

    once();
    EXPECT_EQ(values[find(g, "d")].text(), "d0(b0(a0())c0(a0()))");
    ++run;
    once();
    EXPECT_EQ(counted::alive, 0);
    ++run;
    once();

    EXPECT_EQ(values[find(g, "d")].text(), "d2(b2(a2())c2(a2()))");
    EXPECT_EQ(counted::alive, 1);
    EXPECT_THAT(done, testing::ElementsAre(4U, 2U, 4U));
}

TEST(VisitValuesOfThreads, AreVisibleToAllDependentsInEveryRun)
{
    shape const g = layers(2000);
    std::vector<std::uint64_t> expected(g.vertex_count());
    for (vertex_id const v : g.vertices()) {
        expected[v.index()] = v.index() + 1;
        for (vertex_id const d : g.dependencies(v)) expected[v.index()] += expected[d.index()] * 3;
    }
    asio::thread_pool pool(4);
    auto const sum = [](vertex_id v, std::uint32_t, auto read) {
        return std::accumulate(read.begin(), read.end(), std::uint64_t{v.index() + 1},
            [](std::uint64_t total, auto const& each) { return total + *each * 3; });
    };
    // A value whose memory a late reader would find freed, and one that is not counted.
    visit_values<std::unique_ptr<std::uint64_t>> owned(g);
    walker own(pool, g,
        owned.visitor([&](vertex_id v, std::uint32_t of, dependency_values<std::unique_ptr<std::uint64_t>> read) {
            return std::make_unique<std::uint64_t>(sum(v, of, read));
        }),
        {.granularity = visit_granularity::coarse});
    visit_values<std::uint64_t> numbers(g, [](vertex_id) { return true; });
    walker count(pool, g, numbers.visitor([](vertex_id v, std::uint32_t, dependency_values<std::uint64_t> read) {
        return ranges::accumulate(read, std::uint64_t{v.index() + 1},
            [](std::uint64_t total, std::uint64_t each) { return total + each * 3; });
    }));

    for (std::uint32_t i = 0; i < runs(20); ++i) {
        ASSERT_FALSE(own.run().error());
        ASSERT_FALSE(count.run().error());
        for (vertex_id const v : g.vertices()) {
            ASSERT_EQ(numbers[v], expected[v.index()]);
            if (g.dependent_count(v) == 0) { ASSERT_EQ(*owned[v], expected[v.index()]); }
        }
    }
}

TEST(VisitValuesOfThreads, OfAwaitableAndHandleVisitsAreVisibleToDependents)
{
    shape const g = layers(300);
    asio::thread_pool pool(4);
    visit_values<std::shared_ptr<std::size_t>> values(g);
    using read = dependency_values<std::shared_ptr<std::size_t>>;
    auto const longest = [](read of) {
        std::size_t length = 0;
        for (auto const& each : of) length = std::max(length, *each);
        return std::make_shared<std::size_t>(length + 1);
    };
    auto const await = [&](vertex_id, std::uint32_t, read of) -> asio::awaitable<std::shared_ptr<std::size_t>> {
        co_await asio::post(asio::use_awaitable);
        co_return longest(of);
    };
    auto const call = [&](vertex_id, std::uint32_t, read of, value_handle<std::shared_ptr<std::size_t>> handle) {
        asio::post(pool, [&, of, handle = std::move(handle)]() mutable { handle(error_code(), longest(of)); });
    };

    for (std::uint32_t i = 0; i < runs(3); ++i) {
        ASSERT_FALSE(walk(pool, g, values.visitor(await)).error());
        std::size_t const awaited = *values[vertex_id(g.vertex_count() - 1)];
        ASSERT_FALSE(walk(pool, g, values.visitor(call)).error());
        EXPECT_EQ(*values[vertex_id(g.vertex_count() - 1)], awaited);
        EXPECT_GT(awaited, 2U);
    }
}

TEST(VisitValuesOfChoice, AreKeptUntilTheyAreTaken)
{
    auto const g = frozen("b: a\nc: b");
    counted::alive = 0;
    visit_values<counted> values(g, [&](vertex_id v) { return g[v] == "a"; });
    asio::thread_pool pool(1);

    auto const report = walk(
        pool, g, values.visitor([](vertex_id, std::string const& name, inputs read) { return nested(name, read); }));

    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(counted::alive, 1);
    EXPECT_EQ(values.take(find(g, "a")).text(), "a()");
    EXPECT_EQ(counted::alive, 0);
}

TEST(VisitValuesOfChoice, AreDestroyedWhenTheyAreTaken)
{
    struct instance {
        instance() { ++*alive; }
        instance(instance&& other) noexcept : alive(other.alive) { ++*alive; }
        auto operator=(instance&&) -> instance& = delete;
        ~instance() { --*alive; }

        std::shared_ptr<std::atomic<int>> alive = std::make_shared<std::atomic<int>>(0);
    };
    auto const g = frozen("a");
    visit_values<instance> values(g);
    asio::thread_pool pool(1);
    ASSERT_EQ(walk(pool, g, values.visitor([](vertex_id, std::string const&, dependency_values<instance>) {
        return instance();
    })).done(),
        1U);

    instance const taken = values.take(vertex_id(0));

    EXPECT_EQ(*taken.alive, 1);
}

TEST(VisitValuesOfChoice, AreDestroyedByClear)
{
    auto const g = frozen("b: a\nc: b");
    counted::alive = 0;
    visit_values<counted> values(g);
    asio::thread_pool pool(1);
    auto const visitor =
        values.visitor([](vertex_id, std::string const& name, inputs read) { return nested(name, read); });

    (void)walk(pool, g, visitor);
    int const kept = counted::alive;
    values.clear();

    EXPECT_EQ(kept, 1);
    EXPECT_EQ(counted::alive, 0);
    EXPECT_EQ(walk(pool, g, visitor).done(), 3U);
}

TEST(VisitValuesByHandle, CanCompleteAnAsynchronousOperationOrFailIfTheHandleIsDropped)
{
    auto const g = frozen("b: a\nc: b\nd");
    counted::alive = 0;
    sim::manual_context context;
    visit_values<counted> values(g);
    std::optional<walk_report> report;

    async_walk(context.get_executor(), g,
        values.visitor([&](vertex_id, std::string const& name, inputs read, value_handle<counted> handle) {
            if (name == "b") return;
            asio::async_initiate<value_handle<counted>, void(error_code, counted)>(
                [&](auto handler) {
                    asio::post(context, [handler = std::move(handler), value = nested(name, read)]() mutable {
                        handler(error_code(), std::move(value));
                    });
                },
                handle);
        }),
        {}, [&](error_code, walk_report ended) { report = std::move(ended); });
    context.run();

    ASSERT_TRUE(report);
    EXPECT_EQ((*report)[find(g, "b")].error(), make_error_code(walk_errc::abandoned));
    EXPECT_EQ((*report)[find(g, "c")].status(), visit_status::skipped);
    EXPECT_EQ(values[find(g, "d")].text(), "d()");
    EXPECT_EQ(counted::alive, 1);
}

TEST(VisitValuesByHandle, CanBeTheResultOfACoroutineOrItsException)
{
    auto const g = frozen("a\nb\nc: b");
    sim::manual_context context;
    visit_values<int> values(g);
    std::optional<walk_report> report;
    auto const work = [](bool fails) -> asio::awaitable<int> {
        if (fails) throw std::runtime_error("b is late");
        co_return 7;
    };

    async_walk(context.get_executor(), g,
        values.visitor([&](vertex_id, std::string const& name, dependency_values<int>, value_handle<int> handle) {
            auto const executor = handle.get_executor();
            asio::co_spawn(executor, work(name == "b"), std::move(handle));
        }),
        {}, [&](error_code, walk_report ended) { report = std::move(ended); });
    context.run();

    ASSERT_TRUE(report);
    EXPECT_EQ(values[find(g, "a")], 7);
    EXPECT_EQ((*report)[find(g, "b")].message(), "b is late");
    EXPECT_EQ((*report)[find(g, "c")].status(), visit_status::skipped);
}

TEST(VisitValuesOfResults, TurnGraphErrorsAndExceptionsIntoOutcomes)
{
    auto const g = frozen("a\nb\nc: a");
    visit_values<int> values(g);
    asio::thread_pool pool(1);

    auto const of_graph =
        walk(pool, g, values.visitor([](vertex_id, std::string const& name, dependency_values<int>) -> result<int> {
            if (name == "a") return graph_error(graph_errc::invalid_value, "a is invalid");
            return 5;
        }));
    auto const of_exception = walk(pool, g,
        values.visitor([](vertex_id, std::string const& name,
                           dependency_values<int>) -> boost::system::result<int, std::exception_ptr> {
            if (name == "a") return std::make_exception_ptr(std::runtime_error("a is late"));
            return 6;
        }));

    EXPECT_EQ(of_graph[find(g, "a")].message(), "a is invalid");
    EXPECT_EQ(of_graph.skipped(), 1U);
    EXPECT_EQ(of_graph.unchanged(), 0U);
    EXPECT_EQ(of_exception[find(g, "a")].message(), "a is late");
    EXPECT_EQ(values[find(g, "b")], 6);
}

TEST(DependencyValues, AreReadForwardsBackwardsAndByPosition)
{
    auto const g = frozen("a\nb\nc\nd: a b c");
    visit_values<std::string> values(g);
    asio::thread_pool pool(1);

    auto const report =
        walk(pool, g, values.visitor([](vertex_id, std::string const& name, dependency_values<std::string> read) {
            std::string text = name;
            for (std::string const& each : read) text += each;
            for (auto at = read.end(); at != read.begin();) text += *--at;
            return text + (read.empty() ? "" : *(read.begin() + 1));
        }));

    EXPECT_EQ(report.done(), 4U);
    EXPECT_EQ(values[find(g, "d")], "dabccbab");
}

template <class Values>
concept makes_visitors = requires(Values&& values) { std::forward<Values>(values).visitor([] {}); };
static_assert(makes_visitors<visit_values<int>&> && !makes_visitors<visit_values<int>>);
static_assert(makes_visitors<value_cache<int>&> && !makes_visitors<value_cache<int>>);

#ifndef NDEBUG
TEST(VisitValuesDeathTest, RejectsVerticesWithoutAValueOfATypeWithoutADestructor)
{
    auto const g = freeze(graph("b: a")).value();
    visit_values<int> values(g);
    auto const visit = values.visitor([](vertex_id, std::string const&, dependency_values<int>) -> result<int> {
        return graph_error(graph_errc::invalid_value, "no value");
    });

    auto const report = [&] {
        asio::thread_pool pool(1);
        return walk(pool, g, visit);
    }();

    EXPECT_TRUE(report.error());
    EXPECT_DEATH((void)values[find(g, "a")], "the value of the vertex exists");
    EXPECT_DEATH((void)values.take(find(g, "b")), "the value of the vertex exists");
}
#endif

}  // namespace
}  // namespace strider::test::values
