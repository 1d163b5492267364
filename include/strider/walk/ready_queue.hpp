// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_READY_QUEUE_HPP
#define STRIDER_WALK_READY_QUEUE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
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

/// A ready queue in which vertices may also become available by events outside of the walk, such as the end of visits of other
/// walks. It then calls, on any thread, the function that `set_waker` receives after `reset`, an object that can be copied. The walk does not complete while
/// `waiting()` vertices are in the queue, also if `size()` is 0. `pop` may return no vertex if the one it had is no longer
/// available; `size()` is 0 then unless another one is. A walk that is to stop calls `drop_limits()`: all vertices in the queue
/// are available then. A walk that waits for nothing else ends at its timeout by `timer_type`, such as `asio::steady_timer`.
template <class Q>
concept waking_queue_policy =
    settling_queue_policy<Q> && requires(Q& queue, Q const& view, std::function<void()> wake) {
        typename Q::timer_type;
        queue.set_waker(std::move(wake));
        queue.drop_limits();
        { view.waiting() } -> std::convertible_to<std::size_t>;
    };

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
        levels_ = 0;
        size_ = 0;
        std::size_t words = 0;
        do {
            id_bound = (id_bound + 63) / 64;
            first_[levels_++] = words;
            words += id_bound;
        } while (id_bound > 1);
        first_[levels_] = words;
        words_ = std::vector<word>(words);
    }
    /// Ids below `id_bound` may follow. \complexity amortised O(1) per id
    void resize(std::size_t id_bound)
    {
        if (id_bound <= first_[1] * 64) return;
        ascending_id larger;
        larger.reset(std::max(id_bound, first_[1] * 128));
        larger.size_ = size_;
        for (std::size_t at = 0; at < first_[1]; ++at) larger.words_[at] = words_[at];
        for (std::size_t l = 1; l < larger.levels_; ++l)
            for (std::size_t at = larger.first_[l - 1]; at < larger.first_[l]; ++at)
                if (std::size_t const below = at - larger.first_[l - 1]; larger.words_[at] != 0)
                    larger.word_of(l, below) |= word{1} << (below % 64);
        *this = std::move(larger);
    }

    /// Adds a vertex that is ready.
    void push(vertex_id v)
    {
        ++size_;
        std::size_t at = v.index();
        for (std::size_t l = 0; l < levels_; ++l) {
            word& w = word_of(l, at);
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
        for (std::size_t l = levels_; l-- > 0;)
            at = at * 64 + static_cast<std::size_t>(std::countr_zero(words_[first_[l] + at]));
        vertex_id const v(at);
        for (std::size_t l = 0; l < levels_; ++l) {
            word& w = word_of(l, at);
            w &= w - 1;
            if (w != 0) break;
            at /= 64;
        }
        return v;
    }

    /// The number of vertices in the queue. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }

private:
    // The word of a level with the bit of an element of the level below.
    [[nodiscard]] auto word_of(std::size_t level, std::size_t at) -> word& { return words_[first_[level] + at / 64]; }

    std::vector<word> words_;  // level by level, the bits of vertices first
    std::array<std::size_t, 7> first_{};  // the begin of each level, and the end of the last one; 64^6 exceeds all ids
    std::size_t levels_ = 0;
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

/// A ready queue that returns the vertex with the largest weight, among equals the one with the smallest id.
///
/// \complexity O(log of the queue size) per operation; copies share the weights.
template <class Weight>
class priority_first {
public:
    /// A queue with these weights. \pre Each vertex of the walk has a weight.
    explicit priority_first(vertex_map<Weight> weights)
        : weights_(std::make_shared<vertex_map<Weight> const>(std::move(weights)))
    {}

    /// Removes all vertices.
    void reset(std::size_t) { heap_.clear(); }
    /// Adds a vertex that is ready. \complexity O(log n).
    void push(vertex_id v)
    {
        heap_.push_back(v);
        std::push_heap(heap_.begin(), heap_.end(), later_first());
    }
    /// Removes and returns the vertex with the largest weight. \pre size() > 0 \complexity O(log n).
    [[nodiscard]] auto pop() -> vertex_id
    {
        std::pop_heap(heap_.begin(), heap_.end(), later_first());
        vertex_id const v = heap_.back();
        heap_.pop_back();
        return v;
    }
    /// The number of vertices in the queue.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return heap_.size(); }

private:
    [[nodiscard]] auto later_first() const
    {
        return [&weights = *weights_](vertex_id a, vertex_id b) {
            if (weights[a] < weights[b]) return true;
            return !(weights[b] < weights[a]) && b < a;
        };
    }

    std::shared_ptr<vertex_map<Weight> const> weights_;
    std::vector<vertex_id> heap_;
};

}  // namespace strider

#endif  // STRIDER_WALK_READY_QUEUE_HPP
