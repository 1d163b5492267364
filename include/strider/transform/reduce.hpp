// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_REDUCE_HPP
#define STRIDER_TRANSFORM_REDUCE_HPP

#include <strider/algorithm/transitive_reduction.hpp>
#include <strider/transform/transformer.hpp>

namespace strider {

/// Drops every edge that follows from others: the same order, fewer dependencies to wait for and to draw.
///
/// A graph with a cycle is left as it is: `cycle_validation` after this stage reports the edges that made it.
///
/// \complexity see `transitive_reduction`.
class reduce : public transformer_base {
public:
    using establishes = property_list<properties::reduced>;

    template <mutable_digraph G>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        (void)reduce_in_place(g);
        return g;
    }
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_REDUCE_HPP
