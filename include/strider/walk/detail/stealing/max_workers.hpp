// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_MAX_WORKERS_HPP
#define STRIDER_WALK_DETAIL_STEALING_MAX_WORKERS_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace strider::detail {

// The maximum number of concurrent plain visits if time is real.
template <class Executor>
[[nodiscard]] auto max_workers(
    Executor const& executor, std::uint32_t max_concurrency, std::uint32_t threads, std::size_t vertices) -> index_t
{
    if (strand_executor<Executor>) return 1;
    std::size_t most = threads;
    if constexpr (asio::can_query_v<Executor const&, asio::execution::occupancy_t>)
        if (most == 0) most = static_cast<std::size_t>(asio::query(executor, asio::execution::occupancy));
    if (most == 0) most = max_concurrency;
    if (most == 0) most = std::thread::hardware_concurrency();
    if (max_concurrency != 0) most = std::min<std::size_t>(most, max_concurrency);
    return static_cast<index_t>(std::clamp<std::size_t>(most, 1, std::max<std::size_t>(vertices, 1)));
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_MAX_WORKERS_HPP
