// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TRANSFORMER_HPP
#define STRIDER_TRANSFORM_TRANSFORMER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace strider {

/// What is known to be true of a graph after some stages have rewritten it; a set of flags.
enum class property : std::uint32_t {
    none = 0,
    forced_cbd = 1U << 0U,       ///< create_before_destroy has spread to all dependencies
    destroy_split = 1U << 1U,    ///< every object to destroy has a vertex of its own
    cbd_inversion = 1U << 2U,    ///< edges to destroyers of create_before_destroy objects are turned
    scope_boundaries = 1U << 3U, ///< scopes have begin and close vertices
    targeted = 1U << 4U,         ///< only what was asked for is left
    pruned = 1U << 5U,           ///< nothing is left that nobody needs
    reduced = 1U << 6U,          ///< no edge follows from others
    single_root = 1U << 7U,      ///< one vertex waits for all others
    acyclic = 1U << 8U,          ///< checked: there is no cycle
};

[[nodiscard]] constexpr auto operator|(property a, property b) noexcept -> property
{
    return static_cast<property>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr auto operator&(property a, property b) noexcept -> property
{
    return static_cast<property>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr auto operator~(property a) noexcept -> property
{
    return static_cast<property>(~static_cast<std::uint32_t>(a));
}

/// Base of all stages: opts in to `operator|` and says what a stage assumes and leaves behind.
///
/// A stage hides the members it has an opinion about: what it `needs` to hold before, what it `excludes`
/// from holding already (it would come too late), what it `establishes`, and what it `invalidates`.
struct transformer_base {
    static constexpr property needs = property::none;
    static constexpr property excludes = property::none;
    static constexpr property establishes = property::none;
    static constexpr property invalidates = property::none;
};

/// A rule that rewrites a graph: takes it by value and gives it back, or says why that is not possible.
template <class S>
concept transformer =
    std::derived_from<std::remove_cvref_t<S>, transformer_base> && std::copyable<std::remove_cvref_t<S>>;

/// A stage that works on graphs of type `G`.
template <class S, class G>
concept transformer_for = transformer<S> && mutable_digraph<G> && requires(S const& stage, G g) {
    { stage(std::move(g)) } -> std::same_as<result<G>>;
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TRANSFORMER_HPP
