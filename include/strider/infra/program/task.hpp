// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_TASK_HPP
#define STRIDER_INFRA_PROGRAM_TASK_HPP

#include <strider/walk/asio.hpp>

namespace strider::infra {

/// The one coroutine type of the engine, of providers and of stores.
template <class T>
using task = asio::awaitable<T>;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_TASK_HPP
