// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_RUN_CONTROL_HPP
#define STRIDER_WALK_DETAIL_RUN_CONTROL_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace strider::detail {

// A reference to a run that may have ended. It has memory of its own: that of an operation is released before its handler is
// called.
template <class Run, class Threads>
class run_link {
public:
    explicit run_link(Run& to) noexcept : to_(&to) {}

    // Calls `f(run)` under a mutex, unless the run has ended. Any thread.
    template <class F>
    void visit(F f)
    {
        std::lock_guard const lock(mutex_);
        if (to_ != nullptr) f(*to_);
    }
    // Called at the end of the run.
    void disconnect()
    {
        std::lock_guard const lock(mutex_);
        to_ = nullptr;
    }

private:
    typename Threads::mutex mutex_;
    Run* to_;
};

// The time after which a run starts no visit. Runs compare it with their clock where a visit starts or ends: a timer
// would wait behind the visits for a thread of the executor. A run without visits that waits for other runs uses a timer.
class deadline {
public:
    using duration = std::chrono::steady_clock::duration;

    deadline() = default;
    // \param clock  null: time is real
    deadline(std::optional<duration> timeout, context_clock const* clock) noexcept : timeout_(timeout), clock_(clock) {}

    [[nodiscard]] auto is_set() const noexcept -> bool { return timeout_.has_value(); }
    // The time since the epoch of the clock; the last one without a timeout. \pre the run has begun
    [[nodiscard]] auto end() const noexcept -> duration { return end_; }
    // Called when a run begins. Clock: of the threads of the run, if time is real. \pre is_set()
    template <class Clock = std::chrono::steady_clock>
    void start()
    {
        duration const begin = now<Clock>();
        end_ = *timeout_ > duration::max() - begin ? duration::max() : begin + *timeout_;
    }
    // \pre is_set(), and the run has begun
    template <class Clock = std::chrono::steady_clock>
    [[nodiscard]] auto has_passed() const -> bool
    {
        return now<Clock>() >= end_;
    }

private:
    template <class Clock>
    [[nodiscard]] auto now() const -> duration
    {
        return clock_ != nullptr ? duration(clock_->now().time_since_epoch())
                                 : duration(Clock::now().time_since_epoch());
    }

    std::optional<duration> timeout_;
    context_clock const* clock_ = nullptr;
    duration end_ = duration::max();
};

// The stop requests of a run: one word that is read before each visit and rarely written.
//
//   cancellation   no visit started       a visit started
//   total          all are cancelled      no effect
//   partial        all are cancelled      nothing new starts, running visits complete
//   terminal       all are cancelled      as partial, and running visits are signalled
//
// A deadline acts as a partial cancellation.
//
// A request sets a bit from any thread, so it needs no strand. Plain visits may read it by a stop token; a
// ledger signals the others.
template <class Threads = native_threads>
class basic_run_control {
public:
    enum stop_bit : unsigned {
        by_partial = 1,
        by_terminal = 2,
        by_total = 4,
        by_failure = 8,
        inherited_matters =
            16,  // not a stop: a visit ended other than done, or the run is partial and a visit needs a reason
        by_timeout = 64,
        has_started = 32,  // not a stop: in the same word, so a total cancellation and the first visit are ordered
        any_request = by_partial | by_terminal | by_total,
        any_cancel = any_request | by_timeout,
        any_stop = any_cancel | by_failure,
    };
    // Called before the first run.
    void set(bool stop_on_first_failure, deadline end = {})
    {
        deadline_ = end;
        stop_on_first_failure_ = stop_on_first_failure;
    }

    // Any thread, at any time. *Total* takes effect if no visit has started.
    void request(asio::cancellation_type_t type) noexcept
    {
        auto const requests = [type](asio::cancellation_type bit) {
            return (type & bit) != asio::cancellation_type::none;
        };
        if (requests(asio::cancellation_type::terminal)) return raise(by_terminal);
        if (requests(asio::cancellation_type::partial)) return raise(by_partial);
        if (!requests(asio::cancellation_type::total)) return;
        unsigned now = bits_.load(std::memory_order_relaxed);
        while ((now & has_started) == 0)
            if (bits_.compare_exchange_weak(now, now | by_total, std::memory_order_relaxed)) return;
    }

    // Starts the time of the deadline.
    void open(bool is_partial)
    {
        if (deadline_.is_set()) deadline_.template start<typename Threads::clock>();
        if (is_partial) watch_inherited();
    }
    // Called before the first visit: from now on a total cancellation has no effect.
    void start() noexcept { raise(has_started); }
    // From now on, a worker that settles a dependency passes its outcome on to the worker that takes the dependent.
    void watch_inherited() noexcept { raise(inherited_matters); }
    void reset() noexcept { bits_.store(0, std::memory_order_relaxed); }

    // 0 if nothing but the start was recorded.
    [[nodiscard]] auto bits() const noexcept -> unsigned
    {
        return bits_.load(std::memory_order_relaxed) & ~unsigned{has_started};
    }
    [[nodiscard]] auto stopping() const noexcept -> bool { return (bits() & any_stop) != 0; }
    // True if running visits are asked to end.
    [[nodiscard]] auto signals_visits() const noexcept -> bool { return (bits() & by_terminal) != 0; }
    // True if the deadline has ended the run, and no request.
    [[nodiscard]] auto timed_out() const noexcept -> bool { return (bits() & any_cancel) == by_timeout; }
    [[nodiscard]] auto has_deadline() const noexcept -> bool { return deadline_.is_set(); }
    [[nodiscard]] auto end() const noexcept -> deadline::duration { return deadline_.end(); }
    void check_deadline()
    {
        if (deadline_.is_set() && deadline_.template has_passed<typename Threads::clock>()) raise(by_timeout);
    }

    // Returns the outcome that the run records for a visit, and applies `stop_on_first_failure`.
    [[nodiscard]] auto classify(visit_outcome outcome) -> visit_outcome
    {
        if (outcome.status() != visit_status::failed) return outcome;
        if ((bits() & any_cancel) != 0 && outcome.error() == boost::system::errc::operation_canceled)
            return visit_outcome::cancelled(outcome.error());
        if (stop_on_first_failure_) raise(by_failure);
        return outcome;
    }

private:
    void raise(unsigned bit) noexcept
    {
        if ((bits_.load(std::memory_order_relaxed) & bit) == 0) bits_.fetch_or(bit, std::memory_order_relaxed);
    }

    shared_atomic<Threads, unsigned, shared_variable::control> bits_{0};
    deadline deadline_;
    bool stop_on_first_failure_ = false;
};

using run_control = basic_run_control<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_RUN_CONTROL_HPP
