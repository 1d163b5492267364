// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_HANDLERS_HPP
#define STRIDER_WALK_ASIO_HANDLERS_HPP

#include <strider/walk/asio.hpp>

#include <boost/asio/any_completion_handler.hpp>

/// Asio's completion handlers of erased type. Separate from `asio.hpp` to save compile time, because few headers need
/// them.

#endif  // STRIDER_WALK_ASIO_HANDLERS_HPP
