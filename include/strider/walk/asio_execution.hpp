// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_EXECUTION_HPP
#define STRIDER_WALK_ASIO_EXECUTION_HPP

#include <strider/version.hpp>

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

/// The parts of Asio that a walk by workers uses: executors, and what is posted to them. `asio.hpp` has all parts that the
/// library uses.
namespace strider {

namespace asio = boost::asio;
/// The error codes of Asio and of walks.
using error_code = boost::system::error_code;

}  // namespace strider

#endif  // STRIDER_WALK_ASIO_EXECUTION_HPP
