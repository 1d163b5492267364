// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_READY_QUEUE_HPP
#define STRIDER_WALK_READY_QUEUE_HPP

#include <strider/core/vertex_id.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider {

/// A policy that selects the next vertex among those that are ready.
///
/// `reset` is called once, before the walk, with a bound on the ids; each id is pushed at most once. Calls are never
/// concurrent.
template <class Q>
concept ready_queue_policy =
    std::copy_constructible<Q> && requires(Q& queue, Q const& view, vertex_id v, std::size_t id_bound) {
        queue.reset(id_bound);
        queue.push(v);
        { queue.pop() } -> std::same_as<vertex_id>;  // \pre size() != 0
        { view.size() } -> std::convertible_to<std::size_t>;
    };

/// A ready queue that is also notified when a vertex that it returned is settled, because others may become available
/// then.
template <class Q>
concept settling_queue_policy = ready_queue_policy<Q> && requires(Q& queue, vertex_id v) { queue.settled(v); };

/// A ready queue for graphs that grow during the walk: `resize(id_bound)` is called before greater ids are pushed.
template <class Q>
concept growing_queue_policy =
    ready_queue_policy<Q> && requires(Q& queue, std::size_t id_bound) { queue.resize(id_bound); };

/// The smallest id first, the default. With one visit at a time, runs are repeatable.
///
/// One bit per vertex under a tree of summaries of 64 bits. \complexity O(log64 of the bound) per operation.
class ascending_id {
    using word = std::uint64_t;

public:
    /// Removes all vertices, and allocates memory for ids below the bound.
    void reset(std::size_t id_bound)
    {
        levels_.clear();
        size_ = 0;
        do {
            id_bound = (id_bound + 63) / 64;
            levels_.emplace_back(id_bound);
        } while (id_bound > 1);
    }
    /// Ids below `id_bound` may follow. \complexity amortised O(1) per id
    void resize(std::size_t id_bound)
    {
        if (id_bound <= levels_.front().size() * 64) return;
        std::vector<word> lowest = std::move(levels_.front());
        std::size_t const size = size_;
        reset(std::max(id_bound, lowest.size() * 128));
        size_ = size;
        lowest.resize(levels_.front().size());
        levels_.front() = std::move(lowest);
        for (std::size_t l = 1; l < levels_.size(); ++l)
            for (std::size_t at = 0; at < levels_[l - 1].size(); ++at)
                if (levels_[l - 1][at] != 0) levels_[l][at / 64] |= word{1} << (at % 64);
    }

    /// Adds a vertex that is ready.
    void push(vertex_id v)
    {
        ++size_;
        std::size_t at = v.index();
        for (std::vector<word>& level : levels_) {
            word& w = level[at / 64];
            bool const known_above = w != 0;
            w |= word{1} << (at % 64);
            if (known_above) return;
            at /= 64;
        }
    }

    /// Removes and returns the vertex with the smallest id. \pre size() > 0
    [[nodiscard]] auto pop() -> vertex_id
    {
        --size_;
        std::size_t at = 0;
        for (std::size_t l = levels_.size(); l-- > 0;)
            at = at * 64 + static_cast<std::size_t>(std::countr_zero(levels_[l][at]));
        vertex_id const v(at);
        for (std::vector<word>& level : levels_) {
            word& w = level[at / 64];
            w &= w - 1;
            if (w != 0) break;
            at /= 64;
        }
        return v;
    }

    /// The number of vertices in the queue. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }

private:
    std::vector<std::vector<word>> levels_;
    std::size_t size_ = 0;
};

/// In the order in which vertices became ready. \complexity O(1) per operation.
class fifo {
public:
    /// Removes all vertices, and allocates memory for ids below the bound.
    void reset(std::size_t id_bound)
    {
        order_.clear();
        order_.reserve(id_bound);
        next_ = 0;
    }
    /// Adds a vertex that is ready. \complexity O(1).
    void push(vertex_id v) { order_.push_back(v); }
    /// Does nothing: the queue needs no bound of ids.
    void resize(std::size_t) const noexcept {}
    /// Removes and returns the vertex that was added first. \pre size() > 0 \complexity O(1).
    [[nodiscard]] auto pop() -> vertex_id { return order_[next_++]; }
    /// The number of vertices in the queue. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return order_.size() - next_; }

private:
    std::vector<vertex_id> order_;
    std::size_t next_ = 0;
};

}  // namespace strider

#endif  // STRIDER_WALK_READY_QUEUE_HPP
