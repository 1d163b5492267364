// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP

#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/walk_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace strider::detail {

// Decides from the durations of visits whether they are so short that threads would mostly wait for the ledger. Only the owner of
// the ledger uses it.
class short_visits {
public:
    explicit short_visits(visit_granularity granularity) noexcept
        : short_(granularity == visit_granularity::fine),
          adapts_(granularity == visit_granularity::adaptive)
    {}

    [[nodiscard]] auto are_expected() const noexcept -> bool { return short_; }

    // The thread may have been preempted: a slow visit counts only if it is long, or the second in a row.
    // \param duration  0 if it was not measured
    void count(std::chrono::nanoseconds duration) noexcept
    {
        constexpr std::uint32_t enough = 8;
        if (!adapts_ || duration == std::chrono::nanoseconds::zero()) return;
        if (duration < short_visit) {
            was_slow_ = false;
            if (!short_ && ++in_a_row_ == enough) short_ = true;
        } else {
            in_a_row_ = 0;
            if (std::exchange(was_slow_, true) || duration >= long_measurement) short_ = false;
        }
    }

private:
    std::uint32_t in_a_row_ = 0;
    bool short_;
    bool adapts_;
    bool was_slow_ = false;
};

// The end of a visit in a time slice.
struct visit_time {
    std::chrono::nanoseconds duration{};  // 0 if it was not measured
    bool slice_is_over = false;
};

// The time in which visits follow one another without a post, and the durations of a sample of these visits. If the time of
// the walk is virtual, the slice is over after each visit, but the visits may continue as another task.
template <class Clock>
class visit_time_slice {
public:
    // \param is_stepped  the time of the walk is virtual
    explicit visit_time_slice(bool is_stepped) noexcept : is_stepped_(is_stepped), is_over_(is_stepped) {}

    // Called after each visit.
    [[nodiscard]] auto end_visit() noexcept -> visit_time
    {
        constexpr std::chrono::nanoseconds between_measurements = std::chrono::microseconds(10);
        if (is_stepped_ || !is_measured_) return {};
        auto const now = Clock::now();
        std::chrono::nanoseconds const duration =
            std::max<std::chrono::nanoseconds>(now - start_, std::chrono::nanoseconds(1));
        left_ = std::clamp<std::chrono::nanoseconds::rep>(between_measurements / duration, 1, 8);
        is_over_ = now - begin_ > max_time_slice;
        return {duration, is_over_};
    }
    [[nodiscard]] auto is_over() const noexcept -> bool { return is_over_; }
    // Called before each visit but the first.
    void begin_visit() noexcept
    {
        is_measured_ = --left_ == 0;
        if (is_measured_) start_ = Clock::now();
    }

private:
    typename Clock::time_point begin_ = Clock::now();
    typename Clock::time_point start_ = begin_;  // of the visit that is measured
    std::chrono::nanoseconds::rep left_ = 1;  // visits until the next measured one
    bool is_measured_ = true;
    bool is_stepped_;
    bool is_over_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
