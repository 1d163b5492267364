// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_GROWING_DIGRAPH_HPP
#define STRIDER_WALK_GROWING_DIGRAPH_HPP

#include <strider/core/dag.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// An acyclic graph to which visits add dags, which the same walk visits.
///
/// A visit of `v` calls `add(v, part)` any number of times. The vertices of the part are visited by the same visitor, under
/// the limits, the cancellation, the timeout, the ready queue and the trace of the walk. `v` is settled, and its dependents
/// start, when all vertices of its parts are settled. If one of them failed or was skipped, `v` fails with
/// `walk_errc::part_failed`; if one was cancelled, `v` is cancelled. Vertices of a part may add parts. If the visit ends other
/// than as done, what it added is discarded.
///
/// Added vertices have ids from the former `id_bound()` on. A part exists until the next walk begins, so the report can be
/// read with this graph. `dependents(v)` are those of the part; edges between parts do not exist.
///
/// A walk of a growing graph has a ledger. Its ready queue must have a member function `resize(id_bound)`.
///
/// \par Cost
/// O(vertices + edges) for each part, and a few allocations for each part; a vertex costs as much as in another walk with a
/// ledger.
template <class V>
class growing_digraph {
public:
    /// The type of the value that each vertex carries.
    using value_type = V;
    /// The type of the graphs that are attached.
    using part_type = dag<V>;

    /// A graph that begins with `first`, which it owns.
    explicit growing_digraph(part_type first) : growing_digraph(std::make_shared<part_type const>(std::move(first))) {}
    /// A graph that begins with `first`, which several growing graphs may share. \pre first is not null
    explicit growing_digraph(std::shared_ptr<part_type const> first) : state_(std::make_unique<state>())
    {
        state_->append(std::move(first), vertex_id());
    }

    /// Adds a graph that the dependents of `v` wait for. \pre called by the visit of `v`, before it ends
    void add(vertex_id v, part_type part) const { add(v, std::make_shared<part_type const>(std::move(part))); }
    /// Adds a graph that may be a part of several graphs.
    void add(vertex_id v, std::shared_ptr<part_type const> part) const
    {
        entry& its = state_->at(v);
        if (!its.added) its.added = std::make_unique<parts>();
        its.added->push_back(std::move(part));
    }

    /// Returns the value of `v`. \pre v.index() < id_bound()
    [[nodiscard]] auto operator[](vertex_id v) const -> V const&
    {
        placed_part const& in = part_of(v);
        return (*in.graph)[in.local(v)];
    }
    /// The number of vertices of the first graph and of the attached parts. \complexity O(1).
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return state_->size; }
    /// The number of edges of the first graph and of the attached parts. \complexity O(parts).
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t
    {
        std::size_t count = 0;
        for (std::unique_ptr<placed_part> const& part : state_->all) count += part->graph->edge_count();
        return count;
    }
    /// Upper bound of all ids; equal to `vertex_count()`, because ids have no gaps. \complexity O(1).
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return state_->size; }
    /// Returns a view of the ids of all vertices in ascending order.
    [[nodiscard]] auto vertices() const { return detail::indexed(0, state_->size, all_ids()); }
    /// The number of dependencies of `v` within its part.
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t
    {
        placed_part const& in = part_of(v);
        return in.graph->dependency_count(in.local(v));
    }
    /// The dependents of `v` within its part.
    [[nodiscard]] auto dependents(vertex_id v) const
    {
        return rows(v, [](part_type const& part, vertex_id local) { return part.dependents(local); });
    }
    /// The dependencies of `v` within its part.
    [[nodiscard]] auto dependencies(vertex_id v) const
    {
        return rows(v, [](part_type const& part, vertex_id local) { return part.dependencies(local); });
    }
    /// The edges from `v` to its dependencies within its part, with their origins. They are returned by value.
    [[nodiscard]] auto dependency_edges(vertex_id v) const
    {
        placed_part const& in = part_of(v);
        auto const local = in.graph->dependency_edges(in.local(v));
        return detail::indexed(0, local.size(), shifted_edges<decltype(local.begin())>{local.begin(), in.first});
    }
    /// The vertex whose visit added `v`; an invalid id for a vertex of the first graph.
    [[nodiscard]] auto added_by(vertex_id v) const -> vertex_id { return part_of(v).added_by; }

    /// \name Called by the walk, one call at a time
    /// @{
    /// Removes all parts, attached or not, before a walk begins.
    void restart() const noexcept { state_->restart(); }
    /// The number of vertices that the visit of `v` has added and that are not attached yet.
    [[nodiscard]] auto added_count(vertex_id v) const noexcept -> std::size_t
    {
        std::size_t count = 0;
        if (parts const* const added = state_->at(v).added.get())
            for (std::shared_ptr<part_type const> const& part : *added) count += part->vertex_count();
        return count;
    }
    /// Attaches the parts that the visit of `v` has added, in their order.
    void attach(vertex_id v) const
    {
        if (auto const added = std::move(state_->at(v).added))
            for (std::shared_ptr<part_type const>& part : *added) state_->append(std::move(part), v);
    }
    /// Discards the parts that the visit of `v` has added, because the visit has not succeeded.
    void discard(vertex_id v) const noexcept { state_->at(v).added.reset(); }
    /// @}

private:
    using parts = std::vector<std::shared_ptr<part_type const>>;

    struct placed_part {
        std::shared_ptr<part_type const> graph;
        std::size_t first;
        vertex_id added_by;

        [[nodiscard]] auto local(vertex_id v) const noexcept -> vertex_id { return vertex_id(v.index() - first); }
    };
    struct entry {
        placed_part const* part = nullptr;
        std::unique_ptr<parts> added;  // by the visit of the vertex, which is running
    };
    struct all_ids {
        [[nodiscard]] auto operator()(std::size_t at) const noexcept -> vertex_id { return vertex_id(at); }
    };
    struct shifted_ids {
        vertex_id const* ids = nullptr;
        std::size_t first = 0;

        [[nodiscard]] auto operator()(std::size_t at) const noexcept -> vertex_id
        {
            return vertex_id(first + ids[at].index());
        }
    };

    template <class Iterator>
    struct shifted_edges {
        Iterator edges{};
        std::size_t first = 0;

        [[nodiscard]] auto operator()(std::size_t at) const -> edge
        {
            edge const local = edges[static_cast<std::ptrdiff_t>(at)];
            return {
                vertex_id(first + local.dependent.index()), vertex_id(first + local.dependency.index()), local.origin};
        }
    };

    // Entries never move: visits read theirs while the walk appends others. Block k has 2^k * smallest_block entries.
    struct state {
        static constexpr std::size_t smallest_block = 64;

        [[nodiscard]] auto at(vertex_id v) -> entry&
        {
            std::size_t const shifted = v.index() / smallest_block + 1;
            auto const block = static_cast<std::size_t>(std::bit_width(shifted)) - 1;
            return blocks[block][v.index() - ((std::size_t{1} << block) - 1) * smallest_block];
        }
        void append(std::shared_ptr<part_type const> graph, vertex_id added_by)
        {
            std::size_t const count = graph->vertex_count();
            auto& part =
                *all.emplace_back(std::make_unique<placed_part>(placed_part{std::move(graph), size, added_by}));
            std::size_t const end = size + count;
            for (; blocks_end < end; ++block_count) {
                std::size_t const length = smallest_block << block_count;
                blocks[block_count] = std::make_unique<entry[]>(length);
                blocks_end += length;
            }
            while (size != end) {
                ++size;
                at(vertex_id(size - 1)) = entry{&part, nullptr};
            }
        }
        void restart() noexcept
        {
            size = all.front()->graph->vertex_count();
            for (std::size_t i = 0; i < size; ++i) at(vertex_id(i)).added.reset();
            all.resize(1);
        }

        std::size_t size = 0;
        std::size_t blocks_end = 0;
        std::size_t block_count = 0;
        std::array<std::unique_ptr<entry[]>, 32> blocks;
        std::vector<std::unique_ptr<placed_part>> all;
    };

    [[nodiscard]] auto part_of(vertex_id v) const -> placed_part const& { return *state_->at(v).part; }
    template <class RowOf>
    [[nodiscard]] auto rows(vertex_id v, RowOf row_of) const
    {
        placed_part const& in = part_of(v);
        auto const local = row_of(*in.graph, in.local(v));
        shifted_ids const ids{local.data(), in.first};
        return detail::indexed(0, local.size(), ids);
    }

    std::unique_ptr<state> state_;
};

/// A graph that grows during a walk has no cycle.
template <class V>
inline constexpr bool enable_acyclic_graph<growing_digraph<V>> = true;

}  // namespace strider

#endif  // STRIDER_WALK_GROWING_DIGRAPH_HPP
