// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_WALK_WORLDS_HPP
#define STRIDER_TESTS_WALK_WORLDS_HPP

#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/graph_text.hpp>
#include <support/places.hpp>
#include <support/world_clock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// The worlds in which every test of a walk runs: real threads, and a manual executor, each with a ledger on a
/// strand and with a ledger that threads share. A world is selected at run time, so that a test is compiled once.
namespace strider::test {

using text_frozen = dag<std::string>;

/// Visits that do nothing, of vertices of any value.
inline auto const nothing = [](vertex_id, auto const&) {};
inline auto const awaiting_nothing = [](vertex_id, auto const&) -> asio::awaitable<void> { co_return; };

[[nodiscard]] inline auto frozen(std::string_view text) -> text_frozen
{
    return freeze(graph(text)).value();
}

/// The end of a walk, and the number of calls of its handler.
struct ending {
    error_code error;
    walk_report report;
    int calls = 0;

    [[nodiscard]] auto status(text_frozen const& g, std::string_view name) const -> visit_status
    {
        return report[find(g, name)].status();
    }
    /// "done failed ..." in the order of the names.
    [[nodiscard]] auto statuses(text_frozen const& g, std::vector<std::string> const& names) const -> std::string
    {
        std::string all;
        for (std::string const& name : names) all += (all.empty() ? "" : " ") + std::string(to_string(status(g, name)));
        return all;
    }
};

struct pool_world {
    using executor_type = asio::thread_pool::executor_type;
    using timer_type = asio::steady_timer;

    explicit pool_world(std::size_t threads = 4) : pool(threads) {}
    [[nodiscard]] auto executor() -> executor_type { return pool.get_executor(); }

    // Waits for the walk, and then for anything that could call its handler a second time.
    void finish(std::future<void> done)
    {
        done.wait();
        pool.join();
    }

    asio::thread_pool pool;
    asio::strand<executor_type> home{pool.get_executor()};
};

struct manual_world {
    using executor_type = sim::manual_executor;
    using timer_type = sim::virtual_timer;

    [[nodiscard]] auto executor() -> executor_type { return context.get_executor(); }

    void finish(std::future<void> const& done)
    {
        context.run();
        ASSERT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::ready) << "the handler was not called";
    }

    sim::manual_context context;
    asio::strand<executor_type> home{context.get_executor()};
};

enum class world_kind : std::uint8_t { threads, manual, threads_by_workers, manual_by_workers };

/// A world of either kind behind the type-erased executor of Asio.
class any_world {
public:
    using executor_type = asio::any_io_executor;
    using timer_type = world_clock::timer_type;

    explicit any_world(world_kind kind, std::size_t threads = 4) : kind_(kind), home(open(threads)) {}

    [[nodiscard]] auto has_threads() const -> bool
    {
        return kind_ == world_kind::threads || kind_ == world_kind::threads_by_workers;
    }
    [[nodiscard]] auto has_workers() const -> bool
    {
        return kind_ == world_kind::threads_by_workers || kind_ == world_kind::manual_by_workers;
    }
    [[nodiscard]] auto executor() -> executor_type
    {
        if (auto* const pool = std::get_if<pool_world>(&inner_)) return pool->executor();
        return std::get<manual_world>(inner_).executor();
    }
    void finish(std::future<void> done)
    {
        if (auto* const pool = std::get_if<pool_world>(&inner_)) pool->finish(std::move(done));
        else std::get<manual_world>(inner_).finish(done);
    }

private:
    auto open(std::size_t threads) -> executor_type
    {
        if (has_threads()) return inner_.emplace<pool_world>(threads).executor();
        return inner_.emplace<manual_world>().executor();
    }

    world_kind kind_;
    std::variant<std::monostate, pool_world, manual_world> inner_;

public:
    asio::strand<executor_type> home;
};

/// The order of `ascending_id` in a type of its own: with it even plain visits have a ledger.
struct own_order : ascending_id {};

/// Walks in a world, on this executor and with exactly these types, and waits for the end. The executor of the handler is
/// `world.home`; `signal`, if any, is connected to it. `meanwhile` runs on the calling thread directly after the initiating
/// call.
template <class World, class Executor, class Visitor, class Options>
auto walk_on(World& world, Executor const& executor, text_frozen const& g, Visitor visitor, Options options,
    asio::cancellation_signal* signal = nullptr, std::function<void()> const& meanwhile = {}) -> ending
{
    ending end;
    std::promise<void> done;
    auto const caller = std::this_thread::get_id();
    bool inside = true;  // used on the calling thread only
    auto handler = [&end, &done, &inside, caller](error_code error, walk_report report) {
        if (std::this_thread::get_id() == caller) {
            EXPECT_FALSE(inside) << "the handler was called from inside the initiating call";
        }
        end.error = error;
        end.report = std::move(report);
        if (++end.calls == 1) done.set_value();
    };
    auto const slot = signal != nullptr ? signal->slot() : asio::cancellation_slot();
    async_walk(executor, g, std::move(visitor), std::move(options),
        asio::bind_cancellation_slot(slot, asio::bind_executor(world.home, std::move(handler))));
    inside = false;
    if (meanwhile) meanwhile();
    world.finish(done.get_future());
    return end;
}

/// As above, on the executor of the world.
template <class World, class Visitor, class Options>
auto walk_as_is(World& world, text_frozen const& g, Visitor visitor, Options options,
    asio::cancellation_signal* signal = nullptr, std::function<void()> const& meanwhile = {}) -> ending
{
    return walk_on(world, world.executor(), g, std::move(visitor), std::move(options), signal, meanwhile);
}

/// Type-erased visitors, one for each result type: one walk of each is compiled, once, in worlds.cpp.
template <class R>
using erased_visitor = std::function<R(vertex_id, std::string const&)>;
using erased_handle_visitor = std::function<void(vertex_id, std::string const&, visit_handle)>;

template <class Visitor>
auto walk_erased(any_world&, text_frozen const&, Visitor, walk_options<>, asio::cancellation_signal*,
    std::function<void()> const&) -> ending;

/// As `walk_as_is`, but compiles faster.
template <class Visitor>
auto walk_in(any_world& here, text_frozen const& g, Visitor visitor, walk_options<> options = {},
    asio::cancellation_signal* signal = nullptr, std::function<void()> const& meanwhile = {}) -> ending
{
    auto const erased = [&]<class Erased>(std::type_identity<Erased>) {
        if constexpr (std::copy_constructible<Visitor>) {
            return Erased(std::move(visitor));
        } else {
            return Erased([kept = std::make_shared<Visitor>(std::move(visitor))](auto&&... arguments) {
                return (*kept)(std::forward<decltype(arguments)>(arguments)...);
            });
        }
    };
    if constexpr (handle_visitor_for<Visitor, text_frozen>) {
        return walk_erased(here, g, erased(std::type_identity<erased_handle_visitor>()), options, signal, meanwhile);
    } else {
        using returned = std::invoke_result_t<Visitor&, vertex_id, std::string const&>;
        return walk_erased(here, g, erased(std::type_identity<erased_visitor<returned>>()), options, signal, meanwhile);
    }
}

/// Emits on `home` and completes after that; it ignores cancellation itself. After `co_await async_emit(...)` inside a
/// visit, the walk has received the cancellation before the visit continues.
template <class World, class Token>
auto async_emit(World& world, asio::cancellation_signal& signal, asio::cancellation_type type, Token&& token)
{
    return asio::async_initiate<Token, void()>(
        [&world, &signal, type](auto handler) {
            asio::post(world.home, [&signal, type, handler = std::move(handler)]() mutable {
                signal.emit(type);
                auto const executor = asio::get_associated_executor(handler);
                asio::post(executor, std::move(handler));
            });
        },
        token);
}

template <class World>
class in_world : public testing::Test {
protected:
    using timer_type = typename World::timer_type;
    World here;
};

using executors = testing::Types<pool_world, manual_world>;

/// A test in each kind of world.
class in_each_world : public testing::TestWithParam<world_kind> {
protected:
    using timer_type = any_world::timer_type;
    any_world here{GetParam()};
};

inline auto const world_kinds = testing::Values(
    world_kind::threads, world_kind::manual, world_kind::threads_by_workers, world_kind::manual_by_workers);

inline auto to_string(world_kind kind) -> std::string
{
    constexpr std::array names{"Threads", "ByHand", "ThreadsByWorkers", "ByHandByWorkers"};
    return names.at(static_cast<std::size_t>(kind));
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_WALK_WORLDS_HPP
