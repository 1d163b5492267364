// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_RECORDED_CBD_HPP
#define STRIDER_INFRA_GRAPH_RECORDED_CBD_HPP

#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>

namespace strider::infra {

/// Policy that computes the recorded create_before_destroy flag: of created objects whose declaration sets it, and of
/// the dependencies of such objects in the apply.
template <program P>
class recorded_cbd {
public:
    /// The tables must outlive the policy.
    explicit recorded_cbd(graph_tables<P> const& tables) : tables_(&tables) {}

    /// True for the creator of a declared managed object that is not destroyed.
    [[nodiscard]] auto can_create_before_destroy(node const& n) const -> bool
    {
        if (n.role != node_role::creator) return false;
        auto const& c = tables_->change_of(n);
        return c.declaration != no_declaration && c.what != action::destroy && !c.of_deposed
            && c.target.mode() == resource_mode::managed;
    }
    /// True if the order was declared, or forced before.
    [[nodiscard]] auto creates_before_destroy(node const& n) const -> bool
    {
        if (n.role == node_role::declaration) return n.create_before_destroy;
        if (!can_create_before_destroy(n)) return false;
        auto const& c = tables_->change_of(n);
        auto const& d = declaration_at(tables_->configuration(), c.declaration);
        return n.forced_by != node::no_declaration
            || lifecycle_of(tables_->configuration(), d).create_before_destroy.value_or(false);
    }
    /// Records the vertex that forced the order.
    void force_create_before_destroy(node& n, node const& by) const { n.forced_by = by.index; }

private:
    graph_tables<P> const* tables_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_RECORDED_CBD_HPP
