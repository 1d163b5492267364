// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_VALUES_VALUE_SLOTS_HPP
#define STRIDER_WALK_DETAIL_VALUES_VALUE_SLOTS_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/dependency_values.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace strider::detail {

// A graph whose dependencies are stored in one array, row by row in ascending id.
template <class G>
concept graph_in_dependency_rows = acyclic_graph<G> && requires(G const& g) { dag_access::dependencies(g); };

template <class T>
concept storable_value =
    std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && std::move_constructible<T>;

// Memory for one value per vertex of a graph, and the edges along which the values are read.
template <class T>
class value_slots {
public:
    template <graph_in_dependency_rows Graph>
    explicit value_slots(Graph const& graph)
        : dependencies_(dag_access::dependencies(graph)),
          slots_(std::make_unique<value_slot<T>[]>(size()))
    {}

    [[nodiscard]] auto size() const noexcept -> std::size_t { return dependencies_.size(); }
    [[nodiscard]] auto operator[](vertex_id v) const noexcept -> T&
    {
        STRIDER_ASSERT(v.index() < size(), "the vertex belongs to the graph of the values");
        return slots_[v.index()].value;
    }
    [[nodiscard]] auto dependencies(vertex_id v) const noexcept -> std::span<vertex_id const>
    {
        STRIDER_ASSERT(v.index() < size(), "the vertex belongs to the graph of the values");
        return dependencies_[v.index()];
    }
    [[nodiscard]] auto inputs(vertex_id v) const noexcept -> dependency_values<T>
    {
        return walk_access::make<dependency_values<T>>(dependencies(v), slots_.get());
    }
    template <class U>
    void construct(vertex_id v, U&& value) const
    {
        std::construct_at(std::addressof((*this)[v]), std::forward<U>(value));
    }
    void destroy(vertex_id v) const noexcept { std::destroy_at(std::addressof((*this)[v])); }

private:
    row_arrays<vertex_id> dependencies_;
    std::unique_ptr<value_slot<T>[]> slots_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_VALUES_VALUE_SLOTS_HPP
