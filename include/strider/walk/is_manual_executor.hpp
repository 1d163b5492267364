// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_IS_MANUAL_EXECUTOR_HPP
#define STRIDER_WALK_IS_MANUAL_EXECUTOR_HPP

#include <strider/walk/strand_executor.hpp>

namespace strider {

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

#endif  // STRIDER_WALK_IS_MANUAL_EXECUTOR_HPP
