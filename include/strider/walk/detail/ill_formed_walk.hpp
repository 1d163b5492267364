// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP
#define STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_executor.hpp>

namespace strider::detail {

template <class Target>
struct executor_of {
    using type = Target;
};
template <walk_context Target>
struct executor_of<Target> {
    using type = typename Target::executor_type;
};
template <class Target>
using executor_of_t = typename executor_of<Target>::type;

// A walk on a valid executor that does not compile because of its graph or its visitor.
template <class Target, class Graph, class Visitor>
concept ill_formed_walk = walk_executor<executor_of_t<Target>>
    && (!acyclic_graph<Graph> || !visitor_for<Visitor, Graph, executor_of_t<Target>>);

// Reports the error as one sentence.
template <class Target, class Graph, class Visitor>
constexpr void report_ill_formed_walk()
{
    static_assert(acyclic_graph<Graph>, "a walk takes an acyclic graph: freeze(graph) makes one from a digraph");
    if constexpr (acyclic_graph<Graph>) {
        constexpr bool is_called = visits_directly<Visitor, Graph> || takes_handle<Visitor, Graph>;
        static_assert(is_called,
            "a visitor is called as visit(vertex_id, value const&) or as visit(vertex_id, value const&, visit_handle); "
            "the latter needs <strider/walk/async_walk.hpp>");
        static_assert(!is_called || visitor_for<Visitor, Graph, executor_of_t<Target>>,
            "a visitor returns void, a visit_outcome, or an asio::awaitable of one of them for the executor of the "
            "walk; the latter needs <strider/walk/async_walk.hpp>");
    }
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP
