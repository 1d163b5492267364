// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_RUN_COMPARISON_HPP
#define STRIDER_WALK_DETAIL_STEALING_RUN_COMPARISON_HPP

#include <strider/walk/detail/stealing/visit_cost.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace strider::detail {

// Decides for each run with short visits whether one worker visits in sequence or workers share the vertices, from the durations of
// earlier runs. The slower way is tried again from time to time.
class run_comparison {
public:
    using duration = std::chrono::nanoseconds;

    // \param least_run  a shorter run is not shared
    // \return true if workers share the next run
    [[nodiscard]] auto choose(std::size_t vertices, duration least_run) noexcept -> bool
    {
        constexpr duration least_visit(20);  // settling a vertex takes a worker about as long
        if (in_sequence_ < least_run || in_sequence_ / static_cast<duration::rep>(vertices) < least_visit) return false;
        if (shared_ == duration::zero()) return true;
        return (shared_ < in_sequence_ - in_sequence_ / 16) != is_trial();
    }

    // A run may have been disturbed: a longer duration than before counts in part.
    void record(bool shared, duration of_run) noexcept
    {
        duration& known = shared ? shared_ : in_sequence_;
        known = known == duration::zero() ? of_run : std::min(of_run, known + known / 8);
    }

    // Called after a run in parallel whose visits were not measured as short. Workers that wait for one another's caches
    // measure a visit as longer than it is. A run that begins in sequence measures its first visits without such waits,
    // and continues in parallel if they are not short.
    // \param each  the duration of a visit, including waits
    // \return true if the next run begins in sequence
    [[nodiscard]] auto may_be_short(duration each) noexcept -> bool
    {
        if (each < short_visit) return true;
        return each < 10 * short_visit && doubtful_runs_++ % runs_between_trials == 0;
    }

private:
    static constexpr std::uint32_t runs_between_trials = 64;

    // A trial takes two runs, because the first one fills the caches. The first trials follow one another sooner: the first measurements
    // may have been disturbed.
    [[nodiscard]] auto is_trial() noexcept -> bool
    {
        if (runs_until_trial_ > 1) {
            --runs_until_trial_;
            return false;
        }
        bool const is_first = runs_until_trial_ == 1;
        if (!is_first) interval_ = std::min(2 * interval_, runs_between_trials);
        runs_until_trial_ = is_first ? 0 : interval_;
        return true;
    }

    duration in_sequence_{};
    duration shared_{};
    std::uint32_t interval_ = 4;
    std::uint32_t runs_until_trial_ = 0;
    std::uint32_t doubtful_runs_ = 0;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_RUN_COMPARISON_HPP
