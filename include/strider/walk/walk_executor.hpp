// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_EXECUTOR_HPP
#define STRIDER_WALK_WALK_EXECUTOR_HPP

#include <strider/walk/asio_execution.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <type_traits>

namespace strider {

/// Executor of walks: functions can be posted to it. Awaitable and handle visitors also need a strand of it, see
/// `visitor_for`.
template <class E>
concept walk_executor = asio::execution::executor<E> && asio::can_require_v<E, asio::execution::blocking_t::never_t>;

/// Execution context with an executor of walks, such as `asio::thread_pool` and `asio::io_context`.
template <class C>
concept walk_context = std::convertible_to<C&, asio::execution_context&> && requires(C& context) {
    { context.get_executor() } -> walk_executor;
};

/// Completion signature of a walk.
using walk_signature = void(error_code, walk_report);

namespace detail {

// Rejects an executor with a readable error.
template <class Executor>
constexpr void report_invalid_executor()
{
    static_assert(walk_executor<Executor>,
        "a walk posts functions: asio::require(executor, execution::blocking.never) must be valid for its executor");
}

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_WALK_WALK_EXECUTOR_HPP
