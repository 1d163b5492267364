// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASIO_HPP
#define STRIDER_WALK_ASIO_HPP

#include <strider/version.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <type_traits>
#include <utility>

/// The parts of Asio that walks use, as single headers. Other headers include Asio through this one, and its timers through
/// `clock.hpp`; what only one higher floor uses is included there.
namespace strider {

namespace asio = boost::asio;
/// The error codes of Asio and of walks.
using error_code = boost::system::error_code;

namespace detail {

// An executor that keeps its context from running out of work while it exists. `asio::executor_work_guard` does not
// compile for a strand over an executor with only the required properties (Boost 1.81).
template <class Executor>
using tracked_t =
    std::decay_t<decltype(asio::prefer(std::declval<Executor const&>(), asio::execution::outstanding_work.tracked))>;

template <class Executor>
[[nodiscard]] auto tracked(Executor const& executor) -> tracked_t<Executor>
{
    return asio::prefer(executor, asio::execution::outstanding_work.tracked);
}

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_WALK_ASIO_HPP
