// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace strider::test {
namespace {

enum class disk_error : std::uint8_t { none, full };

}  // namespace
}  // namespace strider::test

template <>
struct std::is_error_code_enum<strider::test::disk_error> : std::true_type {};

namespace strider::test {
namespace {

// An enumeration of error codes of the standard library.
[[nodiscard]] auto make_error_code(disk_error e) -> std::error_code
{
    return e == disk_error::none ? std::error_code() : std::make_error_code(std::errc::no_space_on_device);
}

using pool_executor = asio::thread_pool::executor_type;
using manual_strand = asio::strand<sim::manual_executor>;

template <class T, class E = asio::any_io_executor>
using coroutine_visitor = asio::awaitable<T, E> (*)(vertex_id, std::string const&);
template <class T>
using plain_visitor = T (*)(vertex_id, std::string const&);
using handle_visitor = void (*)(vertex_id, std::string const&, visit_handle);
struct move_only_visitor {
    std::unique_ptr<int> owned;
    void operator()(vertex_id, std::string const&) {}
};
[[maybe_unused]] auto const generic = [](auto, auto const&, auto handle) { handle(); };

// The permitted results of visitors.
static_assert(visit_result<void> && visit_result<error_code> && visit_result<visit_outcome>);
static_assert(!visit_result<bool> && !visit_result<int> && !visit_result<std::string>);

// Each visitor has exactly one kind.
static_assert(plain_visitor_for<plain_visitor<void>, text_frozen>);
static_assert(plain_visitor_for<plain_visitor<error_code>, text_frozen>);
static_assert(!plain_visitor_for<plain_visitor<int>, text_frozen>);
static_assert(!plain_visitor_for<coroutine_visitor<void>, text_frozen>);
static_assert(awaitable_visitor_for<coroutine_visitor<void>, text_frozen>);
static_assert(awaitable_visitor_for<coroutine_visitor<visit_outcome>, text_frozen>);
static_assert(!awaitable_visitor_for<coroutine_visitor<int>, text_frozen>);
static_assert(handle_visitor_for<handle_visitor, text_frozen>);
static_assert(handle_visitor_for<decltype(generic), text_frozen>);
static_assert(!plain_visitor_for<decltype(generic), text_frozen>);

// Coroutines must fit the strand of a strand.
static_assert(visitor_for<coroutine_visitor<void>, text_frozen, pool_executor>);
static_assert(visitor_for<coroutine_visitor<void>, text_frozen, sim::manual_executor>);
static_assert(visitor_for<coroutine_visitor<void, manual_strand>, text_frozen, sim::manual_executor>);
static_assert(!visitor_for<coroutine_visitor<void, manual_strand>, text_frozen, pool_executor>);
static_assert(!visitor_for<coroutine_visitor<void, sim::manual_executor>, text_frozen, sim::manual_executor>);
static_assert(visitor_for<move_only_visitor, text_frozen, pool_executor>);
static_assert(visitor_for<handle_visitor, text_frozen, pool_executor>);
static_assert(!visitor_for<int, text_frozen, pool_executor>);

// Strands are recognized by their members.
static_assert(strand_executor<manual_strand> && strand_executor<asio::strand<asio::any_io_executor>>);
static_assert(!strand_executor<sim::manual_executor> && !strand_executor<pool_executor>);
static_assert(!strand_executor<asio::any_io_executor> && !strand_executor<int>);
static_assert(is_manual_executor_v<sim::manual_executor> && is_manual_executor_v<manual_strand>);
static_assert(!is_manual_executor_v<pool_executor> && !is_manual_executor_v<asio::strand<pool_executor>>);

// Policies.
static_assert(ready_queue_policy<ascending_id> && ready_queue_policy<fifo> && !ready_queue_policy<int>);
static_assert(trace_policy<no_trace> && std::is_empty_v<no_trace> && !trace_policy<int>);

// The graphs that can be walked.
template <class Executor, class Graph>
concept can_walk_in_place = requires(Executor e, Graph const& g, plain_visitor<void> v) { walk(e, g, v); };
template <class Graph>
concept can_be_walked =
    requires(pool_executor e, Graph&& g, plain_visitor<void> v) { async_walk(e, std::forward<Graph>(g), v); };
template <class Graph>
concept can_be_walked_with_braces = requires(pool_executor e, Graph&& g, plain_visitor<void> v) {
    async_walk(e, std::forward<Graph>(g), v, {.max_concurrency = 3}, asio::detached);
};
static_assert(can_walk_in_place<pool_executor, text_frozen>);
static_assert(can_be_walked<text_frozen&> && can_be_walked<text_frozen const&>);
static_assert(!can_be_walked<text_frozen> && !can_be_walked<text_frozen const>);
static_assert(can_be_walked_with_braces<text_frozen const&> && !can_be_walked_with_braces<text_frozen>);

// Functions named walk with another first argument than an executor or a context are not those of this library.
template <class... Args>
concept can_be_called = requires(Args... args) { walk(args...); } || requires(Args... args) { async_walk(args...); };
static_assert(!can_be_called<text_frozen const&, vertex_id, long, char const*>);
static_assert(!can_be_called<text_frozen const&, vertex_id, long, char const*, int>);
static_assert(!can_be_called<int, int, int, int, int, int>);

// A handle ends an operation that also has results.
static_assert(std::invocable<visit_handle&, error_code, std::size_t>);
static_assert(!std::invocable<visit_handle&, int>);

// Handles can be moved, and are called once.
static_assert(std::is_nothrow_move_constructible_v<visit_handle> && !std::is_copy_constructible_v<visit_handle>);
static_assert(sizeof(visit_handle) == sizeof(void*));
static_assert(std::is_default_constructible_v<visit_outcome>);

TEST(Visitor, CanBeMoveOnly)
{
    auto const g = frozen("b: a");
    manual_world world;

    auto const end = walk_as_is(world, g, move_only_visitor{std::make_unique<int>(1)}, walk_options<>());

    EXPECT_EQ(end.report.done(), 2U);
}

TEST(Visitor, CanBeACoroutineOverTheTypedStrandOfItsLane)
{
    auto const g = frozen("b: a");
    manual_world world;
    int visits = 0;

    auto const visitor = [&](vertex_id, std::string const&) -> asio::awaitable<void, manual_strand> {
        auto const executor = co_await asio::this_coro::executor;
        co_await asio::post(executor, asio::use_awaitable_t<manual_strand>());
        ++visits;
    };

    auto const end = walk_as_is(world, g, visitor, walk_options<>());

    EXPECT_EQ(end.report.done(), 2U);
    EXPECT_EQ(visits, 2);
}

TEST(VisitHandle, FailsItsVisitWhenAnotherHandleIsMoveAssigned)
{
    auto const g = frozen("a\nb");
    any_world world(world_kind::manual);
    std::vector<visit_handle> kept;

    auto const end = walk_in(world, g, [&](vertex_id, auto const&, visit_handle handle) {
        kept.push_back(std::move(handle));
        if (kept.size() == 2) {
            kept[0] = std::move(kept[1]);
            kept[0]();
            kept.clear();
        }
    });

    EXPECT_EQ(end.statuses(g, {"a", "b"}), "failed done");
    EXPECT_EQ(end.report[find(g, "a")].error(), walk_errc::abandoned);
}

TEST(VisitHandle, IsEmptyAfterAMove)
{
    auto const g = frozen("a");
    any_world world(world_kind::manual);
    bool is_full = false;
    bool is_empty = false;
    bool has_executor = true;
    bool has_slot = true;

    auto const end = walk_in(world, g, [&](vertex_id, auto const&, visit_handle handle) {
        is_full = static_cast<bool>(handle) && handle.get_executor() != nullptr;
        visit_handle other = std::move(handle);
        is_empty = !handle;  // NOLINT(bugprone-use-after-move)
        has_executor = handle.get_executor() != nullptr;
        has_slot = handle.get_cancellation_slot().is_connected();
        handle = std::move(other);
        handle();
    });

    EXPECT_EQ(end.report.done(), 1U);
    EXPECT_TRUE(is_full);
    EXPECT_TRUE(is_empty);
    EXPECT_FALSE(has_executor);
    EXPECT_FALSE(has_slot);
}

TEST(VisitHandle, EndsAVisitThatThrewWhenItIsCalled)
{
    auto const g = frozen("b: a");
    manual_world world;
    std::optional<visit_handle> kept;
    std::string order;

    auto const end = walk_as_is(
        world, g,
        [&](vertex_id, std::string const& name, visit_handle handle) {
            order += name;
            if (name != "a") return handle();
            kept.emplace(std::move(handle));
            asio::post(world.executor(), [&] {
                order += ".";
                (*kept)();
            });
            throw std::runtime_error("after the operation was started");
        },
        walk_options<>());

    EXPECT_EQ(order, "a.");
    EXPECT_EQ(end.statuses(g, {"a", "b"}), "failed skipped");
    EXPECT_EQ(end.report[find(g, "a")].message(), "after the operation was started");
}

// Walks "b: a" with results of a type, by plain, awaitable and handle visitors. \return the outcomes of a
template <class R>
[[nodiscard]] auto outcomes_of(R result) -> std::vector<visit_outcome>
{
    auto const g = frozen("b: a");
    std::vector<visit_outcome> outcomes;
    auto const add = [&](auto visitor) {
        manual_world world;
        auto const end = walk_as_is(world, g, visitor, walk_options<>());
        outcomes.push_back(end.report[find(g, "a")]);
        EXPECT_EQ(end.statuses(g, {"b"}), outcomes.back().is_done() ? "done" : "skipped");
    };
    add([&](vertex_id, std::string const&) { return result; });
    add([&](vertex_id, std::string const&) -> asio::awaitable<R> { co_return result; });
    add([&](vertex_id, std::string const&, visit_handle handle) { handle(result); });
    return outcomes;
}

TEST(ResultOfAVisit, CanBeAnErrorCodeOfTheStandardLibrary)
{
    auto const full = std::make_error_code(std::errc::no_space_on_device);

    for (visit_outcome const& outcome : outcomes_of(full)) {
        EXPECT_EQ(outcome.status(), visit_status::failed);
        EXPECT_EQ(static_cast<std::error_code>(outcome.error()), full);
    }
    for (visit_outcome const& outcome : outcomes_of(std::error_code())) EXPECT_TRUE(outcome.is_done());
}

TEST(ResultOfAVisit, CanBeAnEnumerationOfErrorCodes)
{
    for (visit_outcome const& outcome : outcomes_of(asio::error::connection_refused))
        EXPECT_EQ(outcome.error(), asio::error::connection_refused);
    for (visit_outcome const& outcome : outcomes_of(disk_error::full)) {
        EXPECT_EQ(outcome.status(), visit_status::failed);
        EXPECT_EQ(outcome.error(), boost::system::errc::no_space_on_device);
    }
    for (visit_outcome const& outcome : outcomes_of(disk_error::none)) EXPECT_TRUE(outcome.is_done());
}

// A vertex whose visit finds that it does not apply, and its dependents.
TEST(ResultOfAVisit, SkipsTheVertexAndItsDependents)
{
    for (visit_outcome const& outcome : outcomes_of(visit_outcome::skipped()))
        EXPECT_EQ(outcome.status(), visit_status::skipped);

    auto const g = frozen("b: a\nc: b\nd");
    asio::thread_pool pool(2);
    auto const report = walk(pool, g, [](vertex_id, std::string const& name) {
        return name == "b" ? visit_outcome::skipped() : visit_outcome::done();
    });
    EXPECT_FALSE(report.error());
    EXPECT_EQ(report.done(), 2U);
    EXPECT_EQ(report.skipped(), 2U);
    EXPECT_TRUE(report.root_causes().empty());
}

}  // namespace
}  // namespace strider::test
