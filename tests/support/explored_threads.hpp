// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_EXPLORED_THREADS_HPP
#define STRIDER_TESTS_SUPPORT_EXPLORED_THREADS_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>

#include <support/exploration.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace strider::test {

/// The threads policy of an explored run.
struct explored_threads {
    template <class T, detail::shared_variable Name>
    using atomic = explored_atomic<T, static_cast<int>(Name)>;
    using mutex = explored_mutex;
    /// Time passes for each thread alone, by one step whenever it looks at the clock.
    struct clock {
        using time_point = std::chrono::steady_clock::time_point;
        [[nodiscard]] static auto now() -> time_point { return time_point(step * exploration::count()); }
        inline static std::chrono::nanoseconds step = std::chrono::microseconds(1);
    };

    static constexpr int worker_spin_rounds = 1;
    static constexpr int caller_spin_rounds = 0;
    static constexpr std::size_t least_compared_vertices = std::numeric_limits<std::size_t>::max();
    static constexpr std::chrono::microseconds least_shared_run{100};

    static void pause_worker() {}
    static void pause_idle(int) {}
};

/// An executor that starts a thread for each task. A pool does the same, and sometimes later: what it can do, these threads can do.
/// It may refuse each task, or destroy it without a call.
class explored_executor {
public:
    struct state {
        std::size_t threads = 2;
        bool has_faults = false;
        bool has_refused = false;
        bool has_destroyed = false;
    };

    explicit explored_executor(state& of) noexcept : state_(&of) {}

    [[nodiscard]] auto query(asio::execution::occupancy_t) const noexcept -> std::size_t { return state_->threads; }
    [[nodiscard]] auto query(asio::execution::blocking_t) const noexcept -> asio::execution::blocking_t
    {
        return asio::execution::blocking_t::never_t();
    }
    [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> explored_executor
    {
        return *this;
    }
    template <class F>
    void execute(F&& f) const
    {
        std::size_t const fault = state_->has_faults ? exploration::choose(3) : 0;
        if (fault == 1) {
            state_->has_refused = true;
            throw std::bad_alloc();
        }
        if (fault == 2) {
            state_->has_destroyed = true;
            exploration::start([lost = std::decay_t<F>(std::forward<F>(f))] {});
            return;
        }
        exploration::start(std::decay_t<F>(std::forward<F>(f)));
    }
    friend auto operator==(explored_executor, explored_executor) noexcept -> bool = default;

private:
    state* state_;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_EXPLORED_THREADS_HPP
