// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_EDGE_HPP
#define STRIDER_CORE_EDGE_HPP

#include <strider/core/vertex_id.hpp>

#include <compare>
#include <cstdint>
#include <string_view>

namespace strider {

/// Says which rule made an edge and where the rule found its reason.
///
/// The place is a number the maker of the edge understands (a line, an index into a table of source
/// ranges); 0 means that there is none. An explanation of a cycle or of an order is only as good as its origins,
/// so every edge has one.
class edge_origin {
public:
    enum rule : std::uint8_t {
        unspecified,
        reference,                         ///< the dependent's declaration names the dependency
        explicit_dependency,               ///< `depends_on`
        own_destroyer,                     ///< an object is created anew after its prior object is gone (E1)
        after_destruction_of_dependency,   ///< a creator waits for the destroyers of what it depended on (E2)
        destroy_order,                     ///< what was depended on is destroyed after its dependents (E3)
        after_destruction_of_dependent,    ///< a dependency changes only after its dependents are gone (E4)
        cbd_inversion,                     ///< an edge to a destroyer turned by create_before_destroy
        scope_begin,                       ///< a member waits until its scope has begun
        scope_close,                       ///< a scope is closed after its members
        expansion,                         ///< an instance waits until its declaration is expanded
        join,                              ///< through a join vertex in place of n times m edges
        root,                              ///< made to give the graph a single root
    };

    constexpr edge_origin() = default;
    constexpr edge_origin(rule made_by, std::uint32_t place = 0) noexcept : place_(place), rule_(made_by) {}  // NOLINT

    [[nodiscard]] constexpr auto made_by() const noexcept -> rule { return rule_; }
    [[nodiscard]] constexpr auto place() const noexcept -> std::uint32_t { return place_; }
    /// The same rule, found at `place`.
    [[nodiscard]] constexpr auto at(std::uint32_t place) const noexcept -> edge_origin { return {rule_, place}; }

    friend constexpr auto operator==(edge_origin, edge_origin) -> bool = default;

private:
    std::uint32_t place_ = 0;
    rule rule_ = unspecified;
};

/// Gives a few words for a human: why is there such an edge?
[[nodiscard]] constexpr auto to_string(edge_origin::rule rule) noexcept -> std::string_view
{
    switch (rule) {
    case edge_origin::unspecified: return "dependency";
    case edge_origin::reference: return "reference";
    case edge_origin::explicit_dependency: return "depends_on";
    case edge_origin::own_destroyer: return "own replacement";
    case edge_origin::after_destruction_of_dependency: return "stored dependency, destroyed first";
    case edge_origin::destroy_order: return "stored dependency";
    case edge_origin::after_destruction_of_dependent: return "stored dependency, dependent destroyed first";
    case edge_origin::cbd_inversion: return "create_before_destroy";
    case edge_origin::scope_begin: return "begin of scope";
    case edge_origin::scope_close: return "close of scope";
    case edge_origin::expansion: return "expansion";
    case edge_origin::join: return "join";
    case edge_origin::root: return "root";
    }
    return "dependency";
}

/// An edge from a dependent to its dependency: the dependency is visited first.
struct edge {
    vertex_id dependent;
    vertex_id dependency;
    edge_origin origin{};

    /// Two edges are the same when they join the same vertices; why they do is not part of it.
    friend constexpr auto operator==(edge const& a, edge const& b) noexcept -> bool
    {
        return a.dependent == b.dependent && a.dependency == b.dependency;
    }
};

}  // namespace strider

#endif  // STRIDER_CORE_EDGE_HPP
