// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALKER_HPP
#define STRIDER_WALK_WALKER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/detail/ill_formed_walk.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Walks the same graph with the same visitor many times: `walk` and `async_walk`, prepared once.
///
/// With plain visitors and `ascending_id`, the walker keeps the state of a run: a later
/// run in which every visit ends as done allocates nothing per vertex and reuses the measured duration of visits.
///
/// Runs must not overlap. Only `cancel` may be called during a run.
///
/// \pre The graph exists and does not change during the lifetime of the walker; the walker exists until a run ends.
template <walk_executor Executor, acyclic_graph Graph, class Visitor, class Ready = ascending_id,
    class Trace = no_trace>
    requires visitor_for<Visitor, Graph, Executor>
class walker {
    static constexpr bool by_workers = detail::walked_by_workers<Visitor, Graph, Ready, Trace>;

public:
    /// The type of the executor of the visits.
    using executor_type = Executor;
    /// The type of the options.
    using options_type = walk_options<Ready, Trace>;

    /// A walker over `graph`. \pre graph outlives the walker
    walker(Executor executor, Graph const& graph, Visitor visitor, options_type options = {})
        : executor_(std::move(executor)),
          run_(executor_, graph, std::move(visitor), std::move(options))
    {}
    /// As above, on the executor of a context.
    template <walk_context Context>
        requires std::same_as<typename Context::executor_type, Executor>
    walker(Context& context, Graph const& graph, Visitor visitor, options_type options = {})
        : walker(context.get_executor(), graph, std::move(visitor), std::move(options))
    {}
    /// Deleted: the walker would refer to a temporary graph.
    walker(Executor, Graph const&&, Visitor, options_type = {}) = delete;
    /// Deleted, as above.
    template <walk_context Context>
    walker(Context&, Graph const&&, Visitor, options_type = {}) = delete;

    /// Returns the executor of the visits.
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return executor_; }

    /// Walks and waits for the end. The argument may be `caller_helps`. \see walk
    template <std::same_as<caller_helps_t>... Helps>
    auto run(Helps... helps) -> walk_report
        requires(!is_manual_executor_v<Executor>)
    {
        detail::check_caller<by_workers && !strand_executor<Executor>>(helps...);
        return run_(sizeof...(Helps) != 0);
    }

    /// Visits these vertices and those of their direct and indirect dependents that have a reason: at least one
    /// dependency was visited and did not end as `visit_outcome::unchanged()`. All others count as done and
    /// unchanged.
    ///
    /// \complexity If the walker keeps the state of a run, see above: O(direct and indirect dependents of `changed`, with
    /// their edges); otherwise O(V) more.
    template <std::same_as<caller_helps_t>... Helps>
    auto run(std::span<vertex_id const> changed, Helps... helps) -> walk_report
        requires(!is_manual_executor_v<Executor>)
    {
        check_partial_run();
        return selected(changed, [&] { return run(helps...); });
    }

    /// Starts a run. Completion signature and cancellation are those of `async_walk`. \see async_walk
    template <asio::completion_token_for<walk_signature> Token = default_walk_token_t<Executor>>
    auto async_run(Token&& token = Token())
    {
        return asio::async_initiate<Token, walk_signature>(initiate_run(*this), token);
    }

    /// Rejects what is no completion token.
    template <class Token>
        requires(!detail::walk_token<Token> && !std::convertible_to<Token, std::span<vertex_id const>>)
    void async_run(Token&&)
    {
        detail::report_invalid_token<Token>();
    }

    /// Starts a run of `changed` and their dependents.
    template <asio::completion_token_for<walk_signature> Token = default_walk_token_t<Executor>>
    auto async_run(std::span<vertex_id const> changed, Token&& token = Token())
    {
        check_partial_run();
        return asio::async_initiate<Token, walk_signature>(
            initiate_run(*this), token, std::vector<vertex_id>(changed.begin(), changed.end()));
    }

    /// Cancels the current run, or else the next one, from any thread. \see async_walk
    void cancel(asio::cancellation_type_t type = asio::cancellation_type::terminal) { run_.cancel(type); }

private:
    // Rejects what a run refers to outside of its part.
    static constexpr void check_partial_run()
    {
        static_assert(!growing_graph<Graph>,
            "a partial run needs a graph that does not grow: a run removes what earlier runs added");
        static_assert(!detail::needs_full_run<Visitor>(),
            "a partial run needs the values of vertices that it does not visit: value_cache keeps them, visit_values "
            "does not");
    }

    // Selects a part for `run`. If that throws, the next run is not partial.
    template <class Run>
    auto selected(std::span<vertex_id const> changed, Run const& run)
    {
        run_.select(changed);
        try {
            return run();
        } catch (...) {
            run_.deselect();
            throw;
        }
    }

    class initiate_run {
    public:
        using executor_type = Executor;

        explicit initiate_run(walker& of) noexcept : walker_(&of) {}
        [[nodiscard]] auto get_executor() const noexcept -> executor_type { return walker_->executor_; }

        template <class Handler>
        void operator()(Handler&& handler) const
        {
            walker_->run_.start(std::forward<Handler>(handler));
        }
        template <class Handler>
        void operator()(Handler&& handler, std::vector<vertex_id> const& changed) const
        {
            typename decltype(walker_->run_)::handler_type erased(std::forward<Handler>(handler));
            walker_->selected(changed, [&] { walker_->run_.start(std::move(erased)); });
        }

    private:
        walker* walker_;
    };

    Executor executor_;
    detail::repeated_walk_of<Executor, Graph, Visitor, Ready, Trace> run_;
};

/// Deduces the executor from its context.
template <walk_context Context, acyclic_graph Graph, class Visitor, class Ready = ascending_id, class Trace = no_trace>
walker(Context&, Graph const&, Visitor, walk_options<Ready, Trace> = {})
    -> walker<typename Context::executor_type, Graph, Visitor, Ready, Trace>;

}  // namespace strider

#endif  // STRIDER_WALK_WALKER_HPP
