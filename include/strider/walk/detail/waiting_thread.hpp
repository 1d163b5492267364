// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WAITING_THREAD_HPP
#define STRIDER_WALK_DETAIL_WAITING_THREAD_HPP

#include <strider/core/assert.hpp>
#include <strider/walk/asio.hpp>

namespace strider::detail {

// True if this thread runs a function of the executor, as far as the executor knows.
template <class Executor>
[[nodiscard]] auto runs_in_this_thread(Executor const& executor) noexcept -> bool
{
    if constexpr (requires { executor.running_in_this_thread(); }) return executor.running_in_this_thread();
    else return false;
}

// Asserts that the context of the executor runs functions, as far as the context knows.
template <class Executor>
void assert_not_stopped([[maybe_unused]] Executor const& executor)
{
    if constexpr (requires { asio::query(executor, asio::execution::context).stopped(); })
        STRIDER_ASSERT(!asio::query(executor, asio::execution::context).stopped(),
            "the context of the executor is not stopped: it would not run the walk");
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WAITING_THREAD_HPP
