// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_CALL_AT_HPP
#define STRIDER_WALK_DETAIL_CALL_AT_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/executor.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <utility>

namespace strider::detail {

// Stores `f` until the returned object or the context of the executor is destroyed, and calls it at a time of the clock of
// that context, on any thread. A context without a timer calls nothing.
//
// \param clock  null: time is real
// \param then   since the epoch of the clock; the last one: never
template <class Executor>
[[nodiscard]] auto call_at(Executor const& executor, context_clock* clock, std::chrono::steady_clock::duration then,
    std::function<void()> f) -> std::shared_ptr<void>
{
    if (clock != nullptr) {
        if (auto timer = clock->call_at(context_clock::time_point(then), f)) return timer;
    } else if constexpr (std::convertible_to<Executor const&, asio::any_io_executor>) {
        auto timer = std::make_shared<asio::steady_timer>(executor, std::chrono::steady_clock::time_point(then));
        timer->async_wait([f = std::move(f)](error_code error) {
            if (!error) f();
        });
        return timer;
    }
    return std::make_shared<std::function<void()>>(std::move(f));
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_CALL_AT_HPP
