// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_OVERRULED_CBD_HPP
#define STRIDER_INFRA_GRAPH_OVERRULED_CBD_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

/// Warns of declarations with `create_before_destroy = false` that another declaration overrules, if one of their
/// objects is replaced. The warning names the other declaration.
///
/// \param declared  the graph of declarations, after `forced_cbd`
/// \complexity      O(V) and the changes.
template <program P, directed_graph G>
[[nodiscard]] auto overruled_cbd(P const& configuration, G const& declared,
    std::vector<change<typename P::value_type>> const& changes) -> diagnostics
{
    std::unordered_set<std::size_t> replaced;
    for (auto const& c : changes)
        if (c.what == action::create_then_destroy) replaced.insert(c.declaration);
    diagnostics found;
    for (auto const v : declared.vertices()) {
        node const& n = declared[v];
        if (n.role != node_role::declaration || n.forced_by == node::no_declaration) continue;
        if (!replaced.contains(n.index)) continue;
        auto const& d = declaration_at(configuration, n.index);
        if (lifecycle_of(configuration, d).create_before_destroy.value_or(true)) continue;
        std::string const name = configuration.name_of(d);
        std::string const by = configuration.name_of(declaration_at(configuration, n.forced_by));
        auto warning = make_warning(codes::overruled_create_before_destroy, {name, by});
        found.add(located(configuration, n.index, address(configuration.address_of(d)), {std::move(warning)}));
    }
    return found;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_OVERRULED_CBD_HPP
