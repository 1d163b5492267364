// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CHROME_TRACE_HPP
#define STRIDER_WALK_CHROME_TRACE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/trace_json.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_report.hpp>

#include <chrono>
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
        constexpr std::string_view words[] = {"partial", "terminal", "total", "first failure"};
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

#endif  // STRIDER_WALK_CHROME_TRACE_HPP
