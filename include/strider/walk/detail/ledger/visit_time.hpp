// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP

#include <strider/walk/detail/stealing/visit_cost.hpp>

#include <utility>

namespace strider::detail {

// The end of a visit in a time slice.
struct visit_time {
    tick_clock::ticks duration = 0;  // 0 if it was not measured
    bool slice_is_over = false;
};

// The time in which visits follow one another without a post, and the durations of a sample of these visits. If the time of
// the walk is virtual, the slice is over after each visit, but the visits may continue as another task.
class visit_time_slice {
public:
    // \param is_stepped  the time of the walk is virtual
    visit_time_slice(bool is_stepped, bool measures_visits) noexcept
        : measures_visits_(measures_visits),
          is_stepped_(is_stepped)
    {}

    // Called after each visit.
    [[nodiscard]] auto end_visit() noexcept -> visit_time
    {
        if (is_stepped_) return {};
        tick_clock::ticks const now = tick_clock::now();
        tick_clock::ticks const duration = now - std::exchange(start_, now);
        return {is_measured_ || duration >= long_measurement ? duration : 0, is_over()};
    }
    [[nodiscard]] auto is_over() const noexcept -> bool { return is_stepped_ || start_ - begin_ > max_time_slice; }
    // Called before each visit but the first.
    void begin_visit() noexcept
    {
        constexpr unsigned sample = 8;
        is_measured_ = measures_visits_ && ++visits_ % sample == 0;
        if (is_measured_) start_ = tick_clock::now();
    }

private:
    tick_clock::ticks begin_ = tick_clock::now();
    tick_clock::ticks start_ = begin_;  // of the visit, or the end of the one before
    unsigned visits_ = 0;
    bool is_measured_ = true;
    bool measures_visits_;
    bool is_stepped_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_TIME_HPP
