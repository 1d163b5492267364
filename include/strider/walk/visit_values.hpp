// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISIT_VALUES_HPP
#define STRIDER_WALK_VISIT_VALUES_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/detail/values/released_values.hpp>
#include <strider/walk/detail/values/value_slots.hpp>
#include <strider/walk/detail/values/value_visitor.hpp>
#include <strider/walk/value_handle.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace strider {

/// The values that visits return: a visit receives those of its direct dependencies. No visitor needs a lock.
///
/// `visitor(f)` makes a visitor for `walk`, `async_walk` and `walker` out of `f(vertex_id, value const&, inputs)`, where
/// `inputs` is a `dependency_values<T>`. `f` returns `T` or a type that converts to it, `boost::system::result<T, E>`,
/// `result<T>`, or an `asio::awaitable` of one of them; or it receives a `value_handle<T>` as a fourth argument. An error or an exception is
/// the outcome of the vertex, which then has no value: its dependents are skipped.
///
/// A value is destroyed when the last dependent has read it, or will not be visited. Values that are kept, by default those
/// of vertices without dependents, exist after the walk, until they are taken, `clear` is called, or the vertex takes part
/// in another run. If an exception outside of visitors ends a walk, other values may exist as long. Values of a trivially
/// destructible type are not counted and never released.
///
/// One object serves one walk at a time, and any number of runs of a `walker`. Partial runs need a `value_cache`.
///
/// \par Cost
/// Memory for one `T` per vertex, allocated once. A visit allocates nothing; an awaitable one has a second coroutine frame.
/// If `T` is not trivially destructible, 8 bytes more per vertex, and an atomic operation per edge.
/// \pre The graph, and this object, exist until the walk ends.
template <class T>
class visit_values {
    static_assert(
        detail::storable_value<T>, "visit_values<T> needs a movable object type: no reference, no array, not const");

public:
    /// The type of the values.
    using value_type = T;
    /// The type of the view that a visit receives.
    using inputs_type = dependency_values<T>;
    /// The type of the handle that a handle visitor receives.
    using handle_type = value_handle<T>;

    /// Keeps the values of vertices without dependents. \complexity O(V)
    template <detail::graph_in_dependency_rows Graph>
    explicit visit_values(Graph const& graph)
        : visit_values(graph, [&graph](vertex_id v) { return graph.dependent_count(v) == 0; })
    {}
    /// Keeps the values of the vertices that a predicate selects.
    template <detail::graph_in_dependency_rows Graph, std::predicate<vertex_id> Keep>
    visit_values(Graph const& graph, Keep keep) : all_(graph, keep)
    {}
    template <detail::graph_in_dependency_rows Graph>
    explicit visit_values(Graph const&&) = delete;
    template <detail::graph_in_dependency_rows Graph, std::predicate<vertex_id> Keep>
    visit_values(Graph const&&, Keep) = delete;

    /// Rejects a graph without rows of dependencies.
    template <class Graph>
        requires(!detail::graph_in_dependency_rows<Graph> && !std::same_as<Graph, visit_values>)
    explicit visit_values(Graph const&)
    {
        static_assert(detail::graph_in_dependency_rows<Graph>,
            "values along edges need a dag: they are read along its rows of dependencies");
    }

    visit_values(visit_values const&) = delete;
    auto operator=(visit_values const&) -> visit_values& = delete;

    /// Returns a visitor for a walk that stores the values that `visit` returns. \pre This object outlives the walk.
    template <class F>
    [[nodiscard]] auto visitor(F visit) -> detail::value_visitor<F, detail::released_values<T>>
    {
        return {std::move(visit), all_};
    }

    /// \pre The walk has ended, the outcome of `v` is done, and its value is kept and was not taken.
    [[nodiscard]] auto operator[](vertex_id v) const -> T const&
    {
        STRIDER_ASSERT(all_.values.contains(v), "the value of the vertex exists");
        return all_.values[v];
    }
    /// Moves a value out and destroys it. \pre as `operator[]`
    [[nodiscard]] auto take(vertex_id v) -> T
    {
        STRIDER_ASSERT(all_.values.contains(v), "the value of the vertex exists");
        T taken = std::move(all_.values[v]);
        all_.values.begin(v);
        return taken;
    }
    /// Destroys all values. \pre no walk uses them
    void clear() noexcept { all_.values.clear(); }

private:
    detail::settled_values<detail::released_values<T>> all_;
};

}  // namespace strider

#endif  // STRIDER_WALK_VISIT_VALUES_HPP
