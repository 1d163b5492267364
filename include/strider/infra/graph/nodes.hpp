// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_NODES_HPP
#define STRIDER_INFRA_GRAPH_NODES_HPP

#include <strider/core/edge.hpp>

#include <cstdint>

namespace strider::edge_rules {

/// `depends_on`.
inline constexpr edge_rule explicit_dependency{"depends_on"};

}  // namespace strider::edge_rules

namespace strider::infra {

/// What a vertex of a plan or apply graph stands for.
enum class node_role : std::uint8_t {
    declaration,        ///< index: of the declaration; a resource is expanded here, a value computed, a module begun
    creator,            ///< index: of the change; creates, reads or updates
    destroyer,          ///< index: of the change; destroys the current object
    deposed_destroyer,  ///< index: of the change; destroys the object that the change names or deposes
    orphan,             ///< index: of a prior instance that no declaration wants; only while planning
    module_close,       ///< index: of the declaration of the module
    provider_begin,     ///< index: of the provider
    provider_close,     ///< index: of the provider
    join,               ///< stands for a number of others, so that few edges order many
    root,
};

/// The value of a vertex: a role and a number in the table that goes with it. Small, since graphs are copied and kept.
struct node {
    node_role role = node_role::root;
    bool create_before_destroy = false;  ///< of a declaration: declared or forced; of a join: of what is destroyed late
    std::uint32_t index = 0;
    std::uint32_t forced_by = no_declaration;  ///< of a declaration: the one that forced it

    static constexpr std::uint32_t no_declaration = 0xffff'ffff;

    friend auto operator==(node const&, node const&) -> bool = default;
};

/// Does the vertex take an object away?
[[nodiscard]] constexpr auto is_destroyer(node const& n) noexcept -> bool
{
    return n.role == node_role::destroyer || n.role == node_role::deposed_destroyer;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_NODES_HPP
