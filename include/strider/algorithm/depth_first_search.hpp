// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DEPTH_FIRST_SEARCH_HPP
#define STRIDER_ALGORITHM_DEPTH_FIRST_SEARCH_HPP

#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_set.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

namespace strider {

namespace detail {

struct ignore_vertex {
    template <class Id>
    constexpr void operator()(Id) const noexcept
    {}
};

}  // namespace detail

/// Visits each vertex reachable from `starts` once: calls `enter(v)` before, and `leave(v)` after its successors.
///
/// Along dependencies of an acyclic graph, the order of the calls of `leave` is a topological order. `enter` may
/// return false to stop the search at `v`. Starts and neighbours are visited in the given order.
///
/// \complexity O(V + E) of the reached part. The stack is on the heap: only memory limits the depth.
template <direction D = direction::dependencies, directed_graph G, vertex_range<vertex_id_t<G>> Starts, class Enter,
    class Leave = detail::ignore_vertex>
    requires std::invocable<Enter&, vertex_id_t<G>> && std::invocable<Leave&, vertex_id_t<G>>
void depth_first_search(G const& g, Starts const& starts, Enter enter, Leave leave = {})
{
    using iterator = decltype(detail::incident<D>(g, vertex_id_t<G>{}).begin());
    struct frame {
        vertex_id_t<G> v;
        iterator at;
        iterator end;
    };

    vertex_set_t<G> seen(g.id_bound());
    std::vector<frame> stack;
    auto const open = [&](vertex_id_t<G> v) {
        if (!seen.insert(v)) return;
        auto const next = detail::incident<D>(g, v);
        bool through = true;
        if constexpr (std::convertible_to<std::invoke_result_t<Enter&, vertex_id_t<G>>, bool>)
            through = std::invoke(enter, v);
        else std::invoke(enter, v);
        stack.push_back({v, through ? next.begin() : next.end(), next.end()});
    };

    for (auto const start : starts) {
        open(start);
        while (!stack.empty()) {
            frame& top = stack.back();
            if (top.at == top.end) {
                vertex_id_t<G> const v = top.v;
                stack.pop_back();
                std::invoke(leave, v);
            } else {
                vertex_id_t<G> const next = *top.at;
                ++top.at;
                open(next);
            }
        }
    }
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_DEPTH_FIRST_SEARCH_HPP
