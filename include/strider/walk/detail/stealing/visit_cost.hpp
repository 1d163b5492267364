// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP
#define STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP

#include <strider/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace strider::detail {

// Maximum time for which a handler uses its thread of the executor before other handlers run.
inline constexpr std::chrono::milliseconds max_time_slice{1};

// A visit that takes less is so short that offering a vertex to other workers costs more than it saves.
inline constexpr std::chrono::nanoseconds short_visit{150};
// In walks with a ledger, a measurement that takes longer is not the result of a disturbance.
inline constexpr std::chrono::microseconds long_measurement{20};

// Estimates the duration of visits, by reading the clock once per several visits, to decide whether visits are so
// short that offering a vertex to other workers costs more than it saves.
class visit_cost {
public:
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::steady_clock::time_point;

    // A worker starts, with the result of earlier measurements.
    void begin(time_point now, bool known_short) noexcept
    {
        short_ = known_short;
        together_ = known_short ? 16 : 1;
        each_ = duration::zero();
        restart(now);
    }
    // The time before was not spent on a visit.
    void restart(time_point now) noexcept
    {
        left_ = together_;
        start_ = now;
    }
    [[nodiscard]] auto is_short() const noexcept -> bool { return short_; }
    // True if at least four visits fit between two reads of the clock: a visit takes a few microseconds at most.
    [[nodiscard]] auto may_defer() const noexcept -> bool { return together_ >= 4; }
    // True if the last visits took less than a microsecond on average.
    [[nodiscard]] auto is_brief() const noexcept -> bool { return each_ != duration::zero() && each_ < duration(600); }
    // The number of visits that are measured together.
    [[nodiscard]] auto together() const noexcept -> std::uint32_t { return together_; }
    // \return true if the clock must be read
    [[nodiscard]] auto count_one() noexcept -> bool { return --left_ == 0; }

    // The thread may have been preempted: a slow measurement counts only if it is the second in a row. The second one
    // comprises eight visits, because the caches may be cold after the first one.
    // \param limit  visits that take less are short
    void measure(time_point now, duration limit) noexcept
    {
        constexpr std::chrono::microseconds between_readings{10};
        each_ = std::max<duration>((now - start_) / together_, duration(1));
        if (each_ < limit) {
            ++short_in_a_row_;
            was_slow_ = false;
            short_ = short_ || short_in_a_row_ >= 8;
        } else {
            short_in_a_row_ = 0;
            if (std::exchange(was_slow_, true)) short_ = false;
        }
        together_ = static_cast<std::uint32_t>(std::clamp<duration::rep>(between_readings / each_, 1, short_ ? 64 : 8));
        if (short_ && was_slow_) together_ = 8;
        restart(now);
    }

private:
    time_point start_;
    duration each_{};  // the last measurement
    std::uint32_t together_ = 1;
    std::uint32_t left_ = 1;
    std::uint32_t short_in_a_row_ = 0;
    bool was_slow_ = false;
    bool short_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP
