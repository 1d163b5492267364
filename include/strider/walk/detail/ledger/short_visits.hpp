// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_SHORT_VISITS_HPP
#define STRIDER_WALK_DETAIL_LEDGER_SHORT_VISITS_HPP

#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/walk_options.hpp>

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

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_SHORT_VISITS_HPP
