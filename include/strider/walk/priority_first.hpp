// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_PRIORITY_FIRST_HPP
#define STRIDER_WALK_PRIORITY_FIRST_HPP

#include <strider/algorithm/bottom_levels.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace strider {

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

/// Makes a ready queue that starts the vertex with the longest remaining path first, which shortens the walk for any
/// number of concurrent visits. `weight` returns the duration of a visit: an estimate, or a time recorded in an
/// earlier walk.
///
/// \complexity O(V + E).
/// \see        bottom_levels
template <class Graph, class Weight = detail::unit_weight>
    requires(directed_graph<Graph> && acyclic_graph<Graph>)
[[nodiscard]] auto critical_path_first(Graph const& g, Weight weight = {}) -> priority_first<weight_t<Weight, Graph>>
{
    return priority_first(bottom_levels(g, std::move(weight)).value());
}

}  // namespace strider

#endif  // STRIDER_WALK_PRIORITY_FIRST_HPP
