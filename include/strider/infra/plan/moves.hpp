// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_MOVES_HPP
#define STRIDER_INFRA_PLAN_MOVES_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// State after all moves.
struct moved_state {
    snapshot state;  ///< all objects at their new addresses
    std::map<address, address> previous;               ///< the previous address of an instance, by new address
    std::vector<std::pair<address, address>> blocked;  ///< moves that failed, from and to
    std::vector<std::size_t> order;                    ///< of the statements
    std::vector<journal_entry> followed;  ///< entries of other objects, which depend on moved ones
};

namespace detail {

[[nodiscard]] inline auto is_module(address const& a) -> bool
{
    return a.type().empty();
}
[[nodiscard]] inline auto last_key(address const& a) -> instance_key const&
{
    return is_module(a) ? a.module().back().key : a.key();
}
[[nodiscard]] inline auto is_whole(move_statement const& s) -> bool
{
    return !last_key(s.from) && !last_key(s.to);
}

// One side of a statement, as a path from the root. A step without a key stands for all instances.
struct move_endpoint {
    std::vector<module_step> path;
    std::size_t open;  // number of steps that stand for all instances
    address rest;
    bool whole;

    move_endpoint(move_statement const& s, address const& a) : open(s.within.size()), rest(a), whole(is_whole(s))
    {
        for (std::string const& name : s.within) path.push_back({name, {}});
        path.insert(path.end(), a.module().begin(), a.module().end());
    }
    [[nodiscard]] auto step_matches(move_endpoint const& other, std::size_t i) const -> bool
    {
        if (path[i].name != other.path[i].name) return false;
        bool const last = whole && is_module(rest) && i + 1 == path.size();
        bool const other_last = other.whole && is_module(other.rest) && i + 1 == other.path.size();
        return i < open || i < other.open || last || other_last || path[i].key == other.path[i].key;
    }
    [[nodiscard]] auto path_matches(move_endpoint const& other) const -> bool
    {
        for (std::size_t i = 0; i < path.size(); ++i)
            if (!step_matches(other, i)) return false;
        return true;
    }
    // True if the other side is in this module.
    [[nodiscard]] auto contains(move_endpoint const& other) const -> bool
    {
        bool const deeper =
            other.path.size() > path.size() || (other.path.size() == path.size() && !is_module(other.rest));
        return is_module(rest) && deeper && path_matches(other);
    }
    [[nodiscard]] auto meets(move_endpoint const& other) const -> bool
    {
        if (path.size() != other.path.size() || is_module(rest) != is_module(other.rest) || !path_matches(other))
            return false;
        return is_module(rest)
            || (rest.mode() == other.rest.mode() && rest.type() == other.rest.type() && rest.name() == other.rest.name()
                && (whole || other.whole || rest.key() == other.rest.key()));
    }
};

// True if `b` must be performed before `a`.
[[nodiscard]] inline auto moves_after(move_statement const& a, move_statement const& b) -> bool
{
    move_endpoint const a_from(a, a.from);
    move_endpoint const a_to(a, a.to);
    move_endpoint const b_from(b, b.from);
    move_endpoint const b_to(b, b.to);
    if (a_from.meets(b_to)) return true;
    bool const nested =
        b_to.contains(a_from) || b_to.contains(a_to) || a_from.contains(b_from) || a_from.contains(b_to);
    // A statement inside a module that only changes its key applies to the same module: the outer statement comes
    // first.
    bool const only_key = a.within.size() < b.within.size() && is_module(a.from) && is_module(a.to)
        && std::equal(
            a.from.module().begin(), a.from.module().end(), a.to.module().begin(), a.to.module().end(),
            [](module_step const& one, module_step const& other) { return one.name == other.name; });
    return nested && !only_key;
}

}  // namespace detail

/// Returns the new address of an instance, if the statement applies to it.
[[nodiscard]] inline auto moved_to(move_statement const& s, address const& a) -> std::optional<address>
{
    std::size_t const outside = s.within.size();
    auto const& path = a.module();
    auto const& from = s.from.module();
    bool const module = detail::is_module(s.from);
    bool const whole = detail::is_whole(s);
    if (path.size() < outside + from.size() || (!module && path.size() != outside + from.size())) return std::nullopt;
    for (std::size_t i = 0; i < outside; ++i)
        if (path[i].name != s.within[i]) return std::nullopt;
    for (std::size_t i = 0; i < from.size(); ++i) {
        bool const any_key = module && whole && i + 1 == from.size();
        if (path[outside + i].name != from[i].name || (!any_key && path[outside + i].key != from[i].key))
            return std::nullopt;
    }
    std::vector<module_step> there(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(outside));
    there.insert(there.end(), s.to.module().begin(), s.to.module().end());
    if (module) {
        if (whole) there.back().key = path[outside + from.size() - 1].key;
        there.insert(there.end(), path.begin() + static_cast<std::ptrdiff_t>(outside + from.size()), path.end());
        return address(std::move(there), a.mode(), a.type(), a.name(), a.key());
    }
    if (a.mode() != s.from.mode() || a.type() != s.from.type() || a.name() != s.from.name()) return std::nullopt;
    if (!whole && a.key() != s.from.key()) return std::nullopt;
    return address(std::move(there), s.to.mode(), s.to.type(), s.to.name(), whole ? a.key() : s.to.key());
}

/// The statement of the opposite move.
[[nodiscard]] inline auto reversed(move_statement s) -> move_statement
{
    std::swap(s.from, s.to);
    return s;
}

/// True if the statement names the resource or module of an instance, possibly without keys that its address has.
[[nodiscard]] inline auto names_without_keys(move_statement const& s, address const& a) -> bool
{
    auto const& from = s.from.module();
    auto const& path = a.module();
    std::size_t const depth = s.within.size() + from.size();
    bool const module = detail::is_module(s.from);
    if (path.size() < depth || (!module && path.size() != depth)) return false;
    auto const is_part = [](instance_key const& stated, instance_key const& key) { return !stated || stated == key; };
    for (std::size_t i = 0; i < s.within.size(); ++i)
        if (path[i].name != s.within[i]) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
        module_step const& step = path[s.within.size() + i];
        if (step.name != from[i].name || !is_part(from[i].key, step.key)) return false;
    }
    return module
        || (a.mode() == s.from.mode() && a.type() == s.from.type() && a.name() == s.from.name()
            && is_part(s.from.key(), a.key()));
}

/// Formats a side as in the configuration: `module.a.terraform_data.b[0]`, without the module of the statement.
[[nodiscard]] inline auto move_endpoint_text(move_statement const& s, address const& end) -> std::string
{
    std::string text;
    for (std::string const& name : s.within) text += "module." + name + ".";
    return text + (detail::is_module(end) ? to_string(end.module()) : to_string(end));
}

/// Moves an instance to another address in state, unless that is in use.
template <class Moved = moved_state>  // so that it is instantiated only where it is used, as are those below
void move_instance(Moved& in, address const& from, address const& to)
{
    if (in.state.resources.contains(to)) {
        in.blocked.emplace_back(from, to);
        return;
    }
    auto record = in.state.resources.extract(from);
    record.key() = to;
    in.state.resources.insert(std::move(record));
    auto before = in.previous.extract(from);
    in.previous.insert_or_assign(to, before ? before.mapped() : from);
}

/// Replaces the names of moved resources in the dependencies of all objects. An object that stays at its address has an
/// entry in `followed`.
/// \complexity O(objects + their distinct sets of dependencies)
template <class Moved = moved_state>
void follow_moves(Moved& in)
{
    std::map<std::string, std::set<std::string>> renamed;  // with the block itself, if some of its instances stay
    std::set<std::string> destinations;
    for (auto const& [to, from] : in.previous)
        if (to.config() != from.config()) {
            renamed[to_string(from.config())].insert(to_string(to.config()));
            destinations.insert(to_string(to.config()));
        }
    if (renamed.empty()) return;
    for (auto const& [a, _] : in.state.resources) {
        if (in.previous.contains(a)) continue;
        std::string const block = to_string(a.config());
        if (auto const at = renamed.find(block); at != renamed.end()) at->second.insert(block);
    }
    std::map<dependency_set::id_type, dependency_set> followed;
    auto const is_new = [&](dependency_set const& d) { return !followed.contains(d.id()); };
    auto const follow = [&](dependency_set const& d) {
        std::vector<std::string> names;
        for (std::string const& name : d.own_names())
            if (auto const at = renamed.find(name); at == renamed.end()) names.push_back(name);
            else names.insert(names.end(), at->second.begin(), at->second.end());
        bool same = names == d.own_names();
        std::vector<dependency_set> parts;
        for (dependency_set const& part : d.parts()) {
            parts.push_back(followed.at(part.id()));
            same = same && parts.back().id() == part.id();
        }
        followed.emplace(d.id(), same ? d : dependency_set(std::move(names), std::move(parts)));
    };
    auto const update = [&](address const& a, std::string const& key, object& o) {
        if (o.dependencies.empty()) return;
        o.dependencies.for_each_set(is_new, follow);
        dependency_set now = followed.at(o.dependencies.id());
        if (std::string const own = to_string(a.config()); destinations.contains(own)) {
            auto names = now.names();
            if (std::erase(names, own) != 0) now = dependency_set(std::move(names));
        }
        if (now.id() == o.dependencies.id()) return;
        o.dependencies = std::move(now);
        if (!in.previous.contains(a)) in.followed.push_back(journal_entry::record(a, key, o));
    };
    for (auto& [a, record] : in.state.resources) {
        if (record.current) update(a, {}, *record.current);
        for (auto& [key, old] : record.deposed) update(a, key, old);
    }
}

/// The entries that record moves: all instances leave their old addresses before any arrives.
template <class Moved = moved_state>
[[nodiscard]] auto entries_of(Moved const& moved) -> std::vector<journal_entry>
{
    std::vector<journal_entry> gone;
    std::vector<journal_entry> there;
    for (auto const& [to, from] : moved.previous) {
        resource_record const& record = *moved.state.find(to);
        if (record.current) {
            gone.push_back(journal_entry::remove(from, {}));
            there.push_back(journal_entry::record(to, {}, *record.current));
        }
        for (auto const& [key, old] : record.deposed) {
            gone.push_back(journal_entry::remove(from, key));
            there.push_back(journal_entry::record(to, key, old));
        }
    }
    gone.insert(gone.end(), there.begin(), there.end());
    gone.insert(gone.end(), moved.followed.begin(), moved.followed.end());
    return gone;
}

/// Performs moves: chains in order, outer before nested ones. An instance whose new address is in use stays where it is.
///
/// \complexity O(s² + s n) for s statements and n instances
/// \errors     a cycle of statements
template <class Statements = std::vector<move_statement>>  // so that the graph is instantiated only where it is used
[[nodiscard]] auto apply_moves(moved_state done, Statements const& all) -> result<moved_state, failure>
{
    digraph<typename Statements::size_type> graph;
    std::vector<draft_vertex_id> vertices;
    for (std::size_t i = 0; i < all.size(); ++i) vertices.push_back(graph.add_vertex(i));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
            if (i != j && detail::moves_after(all[i], all[j])) graph.add_edge(vertices[i], depends_on(vertices[j]));
    auto const order = topological_order(graph);
    if (!order) {
        std::vector<std::string> statements;
        for (draft_edge const& step : order.error().path()) {
            move_statement const& s = all[graph[step.dependent]];
            for (std::string part : {s.place, move_endpoint_text(s, s.from), move_endpoint_text(s, s.to)})
                statements.push_back(std::move(part));
        }
        return failure(make_error(codes::move_cycle, std::move(statements)));
    }
    for (auto const v : *order) {
        move_statement const& s = all[graph[v]];
        std::vector<std::pair<address, address>> todo;
        for (auto const& [a, _] : done.state.resources)
            if (auto to = moved_to(s, a); to && *to != a) todo.emplace_back(a, std::move(*to));
        for (auto const& [from, to] : todo) move_instance(done, from, to);
    }
    return done;
}

/// The same for a state in which nothing has moved.
template <class Statements = std::vector<move_statement>>
[[nodiscard]] auto apply_moves(snapshot state, Statements const& all) -> result<moved_state, failure>
{
    moved_state begun;
    begun.state = std::move(state);
    return apply_moves(std::move(begun), all);
}

/// Reports errors of the statements that do not depend on state.
template <class Statements = std::vector<move_statement>>
[[nodiscard]] auto check_moves(Statements const& all) -> diagnostics
{
    diagnostics found;
    auto const add = [&](move_statement const& s, diagnostic d) {
        d.source = s.source;
        found.add(std::move(d));
    };
    std::map<std::string, typename Statements::value_type const*> by_from;
    std::map<std::string, typename Statements::value_type const*> by_to;
    for (move_statement const& s : all) {
        std::string const from = move_endpoint_text(s, s.from);
        std::string const to = move_endpoint_text(s, s.to);
        if (from == to) {
            add(s, make_error(codes::move_to_itself, {from}));
            continue;
        }
        if (auto const [at, is_new] = by_from.try_emplace(from, &s); !is_new) {
            move_statement const& other = *at->second;
            add(s,
                make_error(codes::moved_to_two_places, {from, to, other.place, move_endpoint_text(other, other.to)}));
        }
        if (auto const [at, is_new] = by_to.try_emplace(to, &s); !is_new) {
            move_statement const& other = *at->second;
            add(s,
                make_error(
                    codes::moved_from_two_places, {from, to, other.place, move_endpoint_text(other, other.from)}));
        }
    }
    return found;
}

/// Errors for statements about objects that are still declared at their former address.
/// \param declared  instances that are declared
template <class Statements = std::vector<move_statement>>
[[nodiscard]] auto check_moved_objects(Statements const& all, std::vector<address> const& declared) -> diagnostics
{
    diagnostics found;
    for (move_statement const& s : all) {
        bool const is_declared =
            std::any_of(declared.begin(), declared.end(), [&](address const& a) { return moved_to(s, a).has_value(); });
        if (!is_declared) continue;
        diagnostic one = make_error(codes::moved_object_still_declared,
            {move_endpoint_text(s, s.from), move_endpoint_text(s, s.to), s.from_declared});
        one.source = s.source;
        found.add(std::move(one));
    }
    return found;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_MOVES_HPP
