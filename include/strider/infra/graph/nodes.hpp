// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_NODES_HPP
#define STRIDER_INFRA_GRAPH_NODES_HPP

#include <strider/core/edge.hpp>

#include <cstdint>

namespace strider::edge_rules {

/// The rule of edges from `depends_on`.
inline constexpr edge_rule explicit_dependency{"depends_on"};

/// The rule of edges that order the invocations of actions.
inline constexpr edge_rule action_trigger{"action trigger"};

}  // namespace strider::edge_rules

namespace strider::infra {

/// The role of a vertex of a plan or apply graph.
enum class node_role : std::uint8_t {
    declaration,        ///< index: of the declaration; expands a resource, computes a value, begins a module
    creator,            ///< index: of the change; creates, reads or updates
    destroyer,          ///< index: of the change; destroys the current object
    deposed_destroyer,  ///< index: of the change; destroys the object that the change refers to or deposes
    orphan,             ///< index: of a prior instance without a declaration; only while planning
    module_close,       ///< index: of the declaration of the module
    provider_begin,     ///< index: of the provider
    provider_close,     ///< index: of the provider
    invocation,         ///< index: of the invocation; calls an action
    join,               ///< stands for several vertices, to save edges
    root,
};

/// The value of a vertex: a role and an index into its table. Small, because graphs are copied and stored.
struct node {
    node_role role = node_role::root;  ///< the kind of the vertex, which determines the table of the index
    bool create_before_destroy = false;  ///< of a declaration: declared or forced; of a join: of late destruction
    std::uint32_t index = 0;  ///< position in the table of the role; 0 for roles without a table
    std::uint32_t forced_by = no_declaration;  ///< of a declaration: the one that forced it

    /// Value of `forced_by` if no declaration forced the order.
    static constexpr std::uint32_t no_declaration = 0xffff'ffff;

    /// Compares all members.
    friend auto operator==(node const&, node const&) -> bool = default;
};

/// True if the vertex destroys an object.
[[nodiscard]] constexpr auto is_destroyer(node const& n) noexcept -> bool
{
    return n.role == node_role::destroyer || n.role == node_role::deposed_destroyer;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_NODES_HPP
