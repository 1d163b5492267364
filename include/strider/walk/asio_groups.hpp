// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_GROUPS_HPP
#define STRIDER_WALK_ASIO_GROUPS_HPP

#include <strider/walk/asio.hpp>

#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

/// Asio's groups of operations. Separate from `asio.hpp` to save compile time, because few headers need them.

#endif  // STRIDER_WALK_ASIO_GROUPS_HPP
