// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VALUE_CACHE_HPP
#define STRIDER_WALK_VALUE_CACHE_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/detail/values/cached_values.hpp>
#include <strider/walk/detail/values/value_slots.hpp>
#include <strider/walk/detail/values/value_visitor.hpp>
#include <strider/walk/value_handle.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace strider {

/// The values of all vertices, for incremental runs of a `walker`: a visit reads the values of its direct dependencies, whether
/// this run or an earlier one has visited them.
///
/// `visitor(f)` makes a visitor as that of `visit_values` does. If `T` is equality comparable and a visit returns a value equal to
/// the one before, the outcome of the visit is `visit_outcome::unchanged()`: in a partial run, this is no reason to visit its
/// dependents. A vertex that failed, was skipped or cancelled has no value until it is visited again.
///
/// \code
/// walker build(pool, graph, cache.visitor(f));
/// auto report = build(cache.outdated(changed));  // at first all vertices
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
    [[nodiscard]] auto visitor(F visit) -> detail::value_visitor<F, detail::cached_values<T>>
    {
        return {std::move(visit), all_};
    }

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

#endif  // STRIDER_WALK_VALUE_CACHE_HPP
