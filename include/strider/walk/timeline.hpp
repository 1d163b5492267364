// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_TIMELINE_HPP
#define STRIDER_WALK_TIMELINE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_report.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace strider {

/// The times of one visit, since the timeline was made.
struct visit_times {
    /// The begin of the visit, or of the settling of a vertex that was not visited.
    std::chrono::nanoseconds start{0};
    std::chrono::nanoseconds end{0};  ///< of a vertex that was not visited: when it was skipped or cancelled
    std::size_t row = 0;  ///< a visit has its row for itself while it runs
    /// The outcome of the vertex; `cancelled` until it is settled.
    visit_status status = visit_status::cancelled;
    /// False if the vertex was settled without a visit.
    bool is_visited = false;

    /// Returns the duration of the visit; 0 for a vertex that was not visited. \pre The vertex is settled.
    [[nodiscard]] auto running() const noexcept -> std::chrono::nanoseconds { return end - start; }
};

/// A trace that stores the times of all visits, for `walk_times` and `write_trace_events`.
///
/// The row of a visit is the index of its worker; in walks with a ledger, where it is always 0, the lowest row that is
/// free. Any thread may call it; a mutex orders the events. Read it after the end of the walk.
/// \see chrome_trace, which writes the events of a walk while it runs
class timeline {
public:
    /// Returns the time since any origin. The timeline calls it at its start, and under its mutex for events.
    using clock = std::function<std::chrono::nanoseconds()>;

    /// \pre `now` does not throw.
    explicit timeline(clock now = steady()) : shared_(std::make_shared<state>(std::move(now))) {}

    /// Records that a worker begins the visit of `v`.
    void started(vertex_id v, std::uint32_t worker)
    {
        std::lock_guard const lock(shared_->mutex);
        visit_times& its = shared_->at(v);
        std::vector<bool>& busy = shared_->busy;
        std::size_t row = worker;
        if (row < busy.size() && busy[row]) row = 0;
        while (row < busy.size() && busy[row]) ++row;
        if (row >= busy.size()) busy.resize(row + 1);
        busy[row] = true;
        its = {shared_->passed(), {}, row, visit_status::cancelled, true};
    }
    /// Records the end of `v`.
    void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t)
    {
        std::lock_guard const lock(shared_->mutex);
        visit_times& its = shared_->at(v);
        its.end = shared_->passed();
        its.status = outcome.status();
        if (its.is_visited) shared_->busy[its.row] = false;
        else its.start = its.end;
    }
    /// Records nothing.
    void stopping(stop_reason) {}

    /// The number of rows: of workers, or of visits that ran at the same time.
    [[nodiscard]] auto rows() const noexcept -> std::size_t { return shared_->busy.size(); }
    /// The times of a vertex; those of a vertex that is not part of the walk are 0.
    [[nodiscard]] auto operator[](vertex_id v) const -> visit_times
    {
        return v.index() < shared_->visits.size() ? shared_->visits[v.index()] : visit_times();
    }

private:
    struct state {
        explicit state(clock now_) : now(std::move(now_)), origin(now()) {}

        [[nodiscard]] auto passed() const -> std::chrono::nanoseconds { return now() - origin; }
        [[nodiscard]] auto at(vertex_id v) -> visit_times&
        {
            if (v.index() >= visits.size()) visits.resize(v.index() + 1);
            return visits[v.index()];
        }

        std::mutex mutex;
        clock now;
        std::chrono::nanoseconds origin;
        std::vector<visit_times> visits;
        std::vector<bool> busy;
    };

    [[nodiscard]] static auto steady() -> clock
    {
        return [] {
            return std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::steady_clock::now().time_since_epoch());
        };
    }

    std::shared_ptr<state> shared_;
};

}  // namespace strider

#endif  // STRIDER_WALK_TIMELINE_HPP
