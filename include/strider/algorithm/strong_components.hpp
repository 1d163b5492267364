// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_STRONG_COMPONENTS_HPP
#define STRIDER_ALGORITHM_STRONG_COMPONENTS_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/adjacency.hpp>
#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/algorithm/contains.hpp>
#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace strider {

/// The strongly connected components of a graph, dependencies first. A range of them with random access; each lists its vertices
/// in ascending id.
template <class Id>
class component_list {
    struct member_row {
        component_list const* list = nullptr;

        [[nodiscard]] auto operator()(std::size_t component) const { return (*list)[component]; }
    };

public:
    /// Types of a range. Iterators return components by value, and are valid as long as the list stays in its place.
    /// @{
    using value_type = std::span<Id const>;
    using iterator = ranges::basic_iterator<detail::index_cursor<member_row>>;
    using const_iterator = iterator;
    /// @}

    /// A list without components.
    component_list() = default;

    /// Groups vertices by the number of their component; used by `strong_components`.
    template <directed_graph G>
        requires std::same_as<vertex_id_t<G>, Id>
    component_list(G const& g, basic_vertex_map<Id, std::uint32_t> component, std::size_t count)
        : component_(std::move(component)),
          members_(count)
    {
        for (auto const v : g.vertices()) members_.count(row_of(v));
        members_.seal();
        for (auto const v : g.vertices()) members_.put(row_of(v), v);
    }

    /// Copies the components. If there is no memory, an assignment has no effect.
    /// @{
    component_list(component_list const&) = default;
    auto operator=(component_list const& other) -> component_list& { return *this = component_list(other); }
    /// @}
    /// Leaves `other` empty.
    /// @{
    component_list(component_list&& other) noexcept = default;
    auto operator=(component_list&& other) noexcept -> component_list& = default;
    /// @}
    ~component_list() = default;

    /// The number of components, including those of a single vertex. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return members_.rows(); }
    /// True if there is no component: the graph has no vertex.
    [[nodiscard]] auto empty() const noexcept -> bool { return size() == 0; }
    /// Returns the vertices of a component; valid as long as the list. A temporary list returns a copy. \pre component < size()
    /// @{
    [[nodiscard]] auto operator[](std::size_t component) const& -> std::span<Id const>
    {
        STRIDER_ASSERT(component < size(), "the list has the component");
        return members_[Id(component)];
    }
    [[nodiscard]] auto operator[](std::size_t component) const&& -> std::vector<Id>
    {
        std::span<Id const> const members = (*this)[component];
        return {members.begin(), members.end()};
    }
    /// @}
    /// Iterators over the components.
    /// @{
    [[nodiscard]] auto begin() const -> iterator { return position(0); }
    [[nodiscard]] auto end() const -> iterator { return position(size()); }
    /// @}
    /// Returns the position in this list of the component of `v`.
    [[nodiscard]] auto of(Id v) const -> std::size_t { return component_[v]; }
    /// Returns true if `a` and `b` are in one component. \pre Both are vertices of the graph. \complexity O(1).
    [[nodiscard]] auto same(Id a, Id b) const -> bool { return component_[a] == component_[b]; }

private:
    [[nodiscard]] auto position(std::size_t component) const -> iterator
    {
        return iterator({{}, {this}, static_cast<std::ptrdiff_t>(component)});
    }
    [[nodiscard]] auto row_of(Id v) const -> Id { return Id(component_[v]); }

    basic_vertex_map<Id, std::uint32_t> component_;
    detail::compressed_rows<Id> members_;  // a row for each component
};

/// Finds the strongly connected components: the maximal sets of vertices that are reachable from one another.
///
/// A component comes after those that it depends on, so the list is a topological order of components.
///
/// \complexity O(V + E) time; one number per vertex, and a stack on the heap.
/// \source     D. J. Pearce, "A space-efficient algorithm for finding strongly connected components", 2016.
template <directed_graph G>
[[nodiscard]] auto strong_components(G const& g) -> component_list<vertex_id_t<G>>
{
    detail::adjacency<direction::dependencies, G> const dependencies(g);
    using row_type = decltype(dependencies[vertex_id_t<G>()]);
    struct frame {
        vertex_id_t<G> v;
        bool is_first;  // no path from v leads to a vertex that was found earlier
        ranges::iterator_t<row_type> at;
        ranges::sentinel_t<row_type> end;
    };
    // Ascending from 1 while a vertex is open; descending from V when its component is known. A finished vertex
    // therefore always has a larger number than an open one, and one comparison covers both cases.
    auto const last = static_cast<std::uint32_t>(g.vertex_count());
    vertex_map_t<G, std::uint32_t> number(g.id_bound());
    std::uint32_t next_open = 1;
    std::uint32_t next_component = last;
    std::vector<frame> path;
    std::vector<vertex_id_t<G>> pending;

    auto const open = [&](vertex_id_t<G> v) {
        auto row = dependencies[v];
        number[v] = next_open++;
        path.push_back({v, true, ranges::begin(row), ranges::end(row)});
    };
    for (auto const start : g.vertices()) {
        if (number[start] != 0) continue;
        open(start);
        while (!path.empty()) {
            frame& top = path.back();
            if (top.at != top.end) {
                vertex_id_t<G> const d = *top.at;
                if (number[d] == 0) {
                    open(d);  // and examine this edge again afterwards
                    continue;
                }
                if (number[d] < number[top.v]) {
                    number[top.v] = number[d];
                    top.is_first = false;
                }
                ++top.at;
                continue;
            }
            vertex_id_t<G> const v = top.v;
            bool const is_first = top.is_first;
            path.pop_back();
            if (!is_first) {
                pending.push_back(v);
                continue;
            }
            --next_open;
            while (!pending.empty() && number[pending.back()] >= number[v]) {
                number[pending.back()] = next_component;
                pending.pop_back();
                --next_open;
            }
            number[v] = next_component--;
        }
    }
    for (auto const v : g.vertices()) number[v] = last - number[v];
    return component_list<vertex_id_t<G>>(g, std::move(number), last - next_component);
}

/// Returns true if the vertices of a strong component are on a cycle: two or more, or one with an edge to itself.
/// \param component  an element of a `component_list`, or another container or view of its vertices
template <directed_graph G, vertex_range<vertex_id_t<G>> Component>
    requires ranges::forward_range<Component>
[[nodiscard]] auto is_nontrivial(G const& g, Component&& component) -> bool
{
    auto const first = ranges::begin(component);
    auto const last = ranges::end(component);
    if (first == last) return false;
    if (ranges::next(first) != last) return true;
    vertex_id_t<G> const only = *first;
    return ranges::contains(g.dependencies(only), only);
}

/// Returns the strong components that contain a cycle; empty for an acyclic graph.
///
/// \complexity O(V + E).
template <directed_graph G>
[[nodiscard]] auto cyclic_components(G const& g) -> std::vector<std::vector<vertex_id_t<G>>>
{
    component_list const all = strong_components(g);
    std::vector<std::vector<vertex_id_t<G>>> cyclic;
    for (auto const component : all)
        if (is_nontrivial(g, component)) cyclic.emplace_back(component.begin(), component.end());
    return cyclic;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_STRONG_COMPONENTS_HPP
