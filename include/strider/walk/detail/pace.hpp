// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_PACE_HPP
#define STRIDER_WALK_DETAIL_PACE_HPP

#include <chrono>
#include <cstdint>
#include <thread>

namespace strider::detail {

// Time for decisions, not for measurements: read often, so it must cost little. About right is good enough.
struct tick_clock {
    using ticks = std::uint64_t;

#if defined(__x86_64__) || defined(__i386__)
    static constexpr double per_nanosecond = 2.5;
    [[nodiscard]] static auto now() noexcept -> ticks { return __builtin_ia32_rdtsc(); }
#else
    static constexpr double per_nanosecond = 1;
    [[nodiscard]] static auto now() noexcept -> ticks
    {
        return static_cast<ticks>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
    }
#endif

    [[nodiscard]] static constexpr auto nanoseconds(double count) noexcept -> ticks
    {
        return static_cast<ticks>(count * per_nanosecond);
    }
};

// One round of waiting for another thread: first the processor is told, later the system, for its sake who is waited for.
inline void wait_a_little(int round) noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    if (round % 64 != 63) return __builtin_ia32_pause();
#endif
    if (round % 64 == 63) std::this_thread::yield();
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_PACE_HPP
