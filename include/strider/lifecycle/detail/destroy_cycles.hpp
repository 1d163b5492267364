// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DETAIL_DESTROY_CYCLES_HPP
#define STRIDER_LIFECYCLE_DETAIL_DESTROY_CYCLES_HPP

#include <strider/algorithm/strong_components.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/lifecycle/rules.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace strider::detail {

/// Removes the order of destroyers whose stored dependencies form a cycle, and the joins between them.
///
/// Such dependencies are of different times: one object was changed after a configuration had reversed them, another was
/// not. No order is right for all objects of the cycle. They keep their order relative to all other vertices: each waits
/// for what any of them waits for.
///
/// \complexity O(V + E); for each cycle also the number of its destroyers times the edges into and out of it.
template <class G>
class destroy_cycles {
    using id_type = vertex_id_t<G>;

public:
    destroy_cycles(G& g, vertex_set_t<G> const& destroyers) : g_(&g), destroyers_(&destroyers) {}

    void dissolve()
    {
        auto const all = strong_components(*g_);
        digraph<id_type> order;  // the edges E3 within components
        std::map<id_type, draft_vertex_id> number;
        auto const add = [&](id_type v) {
            auto const [at, added] = number.try_emplace(v);
            if (added) at->second = order.add_vertex(v);
            return at->second;
        };
        for (std::size_t c = 0; c < all.size(); ++c) {
            if (all[c].size() < 2) continue;
            for (auto const v : all[c])
                for (auto const e : g_->dependency_edges(v))
                    if (is_order(e) && all.same(v, e.dependency)) order.add_edge(add(v), depends_on(add(e.dependency)));
        }
        auto const cycles = strong_components(order);
        for (std::size_t c = 0; c < cycles.size(); ++c) {
            if (cycles[c].size() < 2) continue;
            std::vector<id_type> members;
            for (auto const v : cycles[c]) members.push_back(order[v]);
            dissolve(members);
        }
    }

private:
    [[nodiscard]] static auto is_order(edge_t<G> const& e) -> bool
    {
        return e.origin.made_by() == edge_rules::destroy_order;
    }

    void dissolve(std::vector<id_type> const& members)
    {
        vertex_set_t<G> inside(g_->id_bound());
        for (auto const v : members) inside.insert(v);
        std::vector<edge_t<G>> out;
        std::vector<edge_t<G>> into_joins;
        std::vector<edge_t<G>> within;
        for (auto const v : members) {
            for (auto const e : g_->dependency_edges(v)) {
                if (!is_order(e)) continue;
                (inside.contains(e.dependency) ? within : out).push_back(e);
            }
            if (destroyers_->contains(v)) continue;
            for (auto const e : g_->dependent_edges(v))
                if (!inside.contains(e.dependent)) into_joins.push_back(e);
        }
        for (auto const& e : within) g_->erase_edge(e.dependent, depends_on(e.dependency));
        for (auto const v : members) {
            if (!destroyers_->contains(v)) {
                g_->erase_vertex(v);
                continue;
            }
            for (auto const& e : out) g_->add_edge(v, depends_on(e.dependency), e.origin);
            for (auto const& e : into_joins) g_->add_edge(e.dependent, depends_on(v), e.origin);
        }
    }

    G* g_;
    vertex_set_t<G> const* destroyers_;
};

}  // namespace strider::detail

#endif  // STRIDER_LIFECYCLE_DETAIL_DESTROY_CYCLES_HPP
