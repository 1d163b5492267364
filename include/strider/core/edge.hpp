// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_EDGE_HPP
#define STRIDER_CORE_EDGE_HPP

#include <strider/core/vertex_id.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace strider {

/// The rule that made an edge, identified by its name: `inline constexpr strider::edge_rule my_rule{"my rule"};`.
///
/// Reports of cycles and orders print the name. Two rules are equal if their names are equal, so a name that was read
/// from a file can be compared.
class edge_rule {
public:
    /// The rule of edges without a stated reason.
    constexpr edge_rule() = default;
    /// \param name a string literal
    consteval explicit edge_rule(char const* name) : name_(name) {}

    /// The text of the rule, as reports print it; valid until the program ends.
    [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return name_; }

    /// True if the names are equal; the addresses of the literals may differ.
    friend constexpr auto operator==(edge_rule a, edge_rule b) noexcept -> bool
    {
        // Constant expressions cannot compare addresses of literals.
        if (!std::is_constant_evaluated() && a.name_ == b.name_) return true;
        return a.name() == b.name();
    }

private:
    char const* name_ = "dependency";
};

/// Returns the name of a rule: a few words that state the reason of its edges.
[[nodiscard]] constexpr auto to_string(edge_rule rule) noexcept -> std::string_view
{
    return rule.name();
}

/// Rules that the library uses. `strider/lifecycle/rules.hpp` defines those of destruction.
namespace edge_rules {

/// The rule of edges that were added without one.
inline constexpr edge_rule unspecified{};
/// The declaration of the dependent refers to the dependency.
inline constexpr edge_rule reference{"reference"};
/// A member of a scope waits for the begin of the scope.
inline constexpr edge_rule scope_begin{"begin of scope"};
/// The close of a scope waits for the members.
inline constexpr edge_rule scope_close{"close of scope"};
/// An instance waits for the expansion of its declaration.
inline constexpr edge_rule expansion{"expansion"};
/// One vertex stands for several: n + m edges instead of n times m.
inline constexpr edge_rule join{"join"};
/// Added to give the graph a single root.
inline constexpr edge_rule root{"root"};

}  // namespace edge_rules

/// The rule that made an edge, and the place of its reason.
///
/// The place is a number with a meaning for the maker of the edge (a line, an index into a table of source ranges); 0
/// means none. Reports of cycles and orders print origins.
class edge_origin {
public:
    /// The origin of an edge without a stated reason: `edge_rules::unspecified`, no place.
    constexpr edge_origin() = default;
    /// Combines a rule and a place; implicit, so that `add_edge` accepts a rule.
    constexpr edge_origin(edge_rule made_by, std::uint32_t place = 0) noexcept  // NOLINT(*-explicit-*)
        : rule_(made_by),
          place_(place)
    {}

    /// The rule; `edge_rules::unspecified` if none was given.
    [[nodiscard]] constexpr auto made_by() const noexcept -> edge_rule { return rule_; }
    /// The place as the maker of the edge numbers it; 0 if there is none.
    [[nodiscard]] constexpr auto place() const noexcept -> std::uint32_t { return place_; }
    /// The same rule, found at `place`.
    [[nodiscard]] constexpr auto at(std::uint32_t place) const noexcept -> edge_origin { return {rule_, place}; }

    /// True if both the names of the rules and the places are equal.
    friend constexpr auto operator==(edge_origin, edge_origin) noexcept -> bool = default;

private:
    edge_rule rule_;
    std::uint32_t place_ = 0;
};

/// An edge from a dependent to its dependency: the dependency is visited first.
template <class Id>
struct basic_edge {
    Id dependent;  ///< the vertex that waits
    Id dependency;  ///< the vertex that is visited first
    edge_origin origin{};  ///< the reason of the edge, for reports; `==` ignores it

    /// Two edges are equal if they connect the same vertices; their origins are not compared.
    friend constexpr auto operator==(basic_edge const& a, basic_edge const& b) noexcept -> bool
    {
        return a.dependent == b.dependent && a.dependency == b.dependency;
    }
};

/// The dependency of an edge, as `depends_on(v)` returns it.
template <class Id>
struct basic_dependency {
    Id vertex;  ///< the vertex that is visited first
};

/// Names the dependency of an edge in a call: `g.add_edge(program, depends_on(library))`. Two ids in one call, without
/// this name, could be swapped without an error.
template <class Kind>
[[nodiscard]] constexpr auto depends_on(basic_vertex_id<Kind> dependency) noexcept
    -> basic_dependency<basic_vertex_id<Kind>>
{
    return {dependency};
}

/// An edge of a `dag`.
using edge = basic_edge<vertex_id>;
/// An edge of a graph under construction.
using draft_edge = basic_edge<draft_vertex_id>;

}  // namespace strider

#endif  // STRIDER_CORE_EDGE_HPP
