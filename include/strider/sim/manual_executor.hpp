// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_MANUAL_EXECUTOR_HPP
#define STRIDER_SIM_MANUAL_EXECUTOR_HPP

#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/asio.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>

namespace strider::sim {

class manual_executor;

/// The context of `manual_executor`: tasks run, and time advances, only when the owner calls a function of it.
///
/// Seed 0 runs tasks in order of arrival. Any other seed selects the next task at random among the ready ones; the
/// same seed gives the same run, so a printed seed reproduces a failure. Not thread-safe.
class manual_context : public asio::execution_context {
public:
    /// The type of the executor of this context.
    using executor_type = manual_executor;

    /// A context without tasks. \param seed  decides the order of the tasks; 0: the order in which they are submitted
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

    /// Destroys all tasks that have not run; nothing runs afterwards. Destructors may post (a handle that was never
    /// called, a coroutine that unwinds): such tasks are destroyed too, while strands and timers still exist.
    ///
    /// The destructor does the same. Call `drop` if waiting tasks use an object that must not outlive this context,
    /// such as a cancellation signal.
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

    /// Returns an executor of this context.
    [[nodiscard]] auto get_executor() noexcept -> executor_type;
    /// The seed that decides the order of the tasks.
    [[nodiscard]] auto seed() const noexcept -> std::uint64_t { return seed_; }
    /// The virtual time.
    [[nodiscard]] auto now() const noexcept -> virtual_time::time_point { return time_.now(); }
    /// The number of tasks that are ready.
    [[nodiscard]] auto ready() const noexcept -> std::size_t { return ready_.size(); }
    /// The number of tasks that have run.
    [[nodiscard]] auto steps() const noexcept -> std::uint64_t { return steps_; }

    /// Runs one ready task, without advancing time; \return false if there is none.
    auto step() -> bool
    {
        if (ready_.empty()) return false;
        // A member, because the move assignment of a handler does not work in Boost 1.81.
        if (seed_ != 0) ready_.front().swap(ready_[next_random() % ready_.size()]);
        auto next = std::move(ready_.front());
        ready_.pop_front();
        ++steps_;
        inside const here(running_);
        std::move(next)();
        return true;
    }
    /// As `step`, but advances time to the next deadline if nothing is ready; \return false if there is no deadline
    /// either.
    auto run_one() -> bool
    {
        while (!step())
            if (!time_.advance()) return false;
        return true;
    }
    /// Runs tasks until none is ready, without advancing time; \return the number of tasks.
    auto run_ready() -> std::size_t
    {
        std::size_t count = 0;
        while (step()) ++count;
        return count;
    }
    /// Runs until there is neither a task nor a deadline, advancing virtual time; \return the number of tasks.
    auto run() -> std::size_t
    {
        std::size_t count = 0;
        while (run_one()) ++count;
        return count;
    }
    /// Runs all tasks that become ready within `after` from now, and sets the time to the end of that interval.
    void run_for(virtual_time::duration after)
    {
        virtual_time::time_point const then = time_.at(after);
        run_ready();
        for (auto next = time_.next_deadline(); next && *next <= then; next = time_.next_deadline()) {
            time_.advance();
            run_ready();
        }
        time_.advance_to(then);
        run_ready();
    }

private:
    friend class manual_executor;

    // Marks that a task is running, during its lifetime.
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

    template <class F>
    void execute(F&& f)
    {
        if (!dropping_) ready_.emplace_back(std::forward<F>(f));
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
    std::deque<asio::any_completion_handler<void()>> ready_;
    std::uint64_t seed_;
    std::uint64_t random_;
    std::uint64_t steps_ = 0;
    bool running_ = false;
    bool dropping_ = false;
};

/// An Asio executor that its `manual_context` steps; usable with `strand`, `any_io_executor` and `co_spawn`.
///
/// `post` always queues. `dispatch` calls the function directly if a task of the same context is running, as in a
/// thread pool: `co_spawn` (Boost 1.81) forwards cancellation by `dispatch` with a pointer that is not valid later.
class manual_executor {
public:
    /// Blocking functions such as `strider::walk` reject this executor: they would wait for their own caller.
    static constexpr bool is_manual_executor = true;

    /// An executor of this context. \pre context outlives the executor
    explicit manual_executor(manual_context& context) noexcept : context_(&context) {}

    /// Returns the context.
    [[nodiscard]] auto query(asio::execution::context_t) const noexcept -> asio::execution_context&
    {
        return *context_;
    }
    /// `possibly` if `execute` may call a function directly, which is so by default; else `never`.
    [[nodiscard]] auto query(asio::execution::blocking_t) const noexcept -> asio::execution::blocking_t
    {
        if (in_place_) return asio::execution::blocking_t::possibly_t();
        return asio::execution::blocking_t::never_t();
    }
    /// Returns an executor of the same context that always queues: `execute` calls no function directly.
    [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> manual_executor
    {
        return manual_executor(context_, false);
    }
    /// Returns an executor of the same context whose `execute` calls the function directly inside of a running task.
    [[nodiscard]] auto require(asio::execution::blocking_t::possibly_t) const noexcept -> manual_executor
    {
        return manual_executor(context_, true);
    }

    /// Calls `f` directly if `blocking` is `possibly` and a task of the context is running. Otherwise a later step runs it;
    /// if the context was dropped, it is destroyed.
    template <class F>
    void execute(F&& f) const
    {
        if (!in_place_ || !context_->running_) return context_->execute(std::forward<F>(f));
        std::decay_t<F> task(std::forward<F>(f));
        task();
    }

    /// True if both have the same context and the same property `blocking`.
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
