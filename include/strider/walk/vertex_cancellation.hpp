// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VERTEX_CANCELLATION_HPP
#define STRIDER_WALK_VERTEX_CANCELLATION_HPP

#include <strider/algorithm/views.hpp>
#include <strider/core/assert.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

// The vertices whose visits are cancelled. Any thread may add vertices and read.
class cancelled_vertices {
public:
    explicit cancelled_vertices(std::size_t id_bound) : is_cancelled_(id_bound) {}

    void insert(vertex_id v) noexcept { at(v) = true; }
    void clear() noexcept
    {
        for (auto& each : is_cancelled_) each = false;
    }
    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool
    {
        STRIDER_ASSERT(v.index() < is_cancelled_.size(), "the vertex belongs to the graph of the cancellation");
        return is_cancelled_[v.index()];
    }

private:
    [[nodiscard]] auto at(vertex_id v) noexcept -> std::atomic<bool>&
    {
        STRIDER_ASSERT(v.index() < is_cancelled_.size(), "the vertex belongs to the graph of the cancellation");
        return is_cancelled_[v.index()];
    }

    std::vector<std::atomic<bool>> is_cancelled_;
};

/// A visitor that calls another one unless the vertex is cancelled. \see vertex_cancellation::visitor
template <class Visitor>
class cancellable_visitor {
public:
    static constexpr bool needs_full_run = detail::needs_full_run<Visitor>();

    cancellable_visitor(Visitor visitor, cancelled_vertices const& cancelled)
        : visitor_(std::move(visitor)),
          cancelled_(&cancelled)
    {}

    /// Visits by a plain visitor.
    template <class T>
        requires(visits_plainly<Visitor, T> && visits_directly<Visitor, T>)
    auto operator()(vertex_id v, T const& value) -> visit_outcome
    {
        return cancelled_->contains(v) ? cancel(v) : visit_plainly(visitor_, v, value, {});
    }
    /// Visits by a plain visitor with a stop token.
    template <class T>
        requires(visits_plainly<Visitor, T> && visits_with_stop_token<Visitor, T>)
    auto operator()(vertex_id v, T const& value, stop_token stop) -> visit_outcome
    {
        return cancelled_->contains(v) ? cancel(v) : visit_plainly(visitor_, v, value, stop);
    }
    /// Visits by an awaitable visitor.
    template <class T>
        requires visits_by_coroutine<Visitor, T>
    auto operator()(vertex_id v, T const& value) -> forwarded_awaitable<Visitor, T>
    {
        if (cancelled_->contains(v)) return cancelled_visit<forwarded_awaitable<Visitor, T>>(v);
        return visit_by_coroutine(visitor_, v, value);
    }
    /// Visits by a handle visitor.
    template <class T>
        requires visits_by_handle<Visitor, T>
    void operator()(vertex_id v, T const& value, visit_handle handle)
    {
        if (cancelled_->contains(v)) handle(cancel(v));
        else std::invoke(visitor_, v, value, std::move(handle));
    }

    /// Forwards the call if the visitor accepts it.
    void not_visited(vertex_id v, visit_outcome const& outcome) noexcept { notify_not_visited(visitor_, v, outcome); }

private:
    auto cancel(vertex_id v) noexcept -> visit_outcome
    {
        visit_outcome outcome = visit_outcome::cancelled();
        not_visited(v, outcome);
        return outcome;
    }
    template <class Awaitable>
    auto cancelled_visit(vertex_id v) -> Awaitable
    {
        co_return cancel(v);
    }

    Visitor visitor_;
    cancelled_vertices const* cancelled_;
};

}  // namespace detail

/// Cancels parts of a walk while it runs: a vertex with all vertices that depend on it. The other vertices are visited.
///
/// \code
/// vertex_cancellation cancellation(graph);
/// async_walk(pool, graph, cancellation.visitor(visit), print);
/// cancellation.cancel(v);  // on any thread
/// \endcode
///
/// A cancelled vertex is not visited and has the outcome `visit_outcome::cancelled()`, also in the report; if a dependency failed,
/// it is skipped. A visit that runs, or has ended, when its vertex is cancelled is not affected: it completes, and its outcome
/// counts. To end running visits too, cancel the walk.
///
/// One object serves one walk at a time, and any number of runs of a `walker`, in which vertices stay cancelled until `reset`.
///
/// \par Cost
/// One byte per vertex, and one atomic load per visit; a second coroutine frame per awaitable visit.
/// \pre The graph, and this object, exist until the walk ends. The graph does not grow: flags exist for the ids that it has at first.
template <acyclic_graph G>
    requires(!growing_graph<G>)
class vertex_cancellation {
public:
    /// No vertex of `g` is cancelled. \complexity O(V)
    explicit vertex_cancellation(G const& g) : graph_(&g), cancelled_(g.id_bound()) {}
    /// Deleted: the object would refer to a temporary graph.
    explicit vertex_cancellation(G const&&) = delete;
    vertex_cancellation(vertex_cancellation const&) = delete;
    auto operator=(vertex_cancellation const&) -> vertex_cancellation& = delete;

    /// Returns a visitor for a walk of the graph, of the same kind as `visit`, that does not visit cancelled vertices. If `visit`
    /// has a member `not_visited`, it is called for them.
    /// \pre This object outlives the walk.
    template <class Visitor>
    [[nodiscard]] auto visitor(Visitor visit) const& -> detail::cancellable_visitor<Visitor>
    {
        return {std::move(visit), cancelled_};
    }
    /// Deleted: the visitor would refer to a temporary object.
    template <class Visitor>
    void visitor(Visitor) const&& = delete;  // the visitor refers to the cancellation: give it a name

    /// Cancels `v` and all vertices that depend on it, directly or not. Any thread may call it at any time, also a visit. When it
    /// returns, no visit of these vertices starts any more.
    /// \complexity O(V + E) of these vertices, and a bit per vertex of the graph
    void cancel(vertex_id v)
    {
        cancelled_.insert(v);
        for (vertex_id const dependent : views::descendants(*graph_, v)) cancelled_.insert(dependent);
    }
    /// Returns true if `v` is cancelled, or was cancelled after its visit had started.
    [[nodiscard]] auto is_cancelled(vertex_id v) const noexcept -> bool { return cancelled_.contains(v); }
    /// Makes all vertices visited again. \pre no walk uses this object
    void reset() noexcept { cancelled_.clear(); }

private:
    G const* graph_;
    detail::cancelled_vertices cancelled_;
};

}  // namespace strider

#endif  // STRIDER_WALK_VERTEX_CANCELLATION_HPP
