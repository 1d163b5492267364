// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP
#define STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strider::detail {

// Maximum time for which a handler uses its thread of the executor before other handlers run.
inline constexpr tick_clock::ticks max_time_slice = tick_clock::nanoseconds(1'000'000);

// A visit that takes less is so short that offering a vertex to other workers costs more than it saves.
inline constexpr tick_clock::ticks short_visit = tick_clock::nanoseconds(150);
// In walks with a ledger, a measurement that takes longer is not the result of a disturbance.
inline constexpr tick_clock::ticks long_measurement = tick_clock::nanoseconds(20'000);

// Estimates the duration of visits, by reading the clock once per several visits, to decide whether visits are so
// short that offering a vertex to other workers costs more than it saves.
class visit_cost {
public:
    using ticks = tick_clock::ticks;

    // A worker starts, with the result of earlier measurements.
    void begin(ticks now, bool known_short) noexcept
    {
        short_ = known_short;
        together_ = known_short ? 8 : 1;
        each_ = 0;
        restart(now);
    }
    // The time before was not spent on a visit.
    void restart(ticks now) noexcept
    {
        left_ = together_;
        start_ = now;
    }
    [[nodiscard]] auto is_short() const noexcept -> bool { return short_; }
    // True if at least four visits fit between two reads of the clock: a visit takes a few microseconds at most.
    [[nodiscard]] auto may_defer() const noexcept -> bool { return together_ >= 4; }
    // True if the last visits took less than a microsecond on average.
    [[nodiscard]] auto is_brief() const noexcept -> bool { return each_ != 0 && each_ < tick_clock::nanoseconds(600); }
    // The number of visits that are measured together.
    [[nodiscard]] auto together() const noexcept -> std::uint32_t { return together_; }
    // \return true if the clock must be read
    [[nodiscard]] auto count_one() noexcept -> bool { return --left_ == 0; }

    // The thread may have been preempted: a slow measurement counts only if it is the second in a row. The second one
    // comprises eight visits, because the caches may be cold after the first one.
    // \param limit  visits that take less are short
    void measure(ticks now, ticks limit) noexcept
    {
        constexpr auto between_readings = tick_clock::nanoseconds(10'000);
        each_ = (now - start_) / together_ + 1;
        if (each_ < limit) {
            ++short_in_a_row_;
            was_slow_ = false;
            short_ = short_ || short_in_a_row_ >= 8;
        } else {
            short_in_a_row_ = 0;
            if (std::exchange(was_slow_, true)) short_ = false;
        }
        together_ = static_cast<std::uint32_t>(std::clamp<ticks>(between_readings / each_, 1, short_ ? 32 : 8));
        if (short_ && was_slow_) together_ = 8;
        restart(now);
    }

private:
    ticks start_ = 0;
    ticks each_ = 0;  // the last measurement
    std::uint32_t together_ = 1;
    std::uint32_t left_ = 1;
    std::uint32_t short_in_a_row_ = 0;
    bool was_slow_ = false;
    bool short_ = false;
};

// Prefetches a cache line for writing, so that other processors release it early.
inline void will_change(void const* place) noexcept
{
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<char const*>(place)));
#else
    __builtin_prefetch(place, 1);
#endif
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP
