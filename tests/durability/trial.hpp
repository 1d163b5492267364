// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_DURABILITY_TRIAL_HPP
#define IACCTL_TESTS_DURABILITY_TRIAL_HPP

#include "workload.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace iacctl::durability {

/// The part of all trials that one process carries out.
struct trial_options {
    std::uint64_t seed = 1;
    std::uint64_t slice = 1;  ///< of `slices`, from 1
    std::uint64_t slices = 1;
    std::string work;  ///< only workloads whose name contains it
    std::uint64_t damages = 10000;
    bool synchronizes = true;  ///< false: nothing becomes durable, which the trials must detect
    fs::path samples;
    fs::path directory;  ///< for files, in memory if possible
};

/// The results of trials.
struct tally {
    std::uint64_t points = 0;
    std::uint64_t images = 0;  ///< states of files that were judged
    std::uint64_t losses = 0;
    std::uint64_t hangs = 0;
    std::uint64_t different = 0;

    auto operator+=(tally const& other) -> tally&
    {
        points += other.points;
        images += other.images;
        losses += other.losses;
        hangs += other.hangs;
        different += other.different;
        return *this;
    }
};

/// Calls `trial` with every number of the slice below `count`, in order, in a process of its own, and prints those that
/// are not sound. If this process ends, or takes more than 60 seconds for a trial, another one continues.
/// \param trial  judges one point
/// \param describe  names a point, to find it again
[[nodiscard]] auto try_all(std::uint64_t count, trial_options const& options,
    std::function<verdict(std::uint64_t)> const& trial, std::function<std::string(std::uint64_t)> const& describe)
    -> tally;

/// A crash at every operation of every workload.
[[nodiscard]] auto try_crashes(trial_options const& options) -> tally;
/// The end of the process at every operation of every workload. Another one continues, then the power is lost.
[[nodiscard]] auto try_kills(trial_options const& options) -> tally;
/// An error of every call of every workload. Then the power is lost, at once or after another process continued.
[[nodiscard]] auto try_errors(trial_options const& options) -> tally;
/// Damages of databases, logs, marks, plans and interchanged states.
[[nodiscard]] auto try_damages(trial_options const& options) -> tally;

}  // namespace iacctl::durability

#endif  // IACCTL_TESTS_DURABILITY_TRIAL_HPP
