// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
#define STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP

#include <strider/version.hpp>

// Declares `std::chrono::steady_clock` and durations in all standard libraries. `<chrono>` would also include the
// calendar and streams, which take a sixth of the time to parse of all headers of a plain walk.
#include <thread>

#endif  // STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
