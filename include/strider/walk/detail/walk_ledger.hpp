// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WALK_LEDGER_HPP
#define STRIDER_WALK_DETAIL_WALK_LEDGER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace strider::detail {

// The books of a walk in which one place decides: what waits for what, who is next, how each vertex ended, and whether the
// walk is to stop. Where that place is, on a strand or under a mutex, is up to the owner; only `stopping` is for any thread.
//
//   cancellation   nothing started        something started
//   total          all are cancelled      refused: no effect
//   partial        all are cancelled      starts nothing new, waits for what runs
//   terminal       all are cancelled      and signals the visits that run
template <class Graph, class Ready, class Trace>
class walk_ledger {
    // What awaits a vertex, by the worst of its dependencies.
    enum class fate : std::uint8_t { visit, cancel, skip };
    struct row {
        std::uint32_t open = 0;
        fate next = fate::visit;
        bool settled = false;
    };

public:
    walk_ledger(Graph const& graph, Ready ready, Trace trace, bool stop_on_first_failure)
        : graph_(graph),
          ready_(std::move(ready)),
          trace_(std::move(trace)),
          rows_(graph.id_bound()),
          stop_on_first_failure_(stop_on_first_failure)
    {
        ready_.reset(rows_.size());
    }

    // Before anything else, but after what was requested before the begin is obeyed.
    void begin()
    {
        for (vertex_id const v : graph_.vertices()) {
            rows_[v.index()].open = static_cast<std::uint32_t>(graph_.in_degree(v));
            if (rows_[v.index()].open == 0) arrange(v);
        }
        propagate();
    }

    // A policy or an allocation has thrown: nothing is visited any more, and no policy is called. What runs still ends.
    void break_off(std::exception_ptr thrown) noexcept
    {
        if (!thrown_) thrown_ = std::move(thrown);
        stopping_.store(true, std::memory_order_relaxed);
    }
    // The visit of a vertex that was taken will not begin.
    void give_up(std::exception_ptr thrown) noexcept
    {
        --running_;
        break_off(std::move(thrown));
    }

    [[nodiscard]] auto ready() const -> std::size_t { return thrown_ ? 0 : ready_.size(); }
    [[nodiscard]] auto running() const noexcept -> std::size_t { return running_; }
    [[nodiscard]] auto stopping() const noexcept -> bool { return stopping_.load(std::memory_order_relaxed); }

    // The next vertex to visit, or none. The caller has a token, so the limit holds.
    [[nodiscard]] auto take() -> vertex_id
    {
        if (ready() == 0) return {};
        vertex_id const v = ready_.pop();
        trace_.started(v, 0);
        started_ = true;
        ++running_;
        return v;
    }

    // A visit ended.
    void settle(vertex_id v, visit_outcome&& outcome)
    {
        bool const failed = outcome.status() == visit_status::failed;
        if (failed && was_cancelled_ && outcome.error() == asio::error::operation_aborted)
            outcome = visit_outcome::cancelled(outcome.error());
        bool const stops = stop_on_first_failure_ && outcome.status() == visit_status::failed;
        --running_;
        if (thrown_) return (void)record(v, std::move(outcome));
        conclude(v, std::move(outcome));
        make_room_after(v);
        if (stops) (void)stop(stop_reason::first_failure);
        propagate();
    }

    // \return whether visits that run must be signalled
    [[nodiscard]] auto obey(asio::cancellation_type_t type) -> bool
    {
        auto const asks = [type](asio::cancellation_type bit) { return (type & bit) != asio::cancellation_type::none; };
        if (thrown_) return asks(asio::cancellation_type::terminal) && !std::exchange(signalled_, true);
        if (asks(asio::cancellation_type::terminal)) return stop(stop_reason::terminal);
        if (asks(asio::cancellation_type::partial)) return stop(stop_reason::partial);
        return asks(asio::cancellation_type::total) && !started_ && stop(stop_reason::total);
    }

    // Nothing runs and nothing is ready: the end. If vertices wait yet, the degrees of the graph do not match its edges.
    [[nodiscard]] auto close() noexcept -> walk_report
    {
        if (!thrown_) {
            try {
                return report_of_all();
            } catch (...) {
                break_off(std::current_exception());
            }
        }
        bool all_known = true;
        try {
            for (vertex_id const v : graph_.vertices())
                if (!rows_[v.index()].settled) (void)record(v, visit_outcome::cancelled());
        } catch (...) {
            all_known = false;
        }
        return walk_report::ended_by(thrown_, graph_.vertex_count(), rows_.size(), std::move(others_), all_known);
    }

private:
    [[nodiscard]] auto report_of_all() -> walk_report
    {
        for (vertex_id const v : graph_.vertices()) {
            if (settled_ == graph_.vertex_count()) break;
            if (!rows_[v.index()].settled) conclude(v, visit_outcome::cancelled(make_error_code(walk_errc::stalled)));
        }
        return walk_report(graph_.vertex_count(), std::move(others_), rows_.size());
    }

    // All dependencies of a vertex are settled: what becomes of it follows from the worst of them.
    void arrange(vertex_id v)
    {
        fate const next = rows_[v.index()].next;
        if (next == fate::visit && !stopping()) return ready_.push(v);
        conclude(v, next == fate::skip ? visit_outcome::skipped() : visit_outcome::cancelled());
    }

    // Last of what concerns a vertex that was taken from the ready queue.
    void make_room_after(vertex_id v)
    {
        if constexpr (settling_queue_policy<Ready>) ready_.settled(v);
    }

    void conclude(vertex_id v, visit_outcome&& outcome)
    {
        concluded_.emplace_back(v, fate_after(outcome.status()));
        trace_.settled(v, record(v, std::move(outcome)), 0);
    }
    auto record(vertex_id v, visit_outcome&& outcome) -> visit_outcome const&
    {
        bool const is_other = !outcome.is_done() || outcome.is_unchanged();
        if (is_other) others_.emplace_back(v, std::move(outcome));
        rows_[v.index()].settled = true;
        ++settled_;
        return is_other ? others_.back().second : outcome;
    }

    void propagate()
    {
        while (!concluded_.empty()) {
            auto const [v, passed_on] = concluded_.back();
            concluded_.pop_back();
            for (vertex_id const dependent : graph_.dependents(v)) {
                row& r = rows_[dependent.index()];
                if (r.open == 0) continue;
                r.next = std::max(r.next, passed_on);
                if (--r.open == 0) arrange(dependent);
            }
        }
    }

    [[nodiscard]] static auto fate_after(visit_status status) noexcept -> fate
    {
        if (status == visit_status::done) return fate::visit;
        return status == visit_status::cancelled ? fate::cancel : fate::skip;
    }

    [[nodiscard]] auto stop(stop_reason reason) -> bool
    {
        bool const again = stopping() && (reason != stop_reason::terminal || signalled_);
        was_cancelled_ = was_cancelled_ || reason != stop_reason::first_failure;
        if (again) return false;
        stopping_.store(true, std::memory_order_relaxed);
        trace_.stopping(reason);
        while (ready_.size() != 0) {
            vertex_id const v = ready_.pop();
            conclude(v, visit_outcome::cancelled());
            make_room_after(v);
        }
        propagate();
        signalled_ = signalled_ || reason == stop_reason::terminal;
        return reason == stop_reason::terminal;
    }

    Graph const& graph_;
    Ready ready_;
    Trace trace_;
    std::vector<row> rows_;
    std::vector<walk_report::entry> others_;  // what did not simply end as done
    std::vector<std::pair<vertex_id, fate>> concluded_;  // settled, dependents not yet told
    std::exception_ptr thrown_;  // what has ended the walk
    std::size_t settled_ = 0;
    std::size_t running_ = 0;
    std::atomic<bool> stopping_{false};
    bool stop_on_first_failure_;
    bool started_ = false;
    bool was_cancelled_ = false;
    bool signalled_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WALK_LEDGER_HPP
