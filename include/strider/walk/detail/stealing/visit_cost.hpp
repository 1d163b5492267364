// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP
#define STRIDER_WALK_DETAIL_STEALING_VISIT_COST_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strider::detail {

// How long a handler keeps its thread of the executor while other handlers may wait.
inline constexpr tick_clock::ticks turn = tick_clock::nanoseconds(1'000'000);

// How long visits take, from a look at the clock every few of them: are they so short that offering a vertex to other
// workers costs more than it brings?
class visit_cost {
public:
    using ticks = tick_clock::ticks;

    // A worker comes, and is told what was known before.
    void begin(ticks now, bool quick) noexcept
    {
        short_ = quick;
        together_ = quick ? 8 : 1;
        go_on(now);
    }
    // What came before was no visit.
    void go_on(ticks now) noexcept
    {
        left_ = together_;
        mark_ = now;
    }
    [[nodiscard]] auto is_short() const noexcept -> bool { return short_; }
    // Whether so many visits come between two looks at the clock that each takes a few microseconds at most.
    [[nodiscard]] auto is_medium() const noexcept -> bool { return together_ >= 4; }
    // How many visits are measured together.
    [[nodiscard]] auto together() const noexcept -> std::uint32_t { return together_; }
    // \return whether it is time for a look at the clock
    [[nodiscard]] auto count_one() noexcept -> bool { return --left_ == 0; }

    // Somebody else may have had the processor: a slow moment counts when it is long, or the second in a row.
    void measure(ticks now, bool may_be_short) noexcept
    {
        constexpr auto tiny = tick_clock::nanoseconds(150);
        constexpr auto long_moment = tick_clock::nanoseconds(20'000);
        constexpr auto between_looks = tick_clock::nanoseconds(10'000);
        ticks const each = (now - mark_) / together_ + 1;
        if (each < tiny) {
            ++short_in_a_row_;
            was_slow_ = false;
            short_ = may_be_short && (short_ || short_in_a_row_ >= 8);
        } else {
            short_in_a_row_ = 0;
            if (now - mark_ >= long_moment || std::exchange(was_slow_, true)) short_ = false;
        }
        together_ = static_cast<std::uint32_t>(std::clamp<ticks>(between_looks / each, 1, short_ ? 32 : 8));
        go_on(now);
    }

private:
    ticks mark_ = 0;
    std::uint32_t together_ = 1;
    std::uint32_t left_ = 1;
    std::uint32_t short_in_a_row_ = 0;
    bool was_slow_ = false;
    bool short_ = false;
};

// What lies there will be changed soon: another processor may give it up already while this one does something else.
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
