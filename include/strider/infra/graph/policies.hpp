// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_POLICIES_HPP
#define STRIDER_INFRA_GRAPH_POLICIES_HPP

#include <strider/infra/graph/graph_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/lifecycle/rules.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// True if the vertex configures a provider.
template <program P>
[[nodiscard]] auto is_configuration(graph_tables<P> const& tables, node const& n) -> bool
{
    return tables.declares(n, declaration_kind::provider);
}

/// Policy of all lifecycle stages for the vertices of an engine.
template <program P>
class lifecycle_policy {
public:
    /// The tables must outlive the policy.
    explicit lifecycle_policy(graph_tables<P> const& tables) : tables_(&tables) {}

    // forced_cbd
    /// True for declarations of managed resources.
    [[nodiscard]] auto can_create_before_destroy(node const& n) const -> bool
    {
        return tables_->declares(n, declaration_kind::resource)
            && address(tables_->configuration().address_of(tables_->declaration_of(n))).mode()
            == resource_mode::managed;
    }
    /// True for a declaration whose order is declared or was forced before.
    [[nodiscard]] auto creates_before_destroy(node const& n) const -> bool
    {
        return n.role == node_role::declaration && n.create_before_destroy;
    }
    /// Sets the order of a declaration, and the declaration that forced it.
    void force_create_before_destroy(node& n, node const& by) const
    {
        n.create_before_destroy = true;
        n.forced_by = by.index;
    }

    // destroy_split
    /// True for the creator of a change that makes an object.
    [[nodiscard]] auto creates(node const& n) const -> bool
    {
        return n.role == node_role::creator && makes_object(tables_->change_of(n).what);
    }
    /// False for a creator without work in an apply: its change makes no object, and no conditions are checked.
    [[nodiscard]] auto remains(node const& n) const -> bool
    {
        if (n.role != node_role::creator) return true;
        auto const& c = tables_->change_of(n);
        return makes_object(c.what) || (c.what == action::no_op && c.has_conditions);
    }
    /// The destroyers of a creator: one for the current object if the change destroys it, and one for each deposed
    /// object.
    [[nodiscard]] auto destroyers(node const& n) const -> std::vector<node>
    {
        if (n.role != node_role::creator) return {};
        std::vector<node> to_destroy;
        auto const& c = tables_->change_of(n);
        auto const add = [&](node_role role, std::uint32_t index) {
            to_destroy.push_back({role, role == node_role::deposed_destroyer || c.stored_create_before_destroy, index,
                node::no_declaration});
        };
        if (c.what == action::create_then_destroy) add(node_role::deposed_destroyer, n.index);
        else if (destroys_object(c.what) && !c.of_deposed) add(node_role::destroyer, n.index);
        for (std::uint32_t const index : tables_->deposed_of(c.target)) add(node_role::deposed_destroyer, index);
        return to_destroy;
    }
    /// Number of the resource of a change, by which dependency sets contain it.
    [[nodiscard]] auto key(node const& n) const -> std::uint32_t { return tables_->block_of(n); }
    /// The number of sets in `graph_tables::sets()`.
    [[nodiscard]] auto dependency_sets() const -> std::size_t { return tables_->sets().size(); }
    /// Number of the stored dependencies of a change; empty if they contain no resource with a change.
    [[nodiscard]] auto dependency_set(node const& n) const -> std::optional<std::size_t>
    {
        return tables_->set_of(tables_->change_of(n).stored_dependencies);
    }
    /// The resources of a set, without those of its parts.
    [[nodiscard]] auto keys_in(std::size_t set) const -> std::vector<std::uint32_t> const&
    {
        return tables_->sets()[set].blocks;
    }
    /// Numbers of the parts of a set.
    [[nodiscard]] auto parts_of(std::size_t set) const -> std::vector<std::size_t> const&
    {
        return tables_->sets()[set].parts;
    }
    /// The class of a change by its provider and module instance; members of one class have the same order.
    [[nodiscard]] auto order_class(node const& n) const -> std::size_t { return tables_->order_class(n); }
    /// A vertex that joins a group of edges. \param late  the joined destroyers run after their creators
    [[nodiscard]] auto join(bool late) const -> node { return {node_role::join, late, 0, node::no_declaration}; }
    /// The order of two changes: none between different instances of one module, tentative between providers.
    [[nodiscard]] auto ordered(node const& dependent, node const& dependency) const -> ordering
    {
        auto const& a = tables_->change_of(dependent);
        auto const& b = tables_->change_of(dependency);
        if (in_different_instances_of_one_module(a.target, b.target)) return ordering::none;
        bool const apart = a.provider != b.provider && tables_->mode() != plan_mode::destroy;
        return apart ? ordering::tentative : ordering::required;
    }

    /// True for the configuration of a provider, which destroyers need too.
    [[nodiscard]] auto is_needed_to_destroy(node const& n) const -> bool { return is_configuration(*tables_, n); }

    // cbd_inversion
    /// True for creators, and for joins that stand for them in the inversion.
    [[nodiscard]] auto is_creator(node const& n) const -> bool
    {
        return n.role == node_role::creator || is_late_join(n);
    }
    /// True for destroyers, and for joins that stand for them in the inversion.
    [[nodiscard]] auto is_destroyer(node const& n) const -> bool { return infra::is_destroyer(n) || is_late_join(n); }
    /// True if the object is destroyed after its replacement was created.
    [[nodiscard]] auto destroys_after_create(node const& n) const -> bool { return n.create_before_destroy; }

    // single_root
    /// The vertex that depends on all others.
    [[nodiscard]] auto root() const -> node { return {}; }

private:
    // True for a join of creators on one side, and of destroyers or further joins on the other.
    [[nodiscard]] static auto is_late_join(node const& n) -> bool
    {
        return n.role == node_role::join && n.create_before_destroy;
    }

    graph_tables<P> const* tables_;
};

/// Modules as scopes: every vertex except destroyers and checks belongs to the module of its declaration.
template <program P>
class module_scopes {
public:
    /// The tables must outlive the policy.
    explicit module_scopes(graph_tables<P> const& tables) : tables_(&tables) {}

    using number = std::optional<std::uint32_t>;  ///< the declaration of a module; empty: none

    /// The module around a vertex; empty for the root module, and for vertices outside of all scopes.
    [[nodiscard]] auto scope(node const& n) const -> number
    {
        std::size_t declaration = n.index;
        if (n.role == node_role::creator) declaration = tables_->change_of(n).declaration;
        else if (n.role != node_role::declaration) return {};
        if (declaration == no_declaration) return {};
        return is_of_check(tables_->configuration(), tables_->declared()[declaration]) ? number() : around(declaration);
    }
    /// The module that this vertex expands, if it declares one.
    [[nodiscard]] auto begins(node const& n) const -> number
    {
        return tables_->declares(n, declaration_kind::module) ? number(n.index) : number();
    }
    /// The module that this vertex closes, if it is such a vertex.
    [[nodiscard]] auto closes(node const& n) const -> number
    {
        return n.role == node_role::module_close ? number(n.index) : number();
    }
    /// The module around a module; empty for one in the root module.
    [[nodiscard]] auto parent(std::uint32_t module) const -> number { return around(module); }
    /// The declaration of a module as a vertex.
    [[nodiscard]] auto make_begin(std::uint32_t module) const -> node
    {
        return {node_role::declaration, false, module, node::no_declaration};
    }
    /// The vertex that runs after all vertices of a module.
    [[nodiscard]] auto make_close(std::uint32_t module) const -> node
    {
        return {node_role::module_close, false, module, node::no_declaration};
    }

private:
    [[nodiscard]] auto around(std::size_t declaration) const -> number
    {
        std::size_t const module = tables_->declared().module(declaration);
        return module == no_declaration ? number() : number(static_cast<std::uint32_t>(module));
    }

    graph_tables<P> const* tables_;
};

/// The lifetime of a provider as a scope: it begins, with the configuration if one is declared, before all of its
/// changes, and closes after them.
template <program P>
class provider_scopes {
public:
    /// The tables must outlive the policy.
    explicit provider_scopes(graph_tables<P> const& tables) : tables_(&tables) {}

    using number = std::optional<std::uint32_t>;  ///< of a provider in `graph_tables::providers()`; empty: none

    /// The provider that a creator, a destroyer or an action uses; empty for other vertices.
    [[nodiscard]] auto scope(node const& n) const -> number
    {
        bool const invokes = n.role == node_role::invocation;
        if (!invokes && n.role != node_role::creator && !infra::is_destroyer(n)) return {};
        return tables_->provider_of(n);
    }
    /// The provider that this vertex starts or configures, if it is such a vertex.
    [[nodiscard]] auto begins(node const& n) const -> number
    {
        if (n.role == node_role::provider_begin) return n.index;
        return is_configuration(*tables_, n) ? tables_->configured_provider(n) : number();
    }
    /// The provider that this vertex closes, if it is such a vertex.
    [[nodiscard]] auto closes(node const& n) const -> number
    {
        return n.role == node_role::provider_close ? number(n.index) : number();
    }
    /// Always empty: providers are not nested.
    [[nodiscard]] auto parent(std::uint32_t) const -> number { return {}; }
    /// The vertex before all uses of a provider that has no configuration.
    [[nodiscard]] auto make_begin(std::uint32_t n) const -> node
    {
        return {node_role::provider_begin, false, n, node::no_declaration};
    }
    /// The vertex after all uses of a provider.
    [[nodiscard]] auto make_close(std::uint32_t n) const -> node
    {
        return {node_role::provider_close, false, n, node::no_declaration};
    }

private:
    graph_tables<P> const* tables_;
};

/// Names of vertices and edges in messages.
template <program P>
class node_naming {
public:
    /// The tables must outlive the object. \param planning  the graph is that of a plan, not of an apply
    explicit node_naming(graph_tables<P> const& tables, bool planning = false) : tables_(&tables), planning_(planning)
    {}

    /// The address of an object or the name of a declaration, with a suffix for the role if it is not a creation.
    [[nodiscard]] auto name(node const& n) const -> std::string
    {
        switch (n.role) {
        case node_role::declaration: return declaration_name(n);
        case node_role::module_close: return tables_->configuration().name_of(tables_->declaration_of(n)) + " (close)";
        case node_role::creator: return to_string(tables_->change_of(n).target);
        case node_role::destroyer: return destruction_name(tables_->change_of(n).target, {});
        case node_role::deposed_destroyer:
            return destruction_name(tables_->change_of(n).target, tables_->change_of(n).deposed_key);
        case node_role::orphan: return "orphan";
        case node_role::provider_begin: return tables_->providers()[n.index];
        case node_role::provider_close: return tables_->providers()[n.index] + " (close)";
        case node_role::invocation: return invocation_name(tables_->invocations()[n.index]);
        case node_role::join: return {};
        case node_role::root: return "root";
        }
        return {};
    }
    /// The stage that made an edge, followed by its place in the source if that is known.
    [[nodiscard]] auto reason(node const& dependent, node const&, edge_origin origin) const -> std::string
    {
        std::string text(to_string(origin.made_by()));
        if (origin.made_by() == edge_rules::cbd_inversion && infra::is_destroyer(dependent))
            text += " of " + to_string(tables_->change_of(dependent).target);
        if (std::string const place = place_text(tables_->configuration(), origin.place()); !place.empty())
            text += " at " + place;
        return text;
    }

private:
    // The numbers of the trigger and of the action in it tell invocations of one action apart.
    template <class Invocation>
    [[nodiscard]] static auto invocation_name(Invocation const& of) -> std::string
    {
        std::string name = to_string(of.target);
        bool const is_called = !of.caller.type().empty();
        if (of.event == trigger_event::invoke)
            return name + (is_called ? " (invoke for " + to_string(of.caller) + ")" : " (invoke)");
        name += (is_before(of.event) ? " (before " : " (after ") + to_string(of.caller)
            + (is_of_destroy(of.event) ? " (destroy))" : ")");
        if (of.trigger == 0 && of.position == 0) return name;
        return name + " #" + std::to_string(of.trigger) + "." + std::to_string(of.position);
    }

    [[nodiscard]] auto declaration_name(node const& n) const -> std::string
    {
        auto const& d = tables_->declaration_of(n);
        std::string name = tables_->configuration().name_of(d);
        bool const plain =
            is_configuration(*tables_, n) || (planning_ && tables_->declares(n, declaration_kind::resource));
        return plain || name.starts_with("var.") ? name : name + " (expand)";
    }

    graph_tables<P> const* tables_;
    bool planning_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_POLICIES_HPP
