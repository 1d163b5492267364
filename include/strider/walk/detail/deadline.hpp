// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_DEADLINE_HPP
#define STRIDER_WALK_DETAIL_DEADLINE_HPP

#include <strider/walk/executor.hpp>

#include <chrono>
#include <optional>

namespace strider::detail {

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

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_DEADLINE_HPP
