// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_RESOURCE_POOLS_HPP
#define STRIDER_WALK_RESOURCE_POOLS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/ready_queue.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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
/// A vertex takes a place of its pool when it is popped, and returns it when it is settled: among the ready vertices of
/// a pool, the one that `queue` prefers starts next. A vertex that must wait for a place blocks no thread. The limit of
/// the whole walk applies as well. With `fifo`, a vertex that was passed over because its pool was full may start after
/// one of its pool that became ready later.
///
/// `pool_of` is called once for each vertex. A vertex with an unlimited capacity belongs to no pool.
template <class PoolOf, class Queue = ascending_id>
class resource_pools {
    static_assert(pool_policy<PoolOf>,
        "the function of resource_pools is copyable and called as pool_of(vertex_id) -> resource_pool");
    static_assert(ready_queue_policy<Queue>, "resource_pools wraps a ready queue, such as ascending_id or fifo");

    struct pool {
        std::uint32_t capacity;
        std::uint32_t taken = 0;  // places
        std::size_t ready = 0;  // vertices that have no place yet
        std::size_t candidates = 0;  // those of them that are in the common queue
        Queue waiting;  // the others

        [[nodiscard]] auto is_full() const noexcept -> bool { return taken == capacity; }
        [[nodiscard]] auto poppable() const noexcept -> std::size_t
        {
            return std::min<std::size_t>(ready, capacity - taken);
        }
    };
    static constexpr std::uint32_t no_pool = std::numeric_limits<std::uint32_t>::max();

public:
    /// A queue that asks `pool_of` for the pool of each vertex, and orders ready vertices by `queue`.
    explicit resource_pools(PoolOf pool_of, Queue queue = {})
        : pool_of_(std::move(pool_of)),
          empty_(queue),
          common_(std::move(queue))
    {}

    /// Removes all vertices and pools before a walk.
    void reset(std::size_t id_bound)
    {
        pools_.clear();
        numbers_.clear();
        pool_of_vertex_.assign(id_bound, no_pool);
        poppable_ = 0;
        empty_.reset(id_bound);
        common_.reset(id_bound);
    }
    /// Prepares for ids below a larger bound, because the graph has grown.
    void resize(std::size_t id_bound)
        requires growing_queue_policy<Queue>
    {
        for (pool& each : pools_) each.waiting.resize(id_bound);
        pool_of_vertex_.resize(id_bound, no_pool);
        empty_.resize(id_bound);
        common_.resize(id_bound);
    }
    /// Adds a vertex that is ready.
    /// \throws std::invalid_argument if its pool has another capacity for another vertex
    void push(vertex_id v)
    {
        std::uint32_t const number = number_of(std::invoke(pool_of_, v));
        pool_of_vertex_[v.index()] = number;
        if (number == no_pool) {
            common_.push(v);
            ++poppable_;
            return;
        }
        pool& its = pools_[number];
        poppable_ -= its.poppable();
        ++its.ready;
        poppable_ += its.poppable();
        // While the pool is full and no other of its vertices is in the common queue, this one waits behind those that wait.
        if (its.is_full() && its.candidates == 0) return its.waiting.push(v);
        ++its.candidates;
        common_.push(v);
    }
    /// Removes and returns the preferred vertex among those that have a place. \pre size() > 0
    [[nodiscard]] auto pop() -> vertex_id
    {
        for (;;) {
            vertex_id const v = common_.pop();
            std::uint32_t const number = pool_of_vertex_[v.index()];
            if (number != no_pool) {
                pool& its = pools_[number];
                --its.candidates;
                if (its.is_full()) {
                    its.waiting.push(v);
                    continue;
                }
                ++its.taken;
                --its.ready;
            }
            --poppable_;
            return v;
        }
    }
    /// Returns the place that the visit of `v` had: the preferred vertex that waits for it may be popped.
    void settled(vertex_id v)
    {
        std::uint32_t const number = pool_of_vertex_[v.index()];
        if (number == no_pool) return;
        pool& its = pools_[number];
        poppable_ -= its.poppable();
        --its.taken;
        poppable_ += its.poppable();
        if (its.waiting.size() == 0) return;
        common_.push(its.waiting.pop());
        ++its.candidates;
    }
    /// The number of vertices that may be popped, without those that wait for a place of their pools.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return poppable_; }

private:
    [[nodiscard]] auto number_of(resource_pool const& given) -> std::uint32_t
    {
        if (given.capacity == resource_pool::unlimited) return no_pool;
        std::uint32_t const capacity = std::max<std::uint32_t>(given.capacity, 1);
        auto const [at, is_new] = numbers_.try_emplace(given.id, static_cast<std::uint32_t>(pools_.size()));
        if (is_new) pools_.push_back({.capacity = capacity, .waiting = empty_});
        else if (pools_[at->second].capacity != capacity)
            throw std::invalid_argument("the resource pool " + std::to_string(given.id) + " has two capacities: "
                + std::to_string(pools_[at->second].capacity) + " and " + std::to_string(capacity));
        return at->second;
    }

    PoolOf pool_of_;
    Queue empty_;
    Queue common_;  // vertices without a pool, and candidates for the places of pools
    std::vector<pool> pools_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of pools, by id
    std::vector<std::uint32_t> pool_of_vertex_;
    std::size_t poppable_ = 0;
};

}  // namespace strider

#endif  // STRIDER_WALK_RESOURCE_POOLS_HPP
