// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_STREAMS_HPP
#define STRIDER_WALK_ASIO_STREAMS_HPP

#include <strider/walk/asio.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

/// Asio's buffers and operations on streams. Separate from `asio.hpp` to save compile time, because few headers need them.

#endif  // STRIDER_WALK_ASIO_STREAMS_HPP
