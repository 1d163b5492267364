// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
#define STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP

#include <strider/version.hpp>

#include <thread>

/// `std::chrono::steady_clock` and durations. `<thread>` declares them in all standard libraries; `<chrono>` adds the
/// calendar and streams, which take longer to compile than all headers of a plain walk.
namespace strider::detail {}

#endif  // STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
