// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_PART_LOCKS_HPP
#define IACCTL_STATE_PART_LOCKS_HPP

#include "backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace iacctl::state {

// Rules about parts of a state that do not depend on the place of the state and of its locks.

/// The address without keys of instances: the resource that an instance belongs to. Any other part is returned as it is.
[[nodiscard]] auto resource_of(std::string_view part) -> std::string;

/// Adds the version of a record to those of its part and of the resource that this belongs to. The version of a resource thus changes
/// with each instance that is added, changed or removed.
void add_version(part_versions& to, std::string_view part, std::int64_t version);

/// The versions of the parts that have one.
[[nodiscard]] auto some_of(part_versions const& all, std::span<std::string const> parts) -> part_versions;

/// The parts that two commands cannot have at the same time: those that both write, and those that one writes and the other
/// reads. Who reads a resource reads all of its instances, also those that are not there yet.
/// \complexity O(n log n)
/// \return sorted
[[nodiscard]] auto overlap(state_parts const& requested, state_parts const& held) -> std::vector<std::string>;

/// Lines with parts for a message, at most ten.
[[nodiscard]] auto lines_of(std::vector<std::string> const& parts) -> std::string;

/// Tries until it succeeds, the time is over or the request is stopped, at growing distances of 0.1 s to 2 s.
/// \param attempt  returns true if it has succeeded, or cannot
template <class Attempt>
void attempt_until(lock_request const& requested, Attempt attempt)
{
    using namespace std::chrono;
    auto const deadline = steady_clock::now() + requested.timeout;
    milliseconds delay(100);
    while (!attempt()) {
        auto const left = duration_cast<milliseconds>(deadline - steady_clock::now());
        if (left <= milliseconds(0) || (requested.stop && requested.stop())) return;
        std::this_thread::sleep_for(std::min(delay, left));
        delay = std::min(delay * 2, milliseconds(2000));
    }
}

}  // namespace iacctl::state

#endif  // IACCTL_STATE_PART_LOCKS_HPP
