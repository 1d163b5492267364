// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_MANUAL_EXECUTOR_HPP
#define STRIDER_SIM_MANUAL_EXECUTOR_HPP

#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/asio.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

namespace strider::sim {

class manual_executor;

/// A world that moves only when it is told to: the context of `manual_executor`.
///
/// Seed 0 runs tasks in the order in which they came. With any other seed every ready task may be next, and the same
/// seed gives the same run; print it and a failure can be had again. One thread only.
class manual_context : public asio::execution_context {
public:
    using executor_type = manual_executor;

    explicit manual_context(std::uint64_t seed = 0)
        : time_(asio::use_service<virtual_time>(*this)),
          seed_(seed),
          random_(seed)
    {}

    ~manual_context()
    {
        drop();
        shutdown();
        destroy();
    }

    /// Drops what has not run; nothing runs any more. What is destroyed may post (a handle that was never called, a
    /// coroutine that unwinds): that is dropped, too, while strands and timers are still there to take it.
    ///
    /// The destructor does it, too. Call it where something that must not outlive this context, such as a cancellation
    /// signal, is still used by what waits.
    void drop()
    {
        dropping_ = true;
        do {
            while (!ready_.empty()) {
                auto const gone = std::move(ready_.front());
                ready_.pop_front();
            }
        } while (time_.drop() || !ready_.empty());
    }

    [[nodiscard]] auto get_executor() noexcept -> executor_type;
    [[nodiscard]] auto seed() const noexcept -> std::uint64_t { return seed_; }
    [[nodiscard]] auto now() const noexcept -> virtual_time::time_point { return time_.now(); }
    /// How many tasks could run now.
    [[nodiscard]] auto ready() const noexcept -> std::size_t { return ready_.size(); }
    /// How many tasks have run.
    [[nodiscard]] auto steps() const noexcept -> std::uint64_t { return steps_; }

    /// Runs one task that is ready, without moving time; \return false if there is none.
    auto step() -> bool
    {
        if (ready_.empty()) return false;
        if (seed_ != 0) std::swap(ready_.front(), ready_[next_random() % ready_.size()]);
        auto const next = std::move(ready_.front());
        ready_.pop_front();
        ++steps_;
        inside const here(running_);
        next->run();
        return true;
    }
    /// As `step`, but if nothing is ready time jumps to the next deadline; \return false if nothing can happen any more.
    auto run_one() -> bool
    {
        while (!step())
            if (!time_.advance()) return false;
        return true;
    }
    /// Runs tasks until none is ready, without moving time; \return how many.
    auto run_ready() -> std::size_t
    {
        std::size_t count = 0;
        while (step()) ++count;
        return count;
    }
    /// Runs until nothing can happen any more, through all of virtual time; \return how many tasks.
    auto run() -> std::size_t
    {
        std::size_t count = 0;
        while (run_one()) ++count;
        return count;
    }
    /// Runs what happens until `after` from now, and stands there then.
    void run_for(virtual_time::duration after)
    {
        virtual_time::time_point const then = now() + after;
        run_ready();
        for (auto next = time_.next_deadline(); next && *next <= then; next = time_.next_deadline()) {
            time_.advance();
            run_ready();
        }
        time_.advance_to(then);
    }

private:
    friend class manual_executor;

    // Marks that a task is running, for as long as it does.
    class inside {
    public:
        explicit inside(bool& running) noexcept : running_(running), before_(std::exchange(running, true)) {}
        inside(inside const&) = delete;
        auto operator=(inside const&) -> inside& = delete;
        ~inside() { running_ = before_; }

    private:
        bool& running_;
        bool before_;
    };

    class task {
    public:
        task() = default;
        task(task const&) = delete;
        auto operator=(task const&) -> task& = delete;
        virtual ~task() = default;
        virtual void run() = 0;
    };
    template <class F>
    class task_of final : public task {
    public:
        explicit task_of(F f) : f_(std::move(f)) {}
        void run() override
        {
            F f(std::move(f_));
            f();
        }

    private:
        F f_;
    };

    template <class F>
    void execute(F&& f)
    {
        if (!dropping_) ready_.push_back(std::make_unique<task_of<std::decay_t<F>>>(std::forward<F>(f)));
    }

    // splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators): the same on every platform.
    [[nodiscard]] auto next_random() noexcept -> std::uint64_t
    {
        std::uint64_t z = (random_ += 0x9e37'79b9'7f4a'7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return z ^ (z >> 31U);
    }

    virtual_time& time_;
    std::deque<std::unique_ptr<task>> ready_;
    std::uint64_t seed_;
    std::uint64_t random_;
    std::uint64_t steps_ = 0;
    bool running_ = false;
    bool dropping_ = false;
};

/// An Asio executor that is stepped by hand through its `manual_context`; fits `strand`, `any_io_executor`, `co_spawn`.
///
/// `post` always queues. `dispatch` runs in place when a task of the same context is running, as it does on a thread
/// pool: `co_spawn` (Boost 1.81) forwards cancellation by `dispatch` with a pointer that does not live until later.
class manual_executor {
public:
    /// Blocking functions such as `strider::walk` refuse this executor: they would wait for their own caller.
    static constexpr bool is_hand_stepped = true;
    /// Times out in the time of the context.
    using timer_type = virtual_timer;

    explicit manual_executor(manual_context& context) noexcept : context_(&context) {}

    [[nodiscard]] auto query(asio::execution::context_t) const noexcept -> asio::execution_context&
    {
        return *context_;
    }
    [[nodiscard]] auto query(asio::execution::blocking_t) const noexcept -> asio::execution::blocking_t
    {
        if (in_place_) return asio::execution::blocking_t::possibly_t();
        return asio::execution::blocking_t::never_t();
    }
    [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> manual_executor
    {
        return manual_executor(context_, false);
    }
    [[nodiscard]] auto require(asio::execution::blocking_t::possibly_t) const noexcept -> manual_executor
    {
        return manual_executor(context_, true);
    }

    template <class F>
    void execute(F&& f) const
    {
        if (!in_place_ || !context_->running_) return context_->execute(std::forward<F>(f));
        std::decay_t<F> task(std::forward<F>(f));
        task();
    }

    friend auto operator==(manual_executor, manual_executor) noexcept -> bool = default;

private:
    manual_executor(manual_context* context, bool in_place) noexcept : context_(context), in_place_(in_place) {}

    manual_context* context_;
    bool in_place_ = true;
};

inline auto manual_context::get_executor() noexcept -> executor_type
{
    return manual_executor(*this);
}

}  // namespace strider::sim

#endif  // STRIDER_SIM_MANUAL_EXECUTOR_HPP
