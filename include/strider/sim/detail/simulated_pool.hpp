// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_DETAIL_SIMULATED_POOL_HPP
#define STRIDER_SIM_DETAIL_SIMULATED_POOL_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace strider::sim::detail {

// A thread pool in virtual time. Its threads are threads of the system, because a visit stops in the middle of a function; one
// of them runs at a time, until it sleeps, yields or has no task, and then passes its turn on to the one that is ready first. So
// the pool needs no lock. Time passes only while a thread sleeps.
//
// A thread is started when a task finds no idle one, so a pool with many threads starts only those that run at the same time.
class simulated_pool {
public:
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

    class executor_type {
    public:
        explicit executor_type(simulated_pool& pool) noexcept : pool_(&pool) {}

        [[nodiscard]] auto query(asio::execution::occupancy_t) const noexcept -> std::size_t { return pool_->most_; }
        [[nodiscard]] auto query(asio::execution::blocking_t) const noexcept -> asio::execution::blocking_t
        {
            return asio::execution::blocking_t::never_t();
        }
        [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> executor_type
        {
            return *this;
        }
        template <class F>
        void execute(F&& f) const
        {
            pool_->post(std::forward<F>(f));
        }
        friend auto operator==(executor_type, executor_type) noexcept -> bool = default;

    private:
        simulated_pool* pool_;
    };

    // \param seed  0: threads that are ready at the same time run in the order in which they became ready
    simulated_pool(std::size_t threads, std::uint64_t seed) : most_(threads), seed_(seed), random_(seed) {}
    simulated_pool(simulated_pool const&) = delete;
    auto operator=(simulated_pool const&) -> simulated_pool& = delete;
    // \pre All tasks have run.
    ~simulated_pool()
    {
        while (!timers_.empty()) auto const gone = timers_.extract(timers_.begin());
        is_over_ = true;
        for (auto const& each : threads_) {
            each->turn.release();
            each->body.join();
        }
    }

    [[nodiscard]] auto get_executor() noexcept -> executor_type { return executor_type(*this); }
    // The pool to which the calling thread belongs, or null.
    [[nodiscard]] static auto current() noexcept -> simulated_pool* { return current_; }
    [[nodiscard]] auto now() const noexcept -> time_point { return now_; }

    // Runs all tasks. Called by the owner.
    void run()
    {
        if (ready_.empty()) return;
        take_next().turn.release();
        all_idle_.acquire();
    }

    // Calls `f` in a task when the others have ended and no thread sleeps, at a time that may be later, until the returned
    // object is destroyed. Never at the last point in time.
    [[nodiscard]] auto call_at(time_point then, std::function<void()> f) -> std::shared_ptr<void>
    {
        std::pair const key(then, ++timer_count_);
        timers_.emplace(key, std::move(f));
        return {this, [key](simulated_pool* pool) { auto const gone = pool->timers_.extract(key); }};
    }

    // Called by a thread of the pool: the others run until the time has passed.
    void sleep(duration time)
    {
        simulated_thread& me = *me_;
        ready_.emplace(now_ + std::clamp(time, duration::zero(), time_point::max() - now_), &me);
        simulated_thread& next = take_next();
        if (&next == &me) return;
        next.turn.release();
        me.turn.acquire();
    }
    // Threads that are ready at this time may run first.
    void yield() { sleep(duration::zero()); }

private:
    // A thread that waits for it sleeps at once. `std::binary_semaphore` polls first, which takes the processor from the
    // only thread that may run.
    class baton {
    public:
        void release()
        {
            std::lock_guard const lock(mutex_);
            is_released_ = true;
            released_.notify_one();
        }
        void acquire()
        {
            std::unique_lock lock(mutex_);
            released_.wait(lock, [this] { return is_released_; });
            is_released_ = false;
        }

    private:
        std::mutex mutex_;
        std::condition_variable released_;
        bool is_released_ = false;
    };
    struct simulated_thread {
        baton turn;
        std::thread body;
    };

    template <class F>
    void post(F&& f)
    {
        tasks_.emplace_back(std::forward<F>(f));
        if (!idle_.empty()) {
            ready_.emplace(now_, idle_.back());
            idle_.pop_back();
        } else if (threads_.size() < most_) {
            auto started = std::make_unique<simulated_thread>();
            started->body = std::thread([this, me = started.get()] { work(*me); });
            ready_.emplace(now_, threads_.emplace_back(std::move(started)).get());
        }
    }

    void work(simulated_thread& me)
    {
        current_ = this;
        me_ = &me;
        for (me.turn.acquire(); !is_over_; me.turn.acquire()) {
            do {
                while (!tasks_.empty()) {
                    auto next = std::move(tasks_.front());
                    tasks_.pop_front();
                    std::move(next)();
                }
            } while (ready_.empty() && take_timer());
            idle_.push_back(&me);
            (ready_.empty() ? all_idle_ : take_next().turn).release();
        }
    }

    // \return false if there is none
    [[nodiscard]] auto take_timer() -> bool
    {
        if (timers_.empty() || timers_.begin()->first.first == time_point::max()) return false;
        auto timer = timers_.extract(timers_.begin());
        now_ = std::max(now_, timer.key().first);
        tasks_.emplace_back(std::move(timer.mapped()));
        return true;
    }

    // Removes the next thread from those that are ready, and sets the time to that at which it is.
    [[nodiscard]] auto take_next() -> simulated_thread&
    {
        auto next = ready_.begin();
        if (seed_ != 0) std::advance(next, static_cast<std::ptrdiff_t>(random_() % ready_.count(next->first)));
        now_ = next->first;
        return *ready_.extract(next).mapped();
    }

    inline static thread_local simulated_pool* current_ = nullptr;
    inline static thread_local simulated_thread* me_ = nullptr;

    std::size_t most_;
    std::uint64_t seed_;
    std::mt19937_64 random_;
    time_point now_{};
    std::deque<asio::any_completion_handler<void()>> tasks_;
    std::vector<std::unique_ptr<simulated_thread>> threads_;
    std::vector<simulated_thread*> idle_;
    std::multimap<time_point, simulated_thread*> ready_;
    std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> timers_;
    std::uint64_t timer_count_ = 0;
    baton all_idle_;
    bool is_over_ = false;
};

// The threads policy of a run in a simulated pool.
struct simulated_threads {
    template <class T, strider::detail::shared_variable>
    using atomic = std::atomic<T>;
    using mutex = std::mutex;
    struct clock {
        using duration = simulated_pool::duration;
        using time_point = simulated_pool::time_point;

        [[nodiscard]] static auto now() noexcept -> time_point { return simulated_pool::current()->now(); }
    };

    // A worker that finds no work leaves after the others had a turn. Looking for work takes no time.
    static constexpr int worker_spin_rounds = 2;
    static constexpr int caller_spin_rounds = 1;
    static constexpr std::size_t least_compared_vertices = strider::detail::native_threads::least_compared_vertices;
    static constexpr auto least_shared_run = strider::detail::native_threads::least_shared_run;

    [[nodiscard]] static auto call_at(simulated_pool::duration then, std::function<void()> f) -> std::shared_ptr<void>
    {
        return simulated_pool::current()->call_at(simulated_pool::time_point(then), std::move(f));
    }
    static void pause_worker() { simulated_pool::current()->yield(); }
    static void pause_idle(int) { pause_worker(); }
};

}  // namespace strider::sim::detail

#endif  // STRIDER_SIM_DETAIL_SIMULATED_POOL_HPP
