// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_TRACE_HPP
#define STRIDER_WALK_TRACE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/trace_json.hpp>
#include <strider/walk/walk_report.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider {

/// The reason why a walk starts nothing new.
enum class stop_reason : std::uint8_t {
    partial,        ///< partial cancellation: running visits complete
    terminal,       ///< terminal cancellation: running visits were cancelled, and end
    total,          ///< total cancellation, before anything had started
    first_failure,  ///< `walk_options::stop_on_first_failure`
    timeout,        ///< `walk_options::timeout` has passed: running visits complete
};

/// Receives the events of a walk. A trace does not change how a walk runs.
///
/// `started(v, worker)` is called before a visit, `settled(v, outcome, worker)` once for every vertex of the run,
/// also if it was skipped or cancelled. `stopping(reason)` is called once per reason, before the first `settled` of a
/// vertex that was cancelled for it. `settled` of a vertex happens before `started` and `settled` of its dependents.
///
/// *Threads.* Workers trace their plain visits concurrently, with `ascending_id` and without a strand: the
/// functions must be thread-safe. `worker` is the index of the calling worker, below the number of workers. Calls
/// with the same index are sequential, so a trace can use an array of buffers without locks. In all other walks all
/// calls are sequential, under the mutex or on the strand of the walk, and `worker` is 0.
///
/// A trace must not block and must not use the walk. An exception ends the walk, see `async_walk`. Copies of a trace refer to
/// the same destination.
template <class T>
concept trace_policy = std::copy_constructible<T>
    && requires(T& trace, vertex_id v, visit_outcome const& outcome, stop_reason reason, std::uint32_t worker) {
           trace.started(v, worker);
           trace.settled(v, outcome, worker);
           trace.stopping(reason);
       };

/// No trace, at no cost.
struct no_trace {
    /// Called before the visit of a vertex, with the number of the worker.
    constexpr void started(vertex_id, std::uint32_t) const noexcept {}
    /// Called when a vertex is settled, whether it was visited or not.
    constexpr void settled(vertex_id, visit_outcome const&, std::uint32_t) const noexcept {}
    /// Called when the walk decides to start no further visit.
    constexpr void stopping(stop_reason) const noexcept {}
};

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
/// The row of a visit is the index of its worker; in walks with awaitable or handle visits or with another ready
/// queue, where it is always 0, the lowest row that is
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

/// Writes a walk as `trace_event` JSON, which Chrome (about:tracing) and Perfetto display as a time line.
///
/// Each visit is a complete event in the lowest row that is free during the visit, so the number of rows is the
/// maximum number of concurrent visits. Vertices that were never visited, and stops, are instant events. The text is
/// complete when the last copy of the trace is destroyed. Any thread may call it; a mutex orders the events.
///
/// \source Google, "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
class chrome_trace {
public:
    /// Returns the time since any origin. The trace calls it at its start, and under its mutex for events.
    using clock = std::function<std::chrono::nanoseconds()>;
    /// Returns the name of a vertex for the trace, under its mutex. Without a function, names are "vertex N".
    using naming = std::function<std::string(vertex_id)>;

    /// \pre `out` outlives all copies; `name_of` and `now` do not throw.
    explicit chrome_trace(std::ostream& out, naming name_of = {}, clock now = steady())
        : shared_(std::make_shared<state>(out, std::move(name_of), std::move(now)))
    {}

    /// Records that the visit of `v` begins.
    void started(vertex_id v, std::uint32_t = 0)
    {
        std::lock_guard const lock(shared_->mutex);
        std::vector<bool>& rows = shared_->rows;
        std::size_t row = 0;
        while (row < rows.size() && rows[row]) ++row;
        if (row == rows.size()) rows.push_back(true);
        else rows[row] = true;
        shared_->running.insert_or_assign(v.index(), visit{shared_->now(), row});
    }
    /// Writes the event of `v`: its visit with the duration, or an instant if it was not visited.
    void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t = 0)
    {
        std::lock_guard const lock(shared_->mutex);
        auto const found = shared_->running.find(v.index());
        if (found == shared_->running.end()) return instant(shared_->name_of(v), to_string(outcome.status()));
        auto const [begin, row] = found->second;
        shared_->running.erase(found);
        shared_->rows[row] = false;
        std::ostream& out = shared_->next();
        out << "{\"ph\":\"X\",\"name\":";
        detail::write_quoted(out, shared_->name_of(v));
        out << ",\"cat\":\"" << to_string(outcome.status()) << "\",\"pid\":1,\"tid\":";
        detail::write_number(out, row + 1);
        out << ",\"ts\":";
        detail::write_microseconds(out, begin - shared_->origin);
        out << ",\"dur\":";
        detail::write_microseconds(out, shared_->now() - begin);
        out << ",\"args\":{\"vertex\":";
        detail::write_number(out, v.index());
        out << ",\"status\":\"" << to_string(outcome.status()) << '"';
        if (std::string const why = outcome.message(); !why.empty()) {
            out << ",\"message\":";
            detail::write_quoted(out, why);
        }
        out << "}}";
    }
    /// Writes an instant: no further visit starts after it.
    void stopping(stop_reason reason)
    {
        std::lock_guard const lock(shared_->mutex);
        constexpr std::string_view words[] = {"partial", "terminal", "total", "first failure", "timeout"};
        instant("stop", words[static_cast<std::size_t>(reason)]);
    }

private:
    struct visit {
        std::chrono::nanoseconds begin;
        std::size_t row;
    };
    struct state {
        state(std::ostream& out_, naming name_of, clock now_)
            : out(out_),
              given_name(std::move(name_of)),
              now(std::move(now_)),
              origin(now())
        {}
        state(state const&) = delete;
        auto operator=(state const&) -> state& = delete;
        ~state() { out << (empty ? "[" : "") << "\n]\n"; }

        auto next() -> std::ostream& { return out << (std::exchange(empty, false) ? "[\n" : ",\n"); }
        [[nodiscard]] auto name_of(vertex_id v) const -> std::string
        {
            return given_name ? given_name(v) : "vertex " + std::to_string(v.index());
        }

        std::mutex mutex;
        std::ostream& out;
        naming given_name;
        clock now;
        std::chrono::nanoseconds origin;
        std::unordered_map<std::size_t, visit> running;
        std::vector<bool> rows;
        bool empty = true;
    };

    [[nodiscard]] static auto steady() -> clock
    {
        return [] {
            return std::chrono::duration_cast<std::chrono::nanoseconds>(
                std::chrono::steady_clock::now().time_since_epoch());
        };
    }

    void instant(std::string_view name, std::string_view category)
    {
        std::ostream& out = shared_->next();
        out << "{\"ph\":\"i\",\"s\":\"p\",\"name\":";
        detail::write_quoted(out, name);
        out << ",\"cat\":\"" << category << "\",\"pid\":1,\"tid\":0,\"ts\":";
        detail::write_microseconds(out, shared_->now() - shared_->origin);
        out << '}';
    }
    std::shared_ptr<state> shared_;
};

}  // namespace strider

#endif  // STRIDER_WALK_TRACE_HPP
