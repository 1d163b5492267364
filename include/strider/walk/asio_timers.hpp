// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_TIMERS_HPP
#define STRIDER_WALK_ASIO_TIMERS_HPP

#include <strider/walk/asio.hpp>

#include <boost/asio/steady_timer.hpp>

/// Asio's timers. Separate from `asio.hpp` to save compile time: they include Boost.DateTime, and a walk needs none.

#endif  // STRIDER_WALK_ASIO_TIMERS_HPP
