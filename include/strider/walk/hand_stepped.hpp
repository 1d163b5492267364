// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_HAND_STEPPED_HPP
#define STRIDER_WALK_HAND_STEPPED_HPP

#include <strider/walk/asio.hpp>

namespace strider {

/// True for an executor whose owner steps it: a call that blocks would wait for its own caller. Such an executor has
/// a static member `is_hand_stepped` that is true. A strand over such an executor is hand-stepped too.
template <class Executor>
inline constexpr bool is_hand_stepped_v = false;
/// An executor with the member `is_hand_stepped`.
template <class Executor>
    requires requires { requires Executor::is_hand_stepped; }
inline constexpr bool is_hand_stepped_v<Executor> = true;
/// A strand.
template <class Executor>
inline constexpr bool is_hand_stepped_v<asio::strand<Executor>> = is_hand_stepped_v<Executor>;

}  // namespace strider

#endif  // STRIDER_WALK_HAND_STEPPED_HPP
