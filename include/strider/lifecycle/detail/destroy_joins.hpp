// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DETAIL_DESTROY_JOINS_HPP
#define STRIDER_LIFECYCLE_DETAIL_DESTROY_JOINS_HPP

#include <strider/core/edge.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/lifecycle/destroy_policy.hpp>
#include <strider/lifecycle/detail/destroy_pairs.hpp>
#include <strider/lifecycle/detail/tentative_edges.hpp>
#include <strider/lifecycle/rules.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace strider::detail {

/// Adds the edges E2 to E4 between n vertices through joins: empty vertices that stand for "all vertices with this
/// set among their stored dependencies", and "all vertices in this set". A chain of n takes O(n) edges, where pairs
/// would take n².
///
/// Each set has one join per order class of its vertices, because `ordered` may distinguish classes. Vertices that
/// are only tentatively ordered have edges of their own. Objects destroyed after creation have separate joins, which
/// `cbd_inversion` reverses with the edges they replace. A join that saves no edge is removed.
template <class G, class Policy>
class destroy_joins {
    using group_type = acting_group<vertex_id_t<G>>;
    using order_class = std::size_t;
    using set_number = std::size_t;
    struct below {
        order_class of;
        bool late;
        friend auto operator<=>(below const&, below const&) = default;
    };
    struct member {
        vertex_id_t<G> vertex;
        set_number set;
    };

public:
    destroy_joins(G& g, Policy const& policy) : g_(&g), policy_(&policy), sets_(policy.dependency_sets()) {}

    void add_creator(vertex_id_t<G> v) { keep(creators_, v); }
    void add_destroyer(vertex_id_t<G> v, vertex_id_t<G>) { keep(destroyers_, v); }

    /// \return edges to add if they close no cycle
    template <class Key>
    [[nodiscard]] auto connect(std::map<Key, group_type> const& by_key) -> std::vector<edge_t<G>>
    {
        auto const destroys = [](auto const& entry) { return !entry.second.destroyers.empty(); };
        if (std::none_of(by_key.begin(), by_key.end(), destroys)) return {};
        groups_.resize(sets_);
        for (set_number s = 0; s < sets_; ++s)
            for (auto const& key : policy_->keys_in(s))
                if (auto const found = by_key.find(key); found != by_key.end()) groups_[s].push_back(&found->second);
        connect_creators();
        connect_destroyers();
        remove_useless_joins();
        return std::move(tentative_);
    }

private:
    void keep(std::vector<member>& all, vertex_id_t<G> v)
    {
        order_class const c = class_of(v);
        if (representative_.size() <= c) representative_.resize(c + 1);
        representative_[c] = v;
        if (auto const set = policy_->dependency_set(value(v))) all.push_back({v, *set});
    }
    [[nodiscard]] auto value(vertex_id_t<G> v) const -> decltype(auto) { return std::as_const(*g_)[v]; }
    [[nodiscard]] auto class_of(vertex_id_t<G> v) const -> order_class { return policy_->order_class(value(v)); }
    [[nodiscard]] auto is_late(vertex_id_t<G> v) const -> bool { return policy_->destroys_after_create(value(v)); }
    [[nodiscard]] auto relation(order_class dependent, order_class dependency) -> ordering
    {
        auto const [at, added] = relations_.try_emplace({dependent, dependency}, ordering::none);
        if (added) at->second = policy_->ordered(value(representative_[dependent]), value(representative_[dependency]));
        return at->second;
    }
    [[nodiscard]] auto make_join(bool late) -> vertex_id_t<G>
    {
        vertex_id_t<G> const v = g_->add_vertex(policy_->join(late));
        joins_.push_back(v);
        is_join_.insert(v);
        return v;
    }

    // E2: a creator waits for the destroyers of all objects in its set.
    void connect_creators()
    {
        std::vector<std::set<order_class>> required(sets_);
        for (member const& c : creators_) required[c.set].insert(class_of(c.vertex));
        propagate_down(required);
        for (bool const late : {false, true}) {
            std::vector<bool> any(sets_, false);
            for (set_number s = 0; s < sets_; ++s) {
                for (group_type const* group : groups_[s])
                    for (auto const d : group->destroyers) any[s] = any[s] || is_late(d) == late;
                for (set_number const part : policy_->parts_of(s)) any[s] = any[s] || any[part];
            }
            std::map<std::pair<set_number, order_class>, vertex_id_t<G>> join;
            for (set_number s = 0; s < sets_; ++s) {
                if (!any[s]) continue;
                for (order_class const c : required[s]) {
                    vertex_id_t<G> const j = join[{s, c}] = make_join(late);
                    for (set_number const part : policy_->parts_of(s))
                        if (any[part])
                            g_->add_edge(
                                j, depends_on(join.at({part, c})), edge_rules::after_destruction_of_dependency);
                    for (group_type const* group : groups_[s])
                        for (auto const d : group->destroyers)
                            if (is_late(d) == late && relation(c, class_of(d)) != ordering::none)
                                g_->add_edge(j, depends_on(d), edge_rules::after_destruction_of_dependency);
                }
            }
            for (member const& c : creators_)
                if (any[c.set])
                    g_->add_edge(c.vertex, depends_on(join.at({c.set, class_of(c.vertex)})),
                        edge_rules::after_destruction_of_dependency);
        }
    }

    // E3, E4: destroyers and creators of the objects in its set wait for a destroyer.
    void connect_destroyers()
    {
        std::vector<std::set<below>> required(sets_);
        std::map<std::pair<set_number, below>, std::vector<vertex_id_t<G>>> members;
        for (member const& d : destroyers_) {
            below const b{class_of(d.vertex), is_late(d.vertex)};
            required[d.set].insert(b);
            members[{d.set, b}].push_back(d.vertex);
        }
        propagate_down(required);
        for (set_number s = 0; s < sets_; ++s)
            for (set_number const part : policy_->parts_of(s)) users_[part].push_back(s);

        // For late destruction, only the edges of creators are reversed.
        std::map<std::tuple<set_number, below, bool>, vertex_id_t<G>> join;
        for (set_number s = 0; s < sets_; ++s)
            for (below const& b : required[s])
                for (bool const turned : {false, true}) {
                    if (turned && !b.late) continue;
                    auto const origin = turned ? edge_rules::after_destruction_of_dependent : edge_rules::destroy_order;
                    vertex_id_t<G> const j = join[{s, b, turned}] = make_join(turned);
                    for (set_number const part : policy_->parts_of(s))
                        g_->add_edge(join.at({part, b, turned}), depends_on(j), origin);
                    if (auto const own = members.find({s, b}); own != members.end())
                        for (auto const d : own->second) g_->add_edge(j, depends_on(d), origin);
                    for (group_type const* group : groups_[s]) {
                        if (!turned)
                            for (auto const later : group->destroyers)
                                wait(later, j, s, b, edge_rules::destroy_order, members);
                        if (turned || !b.late)
                            for (auto const creator : group->creators)
                                wait(creator, j, s, b, edge_rules::after_destruction_of_dependent, members);
                    }
                }
    }
    template <class Members>
    void wait(
        vertex_id_t<G> v, vertex_id_t<G> join, set_number s, below const& b, edge_origin origin, Members const& members)
    {
        ordering const how = relation(class_of(v), b.of);
        if (how == ordering::required) g_->add_edge(v, depends_on(join), origin);
        if (how != ordering::tentative) return;
        std::set<set_number> seen{s};
        std::vector<set_number> todo{s};
        while (!todo.empty()) {
            set_number const at = todo.back();
            todo.pop_back();
            if (auto const own = members.find({at, b}); own != members.end())
                for (auto const d : own->second)
                    if (d != v) tentative_.push_back({v, d, tentative_rule(origin)});
            if (auto const users = users_.find(at); users != users_.end())
                for (set_number const user : users->second)
                    if (seen.insert(user).second) todo.push_back(user);
        }
    }

    // Propagates requirements of a set to its parts, which have smaller numbers.
    template <class Required>
    void propagate_down(std::vector<std::set<Required>>& required) const
    {
        for (set_number s = sets_; s-- > 0;)
            for (set_number const part : policy_->parts_of(s))
                required[part].insert(required[s].begin(), required[s].end());
    }

    void remove_useless_joins()
    {
        while (!joins_.empty()) {
            vertex_id_t<G> const j = joins_.back();
            joins_.pop_back();
            if (!is_join_.contains(j)) continue;
            std::size_t const in = g_->dependent_count(j);
            std::size_t const out = g_->dependency_count(j);
            if (in * out > in + out) continue;
            std::vector<edge_t<G>> above;
            std::vector<edge_t<G>> below_join;
            for (auto const e : g_->dependent_edges(j)) above.push_back(e);
            for (auto const e : g_->dependency_edges(j)) below_join.push_back(e);
            g_->erase_vertex(j);
            is_join_.erase(j);
            for (auto const& a : above) {
                if (is_join_.contains(a.dependent)) joins_.push_back(a.dependent);
                for (auto const& b : below_join)
                    if (a.dependent != b.dependency)
                        g_->add_edge(a.dependent, depends_on(b.dependency),
                            is_join_.contains(a.dependent) ? b.origin : a.origin);
            }
            for (auto const& b : below_join)
                if (is_join_.contains(b.dependency)) joins_.push_back(b.dependency);
        }
    }

    G* g_;
    Policy const* policy_;
    set_number sets_;
    std::vector<member> creators_;
    std::vector<member> destroyers_;
    std::vector<vertex_id_t<G>> representative_;  // of each order class
    std::vector<std::vector<group_type const*>> groups_;
    std::map<set_number, std::vector<set_number>> users_;
    std::map<std::pair<order_class, order_class>, ordering> relations_;
    std::vector<vertex_id_t<G>> joins_;
    vertex_set_t<G> is_join_;
    std::vector<edge_t<G>> tentative_;
};

}  // namespace strider::detail

#endif  // STRIDER_LIFECYCLE_DETAIL_DESTROY_JOINS_HPP
