// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TRANSITIVE_REDUCTION_HPP
#define STRIDER_TRANSFORM_TRANSITIVE_REDUCTION_HPP

#include <strider/algorithm/redundant_edges.hpp>
#include <strider/core/detail/kahn.hpp>
#include <strider/transform/transformer.hpp>

namespace strider {

/// Removes every edge that other edges imply: the order stays the same, with fewer dependencies to count and to draw.
///
/// A graph with a cycle is left unchanged: `cycle_validation` after this stage reports the edges of the cycle.
///
/// \complexity see `redundant_edges`.
class transitive_reduction : public transformer_base {
public:
    using establishes = property_list<properties::reduced>;  ///< except for a graph with a cycle

    /// Returns `g` without its redundant edges, or unchanged if it has a cycle. Never returns an error.
    template <mutable_digraph G>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        auto const order = detail::partial_order(g);
        if (order.size() == g.vertex_count())
            for (auto const& e : detail::redundant_edges(g, order, {}))
                g.erase_edge(e.dependent, depends_on(e.dependency));
        return g;
    }
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TRANSITIVE_REDUCTION_HPP
