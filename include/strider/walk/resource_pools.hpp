// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_RESOURCE_POOLS_HPP
#define STRIDER_WALK_RESOURCE_POOLS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/ready_queue.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace strider {

/// A pool of a limited resource: at most `capacity` of its vertices are visited at once.
struct resource_pool {
    /// A capacity without a limit.
    static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

    /// Identifies the pool: vertices with the same id share its capacity.
    std::uint64_t id = 0;
    std::uint32_t capacity = unlimited;  ///< 0 means 1
};

/// A function that returns the pool of each vertex.
template <class F>
concept pool_policy = std::copy_constructible<F> && requires(F& pool_of, vertex_id v) {
    { std::invoke(pool_of, v) } -> std::convertible_to<resource_pool>;
};

/// A ready queue that wraps another one and limits the concurrency of pools of vertices, like the pools of ninja.
///
/// A vertex of a full pool waits in a queue of the pool and blocks no thread. When a vertex of the pool is settled,
/// the next one becomes available. The limit of the whole walk applies as well.
template <pool_policy PoolOf, ready_queue_policy Queue = ascending_id>
class resource_pools {
    struct queue_of_pool {
        Queue waiting;
        std::uint32_t under_way = 0;
    };

public:
    /// A queue that asks `pool_of` for the pool of each vertex, and orders the available ones by `queue`.
    explicit resource_pools(PoolOf pool_of, Queue queue = {})
        : pool_of_(std::move(pool_of)),
          empty_(queue),
          available_(std::move(queue))
    {}

    /// Removes all vertices and pools before a walk.
    void reset(std::size_t id_bound)
    {
        pools_.clear();
        empty_.reset(id_bound);
        available_.reset(id_bound);
    }
    /// Prepares for ids below a larger bound, because the graph has grown.
    void resize(std::size_t id_bound)
        requires growing_queue_policy<Queue>
    {
        for (auto& [_, its] : pools_) its.waiting.resize(id_bound);
        empty_.resize(id_bound);
        available_.resize(id_bound);
    }
    /// Adds a vertex that is ready; it is available when its pool has capacity.
    void push(vertex_id v)
    {
        resource_pool const pool = std::invoke(pool_of_, v);
        if (pool.capacity == resource_pool::unlimited) return available_.push(v);
        auto at = pools_.find(pool.id);
        if (at == pools_.end()) at = pools_.emplace(pool.id, queue_of_pool{empty_}).first;
        queue_of_pool& its = at->second;
        if (its.under_way != 0 && its.under_way >= pool.capacity) return its.waiting.push(v);
        ++its.under_way;
        available_.push(v);
    }
    /// Removes and returns an available vertex. \pre size() > 0
    [[nodiscard]] auto pop() -> vertex_id { return available_.pop(); }
    /// Returns the capacity that the visit of `v` had, and makes the next vertex of its pool available.
    void settled(vertex_id v)
    {
        resource_pool const pool = std::invoke(pool_of_, v);
        if (pool.capacity == resource_pool::unlimited) return;
        queue_of_pool& its = pools_.find(pool.id)->second;
        if (its.waiting.size() == 0) --its.under_way;
        else available_.push(its.waiting.pop());
    }
    /// The number of available vertices, without those that wait for their pools.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return available_.size(); }

private:
    PoolOf pool_of_;
    Queue empty_;
    Queue available_;
    std::unordered_map<std::uint64_t, queue_of_pool> pools_;
};

}  // namespace strider

#endif  // STRIDER_WALK_RESOURCE_POOLS_HPP
