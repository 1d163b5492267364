// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_WALK_WORLDS_HPP
#define STRIDER_TESTS_WALK_WORLDS_HPP

#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/// The worlds in which every statement about a walk is tested: real threads, and an executor stepped by hand; in each with the
/// ledger on a strand and with one that workers share.
namespace strider::test {

using text_frozen = frozen_digraph<std::string>;
using strict_options = walk_options<strand_scheduler>;

[[nodiscard]] inline auto frozen(std::string_view text) -> text_frozen
{
    return freeze(graph(text)).value();
}

/// How a walk ended, and how often it said so.
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
    using scheduler = strand_scheduler;
    using executor_type = asio::thread_pool::executor_type;
    using timer_type = asio::steady_timer;

    explicit pool_world(std::size_t threads = 4) : pool(threads) {}
    [[nodiscard]] auto executor() -> executor_type { return pool.get_executor(); }

    // Waits for the walk, then for whatever would call its handler a second time.
    void finish(std::future<void> done)
    {
        done.wait();
        pool.join();
    }

    asio::thread_pool pool;
    asio::strand<executor_type> home{pool.get_executor()};
};

struct manual_world {
    using scheduler = strand_scheduler;
    using executor_type = sim::manual_executor;
    using timer_type = sim::virtual_timer;

    manual_world() = default;
    explicit manual_world(std::size_t) {}
    [[nodiscard]] auto executor() -> executor_type { return context.get_executor(); }

    void finish(std::future<void> const& done)
    {
        context.run();
        ASSERT_EQ(done.wait_for(std::chrono::seconds(0)), std::future_status::ready) << "the handler was not called";
    }

    sim::manual_context context;
    asio::strand<executor_type> home{context.get_executor()};
};

template <class World>
struct by_workers : World {
    using World::World;
    using scheduler = work_stealing_scheduler;
};

/// The order of `ascending_id` in a type of its own: with it even plain visits have a ledger.
struct own_order : ascending_id {};

/// Walks in a world with exactly these types, and waits for the end. The handler lives on `world.home`; `signal`, if any, is
/// connected to it. `meanwhile` runs on the calling thread right after the initiating call.
template <class World, class Visitor, class Options>
auto walk_as_is(World& world, text_frozen const& g, Visitor visitor, Options options,
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
    async_walk(world.executor(), g, std::move(visitor), std::move(options),
        asio::bind_cancellation_slot(slot, asio::bind_executor(world.home, std::move(handler))));
    inside = false;
    if (meanwhile) meanwhile();
    world.finish(done.get_future());
    return end;
}

/// Visitors by what they return, erased: one walk of each kind is compiled, once, in worlds.cpp.
template <class R>
using erased_visitor = std::function<R(vertex_id, std::string const&)>;
using erased_handle_visitor = std::function<void(vertex_id, std::string const&, visit_handle)>;

template <class World, class Visitor>
auto walk_erased(World&, text_frozen const&, Visitor, strict_options, asio::cancellation_signal*,
    std::function<void()> const&) -> ending;

/// As `walk_as_is`, but quick to compile.
template <class World, class Visitor>
auto walk_in(World& world, text_frozen const& g, Visitor visitor, strict_options options = {},
    asio::cancellation_signal* signal = nullptr, std::function<void()> const& meanwhile = {}) -> ending
{
    auto const kept = std::make_shared<Visitor>(std::move(visitor));  // may be move-only
    if constexpr (handle_visitor_for<Visitor, text_frozen>) {
        erased_handle_visitor erased = [kept](vertex_id v, std::string const& name, visit_handle handle) {
            (*kept)(v, name, std::move(handle));
        };
        return walk_erased(world, g, std::move(erased), options, signal, meanwhile);
    } else {
        using returned = std::invoke_result_t<Visitor&, vertex_id, std::string const&>;
        erased_visitor<returned> erased = [kept](vertex_id v, std::string const& name) { return (*kept)(v, name); };
        return walk_erased(world, g, std::move(erased), options, signal, meanwhile);
    }
}

/// Emits on `home` and completes after that; deaf to cancellation itself. `co_await async_emit(...)` inside a visit is a
/// cancellation that the walk knows of before the visit goes on.
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
using worlds = testing::Types<pool_world, manual_world, by_workers<pool_world>, by_workers<manual_world>>;

}  // namespace strider::test

#endif  // STRIDER_TESTS_WALK_WORLDS_HPP
