// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP

#include <strider/walk/detail/stealing/visit_cost.hpp>

#include <algorithm>
#include <chrono>

namespace strider::detail {

// The end of a visit in a time slice.
struct visit_time {
    std::chrono::nanoseconds duration{};  // 0 if it was not measured
    bool slice_is_over = false;
};

// The time in which visits follow one another without a post, and the durations of a sample of these visits. If the time of
// the walk is virtual, the slice is over after each visit, but the visits may continue as another task.
class visit_time_slice {
    using clock = std::chrono::steady_clock;

public:
    // \param is_stepped  the time of the walk is virtual
    explicit visit_time_slice(bool is_stepped) noexcept : is_stepped_(is_stepped), is_over_(is_stepped) {}

    // Called after each visit.
    [[nodiscard]] auto end_visit() noexcept -> visit_time
    {
        constexpr std::chrono::nanoseconds between_measurements = std::chrono::microseconds(10);
        if (is_stepped_ || !is_measured_) return {};
        auto const now = clock::now();
        std::chrono::nanoseconds const duration = std::max<clock::duration>(now - start_, clock::duration(1));
        left_ = std::clamp<std::chrono::nanoseconds::rep>(between_measurements / duration, 1, 8);
        is_over_ = now - begin_ > max_time_slice;
        return {duration, is_over_};
    }
    [[nodiscard]] auto is_over() const noexcept -> bool { return is_over_; }
    // Called before each visit but the first.
    void begin_visit() noexcept
    {
        is_measured_ = --left_ == 0;
        if (is_measured_) start_ = clock::now();
    }

private:
    clock::time_point begin_ = clock::now();
    clock::time_point start_ = begin_;  // of the visit that is measured
    std::chrono::nanoseconds::rep left_ = 1;  // visits until the next measured one
    bool is_measured_ = true;
    bool is_stepped_;
    bool is_over_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
