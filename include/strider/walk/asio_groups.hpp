// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_GROUPS_HPP
#define STRIDER_WALK_ASIO_GROUPS_HPP

#include <strider/walk/asio.hpp>

#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/experimental/parallel_group.hpp>

/// What Asio has for many operations that wait for one another. Apart from `asio.hpp`, since few need it and all would
/// compile it.

#endif  // STRIDER_WALK_ASIO_GROUPS_HPP
