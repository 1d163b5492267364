// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_TIME_OF_HPP
#define STRIDER_WALK_DETAIL_LEDGER_TIME_OF_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/deadline.hpp>

#include <chrono>

namespace strider::detail {

// Returns the time by the clock that the executor names because its time is virtual, else by the steady clock.
template <class Executor>
[[nodiscard]] auto time_of(Executor const& executor) -> deadline::duration
{
    if constexpr (requires { typename Executor::clock_type; })
        return std::chrono::duration_cast<deadline::duration>(Executor::clock_type::now(executor).time_since_epoch());
    else return std::chrono::steady_clock::now().time_since_epoch();
}
template <class Executor>
[[nodiscard]] auto time_of(asio::strand<Executor> const& strand) -> deadline::duration
{
    return time_of(strand.get_inner_executor());
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_TIME_OF_HPP
