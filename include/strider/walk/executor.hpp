// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_EXECUTOR_HPP
#define STRIDER_WALK_EXECUTOR_HPP

#include <strider/version.hpp>
#include <strider/walk/asio.hpp>

#include <concepts>

namespace strider {

/// An executor that runs one function at a time on another executor: `asio::strand`, or a type with these members of it.
///
/// A walk on such an executor runs all visits, its bookkeeping and its trace on the strand. The type decides: a strand in an
/// `any_io_executor` is no `strand_executor`.
template <class E>
concept strand_executor = requires(E const& executor) {
    typename E::inner_executor_type;
    { executor.get_inner_executor() } -> std::convertible_to<typename E::inner_executor_type>;
    { executor.running_in_this_thread() } -> std::convertible_to<bool>;
};

/// Executor of walks: functions can be posted to it. Awaitable and handle visitors also need a strand of it, see
/// `visitor_for`.
template <class E>
concept walk_executor = asio::execution::executor<E> && asio::can_require_v<E, asio::execution::blocking_t::never_t>;

/// Execution context with an executor of walks, such as `asio::thread_pool` and `asio::io_context`.
template <class C>
concept walk_context = std::convertible_to<C&, asio::execution_context&> && requires(C& context) {
    { context.get_executor() } -> walk_executor;
};

namespace detail {

// The strand of visits on an executor: the executor itself if it is a strand.
template <class Executor>
struct strand_of {
    using type = asio::strand<Executor>;
};
template <strand_executor Executor>
struct strand_of<Executor> {
    using type = Executor;
};
template <class Executor>
using strand_of_t = typename strand_of<Executor>::type;

}  // namespace detail

/// True for an executor whose owner steps it: a call that blocks would wait for its own caller. Such an executor has
/// a static member `is_manual_executor` that is true. A strand over such an executor is manual too.
template <class Executor>
inline constexpr bool is_manual_executor_v = false;
/// An executor with the member `is_manual_executor`.
template <class Executor>
    requires requires { requires Executor::is_manual_executor; }
inline constexpr bool is_manual_executor_v<Executor> = true;
/// A strand.
template <strand_executor Executor>
inline constexpr bool is_manual_executor_v<Executor> = is_manual_executor_v<typename Executor::inner_executor_type>;

}  // namespace strider

#endif  // STRIDER_WALK_EXECUTOR_HPP
