// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TRANSFORMER_HPP
#define STRIDER_TRANSFORM_TRANSFORMER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/transform/detail/stage_order.hpp>
#include <strider/transform/properties.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace strider {

/// Base of all stages: enables `operator|` and declares empty lists of properties.
///
/// A stage redeclares the lists that are not empty: properties it `needs` before, properties it `excludes` (the stage
/// would come too late), properties it `establishes`, and properties it `invalidates`. Every stage of the library
/// establishes a property, so that other stages can be ordered relative to it.
struct transformer_base {
    using needs = property_list<>;  ///< properties that the graph must have before the stage
    using excludes = property_list<>;  ///< properties that the graph must not have before the stage
    using establishes = property_list<>;  ///< properties that the graph has after the stage
    using invalidates = property_list<>;  ///< properties that the graph may lose in the stage
};

/// A stage that rewrites a graph: takes it by value and returns it, or an error.
template <class S>
concept transformer =
    std::derived_from<std::remove_cvref_t<S>, transformer_base> && std::copy_constructible<std::remove_cvref_t<S>>;

/// A stage that accepts graphs of type `G`.
template <class S, class G>
concept transformer_for = transformer<S> && mutable_digraph<G> && requires(S const& stage, G g) {
    { stage(std::move(g)) } -> std::same_as<result<G>>;
};

/// Applies a stage to a graph: `auto graph = std::move(draft) | stages;`. A stage that `needs` a property does not compile here: a
/// graph states none, so a pipeline must establish it. \return as the call of the stage
template <mutable_digraph G, transformer_for<G> Stage>
    requires(!std::is_reference_v<G>)
[[nodiscard]] auto operator|(G&& g, Stage const& stage) -> result<G>
{
    static_assert(detail::check_needs<Stage>());
    return stage(std::move(g));
}

/// Applies a stage to a graph in place: `draft |= transitive_reduction{} | cycle_validation{};`.
///
/// If the stage returns an error or throws, the graph is unchanged: the stage works on a copy. A graph of move-only values
/// is moved instead, and is empty after an error. As above, a stage that `needs` a property does not compile.
template <mutable_digraph G, transformer_for<G> Stage>
[[nodiscard]] auto operator|=(G& g, Stage const& stage) -> result<void>
{
    static_assert(detail::check_needs<Stage>());
    auto next = [&] {
        if constexpr (std::copy_constructible<vertex_value_t<G>>) return stage(g);
        else return stage(std::move(g));
    }();
    if (!next) return next.error();
    g = *std::move(next);
    return {};
}

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TRANSFORMER_HPP
