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

// Rules for parts of a state that do not depend on the place of the state and its locks.

/// Adds the version of a record to the versions of its part and of the resource of the part. Hence the version of a
/// resource changes with each instance that is added, changed or removed.
void add_version(part_versions& to, std::string_view part, std::int64_t version);

/// The versions of those of the parts that have one.
[[nodiscard]] auto some_of(part_versions const& all, std::span<std::string const> parts) -> part_versions;

/// The parts that prevent two commands from running at the same time: parts that both write, and parts that one writes
/// and the other reads. A read of a resource includes all of its instances, also those that do not exist yet.
/// \complexity O(n log n)
/// \return sorted
[[nodiscard]] auto overlap(state_parts const& requested, state_parts const& held) -> std::vector<std::string>;

/// Lines that list parts for a message, at most ten.
[[nodiscard]] auto lines_of(std::vector<std::string> const& parts) -> std::string;

/// Retries until success, the timeout or a stop of the request, at intervals that grow from 0.1 s to 2 s.
/// \param attempt  returns true if it has succeeded or can never succeed
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
