// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_WALK_LEDGER_HPP
#define STRIDER_WALK_DETAIL_LEDGER_WALK_LEDGER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/outcome_rules.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

// The bookkeeping of a walk: counts of open dependencies, ready vertices, outcomes, and stop requests. The owner
// serialises all calls, by a strand or a mutex; stop requests may be recorded in `control` on any thread.
template <class Graph, class Visitor, class Ready, class Trace, class Control>
class walk_ledger {
    struct row {
        std::uint32_t open = 0;
        std::uint8_t inherited = 0;
        bool settled = false;
    };

public:
    // \param visitor  is notified of vertices that are not visited
    walk_ledger(Graph const& graph, Visitor& visitor, Ready ready, Trace trace, Control& control)
        : graph_(graph),
          visitor_(visitor),
          ready_(std::move(ready)),
          trace_(std::move(trace)),
          rows_(restarted(graph).id_bound()),
          control_(control)
    {
        ready_.reset(rows_.size());
    }

    // Makes the walk partial: these vertices and their dependents that have a reason. Called before `begin`.
    void select(std::span<vertex_id const> changed)
    {
        is_partial_ = true;
        std::vector<bool> is_selected(rows_.size());
        auto const add = [&](vertex_id v) {
            if (!is_selected[v.index()]) selected_.push_back(v);
            is_selected[v.index()] = true;
        };
        for (vertex_id const v : changed) {
            rows_[v.index()].inherited = inherited::affected;
            add(v);
        }
        for (std::size_t i = 0; i < selected_.size(); ++i)
            for (vertex_id const dependent : graph_.dependents(selected_[i])) {
                ++rows_[dependent.index()].open;
                add(dependent);
            }
        std::ranges::sort(selected_);
    }

    // Called first, except that stop requests from before the begin are applied earlier.
    void begin()
    {
        if (is_partial_) {
            for (vertex_id const v : selected_)
                if (rows_[v.index()].open == 0) arrange(v);
            return propagate();
        }
        for (vertex_id const v : graph_.vertices()) {
            rows_[v.index()].open = static_cast<std::uint32_t>(graph_.dependency_count(v));
            if (rows_[v.index()].open == 0) arrange(v);
        }
        propagate();
    }

    // After an exception of a policy or an allocation: nothing more is visited, and no policy is called. Running
    // visits complete.
    void abort(std::exception_ptr thrown) noexcept
    {
        if (!thrown_) thrown_ = std::move(thrown);
        control_.request(asio::cancellation_type::partial);
    }
    // Called if the visit of a taken vertex will not begin.
    void abort_visit(std::exception_ptr thrown) noexcept
    {
        --running_;
        abort(std::move(thrown));
    }

    [[nodiscard]] auto ready() const -> std::size_t { return thrown_ ? 0 : ready_.size(); }
    // True if vertices wait for an event outside of the walk, or are ready.
    [[nodiscard]] auto has_waiting() const -> bool
    {
        if constexpr (waking_queue_policy<Ready>) return !thrown_ && ready_.waiting() != 0;
        return false;
    }
    template <class F>
    void set_waker(F wake)
    {
        ready_.set_waker(std::move(wake));
    }
    [[nodiscard]] auto running() const noexcept -> std::size_t { return running_; }

    // Returns the next vertex to visit, or none. The caller enforces the limit.
    [[nodiscard]] auto take() -> vertex_id
    {
        if (ready() == 0) return {};
        vertex_id const v = ready_.pop();
        if (!v) return {};  // it is no longer available
        trace_.started(v, 0);
        control_.start();
        ++running_;
        return v;
    }

    // Records the end of a visit. \return as `apply_requests`
    [[nodiscard]] auto settle(vertex_id v, visit_outcome&& outcome) -> bool
    {
        outcome = control_.classify(std::move(outcome));
        --running_;
        if (thrown_) {
            (void)record(v, std::move(outcome));
            return apply_requests();
        }
        if (!waits_for_parts(v, outcome)) conclude(v, std::move(outcome));
        notify_settled(v);
        bool const signals = apply_requests();
        propagate();
        return signals;
    }

    // Applies the stop requests since the last call. \return true if running visits must be signalled
    [[nodiscard]] auto apply_requests() -> bool
    {
        unsigned const requested = control_.bits() & Control::any_stop & ~applied_;
        if (requested == 0) return false;
        bool const is_first = applied_ == 0;
        bool const is_terminal = (requested & Control::by_terminal) != 0;
        applied_ |= requested;
        if (thrown_) return is_terminal;
        if (is_first || is_terminal) trace_.stopping(reason_for(requested));
        if (is_first) cancel_ready();
        return is_terminal;
    }

    // Called at the end, when nothing runs and nothing is ready. If vertices are still open, the degrees of the graph
    // do not match its edges.
    [[nodiscard]] auto close() noexcept -> walk_report
    {
        if (!thrown_) {
            try {
                return report_of_all();
            } catch (...) {
                abort(std::current_exception());
            }
        }
        bool all_known = true;
        try {
            each_of_walk([this](vertex_id v) {
                if (!rows_[v.index()].settled) (void)record(v, visit_outcome::cancelled());
            });
        } catch (...) {
            all_known = false;
        }
        return report(!all_known);
    }

private:
    [[nodiscard]] auto report_of_all() -> walk_report
    {
        if (settled_ != (is_partial_ ? selected_.size() : graph_.vertex_count()))
            each_of_walk([this](vertex_id v) {
                if (!rows_[v.index()].settled)
                    settle_without_visit(v, visit_outcome::cancelled(make_error_code(walk_errc::stalled)));
            });
        return report(false);
    }
    [[nodiscard]] auto report(bool is_rest_cancelled) noexcept -> walk_report
    {
        report_content content{.size = graph_.vertex_count(),
            .id_bound = rows_.size(),
            .not_done = std::move(not_done_),
            .exception = thrown_,
            .is_rest_cancelled = is_rest_cancelled,
            .is_timed_out = control_.timed_out()};
        if (is_partial_ && !thrown_) content.selected = std::move(selected_);
        return walk_access::make<walk_report>(std::move(content));
    }

    template <class F>
    void each_of_walk(F f) const
    {
        if (is_partial_)
            for (vertex_id const v : selected_) f(v);
        else
            for (vertex_id const v : graph_.vertices()) f(v);
    }

    // Called when all dependencies of a vertex are settled: the most severe of their outcomes determines what
    // follows.
    void arrange(vertex_id v)
    {
        auto settled = outcome_without_visit(rows_[v.index()].inherited, is_partial_, applied_ != 0);
        if (settled) settle_without_visit(v, std::move(*settled));
        else ready_.push(v);
    }

    // Attaches what a visit added. \return true if there is something: the vertex then counts its open added vertices
    [[nodiscard]] auto waits_for_parts(vertex_id v, visit_outcome const& outcome) -> bool
    {
        if constexpr (!growing_graph<Graph>) {
            return false;
        } else {
            std::size_t const count = outcome.is_done() ? graph_.added_count(v) : 0;
            if (count == 0) {
                graph_.discard(v);
                return false;
            }
            std::size_t const first = graph_.id_bound();
            rows_.resize(first + count);
            added_by_.resize(first + count);
            ready_.resize(first + count);
            graph_.attach(v);
            rows_[v.index()].open = static_cast<std::uint32_t>(count);
            for (std::size_t u = first; u < first + count; ++u) {
                added_by_[u] = v;
                rows_[u].open = static_cast<std::uint32_t>(graph_.dependency_count(vertex_id(u)));
                if (rows_[u].open == 0) arrange(vertex_id(u));
            }
            return true;
        }
    }
    // Called when an added vertex is settled.
    void settle_part(vertex_id added, std::uint8_t passed_on)
    {
        if (added.index() >= added_by_.size() || !added_by_[added.index()]) return;
        vertex_id const v = added_by_[added.index()];
        row& r = rows_[v.index()];
        r.inherited = static_cast<std::uint8_t>(r.inherited | passed_on);
        if (--r.open != 0) return;
        if ((r.inherited & inherited::skip) != 0)
            conclude(v, visit_outcome::failure(make_error_code(walk_errc::part_failed)));
        else if ((r.inherited & inherited::cancel) != 0) conclude(v, visit_outcome::cancelled());
        else conclude(v, visit_outcome());
    }

    // The last call for a vertex that was taken from the ready queue.
    void notify_settled(vertex_id v)
    {
        if constexpr (settling_queue_policy<Ready>) ready_.settled(v);
    }

    // Settles a vertex that is not visited.
    void settle_without_visit(vertex_id v, visit_outcome&& outcome)
    {
        notify_not_visited(visitor_, v, outcome);
        conclude(v, std::move(outcome));
    }
    void conclude(vertex_id v, visit_outcome&& outcome)
    {
        concluded_.emplace_back(v, static_cast<std::uint8_t>(inherited::after(end_of(outcome))));
        trace_.settled(v, record(v, std::move(outcome)), 0);
    }
    auto record(vertex_id v, visit_outcome&& outcome) -> visit_outcome const&
    {
        bool const is_other = !outcome.is_done() || outcome.is_unchanged();
        if (is_other) not_done_.emplace_back(v, std::move(outcome));
        rows_[v.index()].settled = true;
        ++settled_;
        return is_other ? not_done_.back().second : outcome;
    }

    void propagate()
    {
        while (!concluded_.empty()) {
            auto const [v, passed_on] = concluded_.back();
            concluded_.pop_back();
            if constexpr (growing_graph<Graph>) settle_part(v, passed_on);
            for (vertex_id const dependent : graph_.dependents(v)) {
                row& r = rows_[dependent.index()];
                if (r.open == 0) continue;
                r.inherited = static_cast<std::uint8_t>(r.inherited | passed_on);
                if (--r.open == 0) arrange(dependent);
            }
        }
    }

    [[nodiscard]] static auto restarted(Graph const& graph) -> Graph const&
    {
        if constexpr (growing_graph<Graph>) graph.restart();
        return graph;
    }
    [[nodiscard]] static auto reason_for(unsigned stop_bits) noexcept -> stop_reason
    {
        if ((stop_bits & Control::by_terminal) != 0) return stop_reason::terminal;
        if ((stop_bits & Control::by_partial) != 0) return stop_reason::partial;
        if ((stop_bits & Control::by_total) != 0) return stop_reason::total;
        return (stop_bits & Control::by_timeout) != 0 ? stop_reason::timeout : stop_reason::first_failure;
    }
    void cancel_ready()
    {
        if constexpr (waking_queue_policy<Ready>) ready_.drop_limits();
        while (ready_.size() != 0) {
            vertex_id const v = ready_.pop();
            settle_without_visit(v, visit_outcome::cancelled());
            notify_settled(v);
        }
        propagate();
    }

    Graph const& graph_;
    Visitor& visitor_;
    Ready ready_;
    Trace trace_;
    std::vector<row> rows_;
    std::vector<vertex_id> selected_;  // of a partial walk, in ascending id
    bool is_partial_ = false;
    std::vector<vertex_id> added_by_;  // of a growing graph; empty until a visit adds vertices
    std::vector<walk_report::entry> not_done_;  // outcomes other than done
    std::vector<std::pair<vertex_id, std::uint8_t>> concluded_;  // settled, but not yet propagated to dependents
    std::exception_ptr thrown_;  // the exception that ended the walk
    std::size_t settled_ = 0;
    std::size_t running_ = 0;
    Control& control_;
    unsigned applied_ = 0;  // the stop bits of `control_` that were applied
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_WALK_LEDGER_HPP
