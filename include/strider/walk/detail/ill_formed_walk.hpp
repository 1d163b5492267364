// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP
#define STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <type_traits>

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
using executor_of_t = typename executor_of<std::remove_cvref_t<Target>>::type;

template <class T>
concept execution_context_type = std::convertible_to<std::remove_cvref_t<T>&, asio::execution_context&>;

// True for an executor, and for a context that exists after the call. Target: the type of a forwarding reference
template <class Target>
inline constexpr bool is_lasting_target = !execution_context_type<Target>
    || (std::is_lvalue_reference_v<Target> && !std::is_const_v<std::remove_reference_t<Target>>);

// A completion token of a walk.
template <class Token>
concept walk_token = !any_walk_options<Token> && asio::completion_token_for<Token, walk_signature>;

template <class Target, class Graph, class Visitor>
concept well_formed_walk = is_lasting_target<Target> && walk_executor<executor_of_t<Target>> && acyclic_graph<Graph>
    && visitor_for<Visitor, Graph, executor_of_t<Target>>;

// What names the place of a walk. Calls of functions named `walk` with another first argument are not those of this library.
template <class Target>
concept walk_target = asio::execution::executor<std::remove_cvref_t<Target>> || execution_context_type<Target>;

// Arguments that begin like those of a walk and do not compile.
template <class Target, class Graph, class Visitor, class... Tokens>
concept ill_formed_walk =
    walk_target<Target> && !(well_formed_walk<Target, Graph, Visitor> && (walk_token<Tokens> && ...));

// Reports the error as one sentence.
template <class Target, class Graph, class Visitor>
constexpr void report_ill_formed_walk()
{
    static_assert(is_lasting_target<Target>,
        "the execution context of a walk must outlive the walk: pass a variable that is not const, no temporary "
        "object");
    static_assert(walk_executor<executor_of_t<Target>>,
        "a walk posts functions: asio::require(executor, execution::blocking.never) must be valid for its executor");
    static_assert(acyclic_graph<Graph>, "a walk takes an acyclic graph: freeze(graph).value() makes one of a digraph");
    if constexpr (acyclic_graph<Graph> && walk_executor<executor_of_t<Target>>) {
        using value_type = vertex_value_t<Graph>;
        constexpr bool is_called = visits_directly<Visitor, value_type> || visits_with_stop_token<Visitor, value_type>
            || visits_by_handle<Visitor, value_type>;
        static_assert(is_called,
            "a visitor is called as visit(vertex_id, value const&) or as visit(vertex_id, value const&, visit_handle), "
            "or "
            "with a stop_token as the third argument");
        static_assert(!is_called || visitor_for<Visitor, Graph, executor_of_t<Target>>,
            "a visitor returns void, a visit_outcome, an error code, or an asio::awaitable of one of them for the "
            "executor of the walk");
    }
}

template <class Token>
constexpr void report_invalid_token()
{
    static_assert(walk_token<Token>,
        "the last argument of a walk is a completion token: a handler is called as handler(error_code, walk_report)");
}

// Called with the arguments after the options.
template <bool may_help>
constexpr void check_caller(auto... helps)
{
    static_assert(sizeof...(helps) == 0 || may_help,
        "caller_helps is for walks by workers: with a plain visitor, a dag and ascending_id, and not on a strand");
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_ILL_FORMED_WALK_HPP
