// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISIT_VALUES_HPP
#define STRIDER_WALK_VISIT_VALUES_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/change_detection.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/detail/values/cached_values.hpp>
#include <strider/walk/detail/values/released_values.hpp>
#include <strider/walk/detail/values/value_slots.hpp>
#include <strider/walk/detail/values/value_visitor.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

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
    [[nodiscard]] auto visitor(F visit) & -> detail::value_visitor<F, detail::released_values<T>>
    {
        return {std::move(visit), all_};
    }
    /// Deleted: the visitor would refer to a temporary object.
    template <class F>
    void visitor(F) && = delete;  // the visitor refers to the values: give the object a name

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

/// The values of all vertices, for incremental runs of a `walker`: a visit reads the values of its direct dependencies, whether
/// this run or an earlier one has visited them.
///
/// `visitor(f)` makes a visitor as that of `visit_values` does. If `enable_change_detection<T>` is true, as it is for a type that is
/// equality comparable with all of its elements, and a visit returns a value equal to the one before, the outcome of the visit is `visit_outcome::unchanged()`: in a partial run, this is no reason to visit its
/// dependents. A vertex that failed, was skipped or cancelled has no value until it is visited again.
///
/// \code
/// walker build(pool, graph, cache.visitor(f));
/// auto report = build.run(cache.outdated(changed));  // at first all vertices
/// \endcode
///
/// \par Cost
/// Memory for one `T` and one byte per vertex, allocated once.
/// \pre The graph, and this object, exist until the walk ends.
template <class T>
class value_cache {
    static_assert(
        detail::storable_value<T>, "value_cache<T> needs a movable object type: no reference, no array, not const");

public:
    /// The type of the values.
    using value_type = T;
    /// The type of the view that a visit receives.
    using inputs_type = dependency_values<T>;
    /// The type of the handle that a handle visitor receives.
    using handle_type = value_handle<T>;

    /// \complexity O(V)
    template <detail::graph_in_dependency_rows Graph>
    explicit value_cache(Graph const& graph) : all_(graph)
    {}
    template <detail::graph_in_dependency_rows Graph>
    explicit value_cache(Graph const&&) = delete;

    /// Rejects a graph without rows of dependencies.
    template <class Graph>
        requires(!detail::graph_in_dependency_rows<Graph> && !std::same_as<Graph, value_cache>)
    explicit value_cache(Graph const&)
    {
        static_assert(detail::graph_in_dependency_rows<Graph>,
            "values along edges need a dag: they are read along its rows of dependencies");
    }

    value_cache(value_cache const&) = delete;
    auto operator=(value_cache const&) -> value_cache& = delete;

    /// Returns a visitor for a walk that stores the values that `visit` returns. \pre This object outlives the walk.
    template <class F>
    [[nodiscard]] auto visitor(F visit) & -> detail::value_visitor<F, detail::cached_values<T>>
    {
        return {std::move(visit), all_};
    }
    /// Deleted: the visitor would refer to a temporary object.
    template <class F>
    void visitor(F) && = delete;  // the visitor refers to the values: give the object a name

    /// Returns true if `v` has a value. \pre no walk uses the value \complexity O(1).
    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool { return all_.values.contains(v); }
    /// \pre `contains(v)`, and no walk uses the value
    [[nodiscard]] auto operator[](vertex_id v) const -> T const&
    {
        STRIDER_ASSERT(contains(v), "the value of the vertex exists");
        return all_.values[v];
    }
    /// Returns the vertices that a run must visit: `changed` and those without a value, in ascending id.
    /// \pre no walk uses the values \complexity O(V)
    [[nodiscard]] auto outdated(std::span<vertex_id const> changed = {}) const -> std::vector<vertex_id>
    {
        std::vector<unsigned char> is_outdated(all_.values.size());
        for (vertex_id const v : changed) is_outdated[v.index()] = 1;
        std::vector<vertex_id> all;
        for (std::size_t i = 0; i < is_outdated.size(); ++i)
            if (is_outdated[i] != 0 || !contains(vertex_id(i))) all.emplace_back(i);
        return all;
    }
    /// Stores a value without a visit, such as one that an earlier process has saved. \pre no walk uses the value
    void store(vertex_id v, T value) { (void)all_.values.put(v, std::move(value)); }
    /// Destroys all values. \pre no walk uses them
    void clear() noexcept { all_.values.clear(); }

private:
    detail::settled_values<detail::cached_values<T>> all_;
};

}  // namespace strider

#endif  // STRIDER_WALK_VISIT_VALUES_HPP
