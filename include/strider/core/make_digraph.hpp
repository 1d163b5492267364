// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_MAKE_DIGRAPH_HPP
#define STRIDER_CORE_MAKE_DIGRAPH_HPP

#include <strider/core/digraph.hpp>
#include <strider/core/result.hpp>

#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

struct first_of_pair {
    [[nodiscard]] constexpr auto operator()(auto const& pair) const -> decltype(auto) { return std::get<0>(pair); }
};
struct second_of_pair {
    [[nodiscard]] constexpr auto operator()(auto const& pair) const -> decltype(auto) { return std::get<1>(pair); }
};

template <class Projection, class R>
using projected_t = std::invoke_result_t<Projection&, ranges::range_reference_t<R>>;

template <class Key, class V>
using key_of_t = std::remove_cvref_t<std::invoke_result_t<Key&, V const&>>;
template <class Key, class V>
concept key_projection = std::invocable<Key&, V const&> && std::totally_ordered<key_of_t<Key, V>>;
template <class Dependencies, class Key, class V>
concept keys_projection = key_projection<Key, V> && std::invocable<Dependencies&, V const&>
    && ranges::input_range<std::invoke_result_t<Dependencies&, V const&>>
    && std::convertible_to<ranges::range_reference_t<std::invoke_result_t<Dependencies&, V const&>>, key_of_t<Key, V>>;

template <class Key>
[[nodiscard]] auto duplicate_key(Key const& key) -> graph_error
{
    std::string message = "two values have the same key";
    if constexpr (std::convertible_to<Key const&, std::string_view>) message.append(": ").append(std::string_view(key));
    return {graph_errc::duplicate_vertex, std::move(message)};
}
template <class Key>
[[nodiscard]] auto unknown_key(Key const& dependent, Key const& dependency) -> graph_error
{
    std::string message = "a dependency is the key of no value";
    if constexpr (std::convertible_to<Key const&, std::string_view>)
        message.assign(std::string_view(dependent))
            .append(" depends on ")
            .append(std::string_view(dependency))
            .append(", which is the key of no value");
    return {graph_errc::unknown_vertex, std::move(message)};
}

}  // namespace detail

/// Makes a graph of a range of values and a range of edges between their positions: `make_digraph(names, {{1, 0}})` makes
/// `names[1]` depend on `names[0]`. An edge that is listed twice is added once.
///
/// \param dependent, dependency  projections of an element of `edges` to the positions in `values`; by default the first
///                               and the second element of a pair
/// \complexity O(V), and that of `digraph::add_edge` per edge
/// \return     graph_errc::unknown_vertex if a position is not below the number of values
template <ranges::input_range Values, ranges::input_range Edges, class Dependent = detail::first_of_pair,
    class Dependency = detail::second_of_pair>
    requires std::convertible_to<detail::projected_t<Dependent, Edges>, std::size_t>
    && std::convertible_to<detail::projected_t<Dependency, Edges>, std::size_t>
[[nodiscard]] auto make_digraph(Values&& values, Edges&& edges, Dependent dependent = {}, Dependency dependency = {})
    -> result<digraph<ranges::range_value_t<Values>>>
{
    digraph<ranges::range_value_t<Values>> g;
    auto const ids = g.add_vertices(std::forward<Values>(values));
    for (auto&& e : edges) {
        auto const from = static_cast<std::size_t>(std::invoke(dependent, e));
        auto const to = static_cast<std::size_t>(std::invoke(dependency, e));
        if (std::size_t const last = std::max(from, to); last >= ids.size())
            return graph_error(graph_errc::unknown_vertex,
                "an edge has position " + std::to_string(last) + "; the number of values is "
                    + std::to_string(ids.size()));
        g.add_edge(ids[from], depends_on(ids[to]));
    }
    return g;
}

/// As above, with a list: `make_digraph(names, {{1, 0}, {2, 0}})`.
template <ranges::input_range Values>
[[nodiscard]] auto make_digraph(Values&& values, std::initializer_list<std::pair<std::size_t, std::size_t>> edges)
    -> result<digraph<ranges::range_value_t<Values>>>
{
    return make_digraph(std::forward<Values>(values), edges, detail::first_of_pair(), detail::second_of_pair());
}

/// Makes a graph of values that name their dependencies: `make_digraph(tasks, &task::name, &task::needs)`.
///
/// \param key           projection of a value to the key that identifies it
/// \param dependencies  projection of a value to a range of the keys of its dependencies
/// \complexity O((V + E) log V), and that of `digraph::add_edge` per edge
/// \return     graph_errc::duplicate_vertex if two values have one key; graph_errc::unknown_vertex if a dependency is the key
///             of no value. The message names the keys if they are texts.
template <ranges::input_range Values, class Key, class Dependencies>
    requires(!ranges::input_range<Key>)
[[nodiscard]] auto make_digraph(Values&& values, Key key, Dependencies dependencies)
    -> result<digraph<ranges::range_value_t<Values>>>
{
    using value_type = ranges::range_value_t<Values>;
    static_assert(detail::key_projection<Key, value_type>,
        "the arguments of make_digraph are values, key, dependencies: key(value) is an ordered type, such as a text");
    static_assert(!detail::key_projection<Key, value_type> || detail::keys_projection<Dependencies, Key, value_type>,
        "the arguments of make_digraph are values, key, dependencies: dependencies(value) is a range of keys of "
        "values");
    digraph<value_type> g;  // empty after a failed assertion
    if constexpr (detail::keys_projection<Dependencies, Key, value_type>) {
        auto const ids = g.add_vertices(std::forward<Values>(values));
        using key_type = detail::key_of_t<Key, value_type>;
        std::map<key_type, draft_vertex_id> by_key;
        for (draft_vertex_id const v : ids)
            if (auto const [at, is_new] = by_key.try_emplace(std::invoke(key, std::as_const(g)[v]), v); !is_new)
                return detail::duplicate_key(at->first);
        for (draft_vertex_id const v : ids)
            for (auto&& k : std::invoke(dependencies, std::as_const(g)[v])) {
                auto const found = by_key.find(k);
                if (found == by_key.end())
                    return detail::unknown_key<key_type>(std::invoke(key, std::as_const(g)[v]), k);
                g.add_edge(v, depends_on(found->second));
            }
    }
    return g;
}

}  // namespace strider

#endif  // STRIDER_CORE_MAKE_DIGRAPH_HPP
