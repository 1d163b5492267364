// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALKER_HPP
#define STRIDER_WALK_WALKER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/blocking_run.hpp>
#include <strider/walk/hand_stepped.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <span>
#include <utility>

namespace strider {

/// Walks the same graph with the same plain visitor again and again; `walk` prepared once.
///
/// What a walk needs is made with the walker, or by its first run; a later run in which all goes well allocates
/// nothing, and what was learnt about the length of visits is kept. Runs follow one another; only `request` may be called
/// while one is going on.
///
/// \pre The graph stays alive and unchanged as long as the walker.
template <asio::execution::executor Executor, detail::graph_in_rows Graph, class Visitor>
    requires(plain_visitor_for<Visitor, Graph> && !is_hand_stepped_v<Executor>)
class walker {
public:
    walker(Executor executor, Graph const& graph, Visitor visitor, walk_options<> const& options = {})
        : run_(executor, graph, std::move(visitor), options)
    {}
    walker(Executor, Graph const&&, Visitor, walk_options<> const& = {}) = delete;

    /// Walks and waits for the end. \see walk
    auto operator()() -> walk_report { return run_(); }

    /// Visits these vertices, and of what depends on them what has a reason to: at least one dependency was visited
    /// and did not end as `visit_outcome::unchanged()`. All others count as done, and unchanged.
    ///
    /// \complexity O(what depends on `changed`, with its edges).
    auto operator()(std::span<vertex_id const> changed) -> walk_report { return run_(changed); }

    /// Cancels the run that is going on, or else the next one, from any thread: a request is never lost.
    void request(asio::cancellation_type_t type) noexcept { run_.request(type); }

private:
    detail::blocking_run<Executor, Graph, Visitor> run_;
};

}  // namespace strider

#endif  // STRIDER_WALK_WALKER_HPP
