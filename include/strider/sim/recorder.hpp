// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_RECORDER_HPP
#define STRIDER_SIM_RECORDER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strider::sim {

/// Records the begin and the end of each visit of a walk, on any threads, and checks the record against the graph.
///
/// There are two kinds of evidence. *Stamps* come from one counter with relaxed operations, which order nothing by
/// themselves. In addition, each `end` writes a plain, unsynchronised mark that the `begin` of every dependent reads:
/// if the walk does not order them, ThreadSanitizer reports the race, and without it the mark may be missing.
template <class Graph>
class recorder {
    struct record {
        std::atomic<std::uint64_t> begins{0};
        std::atomic<std::uint64_t> ends{0};
        std::atomic<std::uint64_t> first_begin{0};
        std::atomic<std::uint64_t> last_end{0};
        std::uint64_t mark = 0;  // written at the end, read by dependents
        std::size_t marks_seen = 0;  // number of dependencies whose mark this visit saw
    };

public:
    /// Records `begin` on construction and `end` on destruction. For the body of a visitor, also if it throws.
    class visit {
    public:
        /// Records the begin of the visit of `v`; the destructor records its end.
        visit(recorder& to, vertex_id v) : to_(to), vertex_(v) { to_.begin(v); }
        visit(visit const&) = delete;
        auto operator=(visit const&) -> visit& = delete;
        ~visit() { to_.end(vertex_); }

    private:
        recorder& to_;
        vertex_id vertex_;
    };

    /// \pre The graph outlives the recorder.
    explicit recorder(Graph const& graph) : graph_(graph), records_(graph.id_bound()) {}
    template <class G>
    explicit recorder(G const&&) = delete;

    /// Records the begin of a visit. Calls for different vertices may be concurrent.
    void begin(vertex_id v)
    {
        record& r = records_[v.index()];
        for (vertex_id const d : graph_.dependencies(v)) r.marks_seen += records_[d.index()].mark != 0 ? 1U : 0U;
        r.begins.fetch_add(1, std::memory_order_relaxed);
        r.first_begin.store(stamp(), std::memory_order_relaxed);
        std::uint64_t const now = running_.fetch_add(1, std::memory_order_relaxed) + 1;
        std::uint64_t peak = peak_.load(std::memory_order_relaxed);
        while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {}
    }
    /// Records the end of a visit. Calls for different vertices may be concurrent.
    void end(vertex_id v)
    {
        record& r = records_[v.index()];
        running_.fetch_sub(1, std::memory_order_relaxed);
        r.last_end.store(stamp(), std::memory_order_relaxed);
        r.ends.fetch_add(1, std::memory_order_relaxed);
        r.mark = 1;
    }

    /// Returns true if a visit of `v` has begun.
    [[nodiscard]] auto visited(vertex_id v) const -> bool { return records_[v.index()].begins != 0; }
    /// The maximum number of concurrent visits.
    [[nodiscard]] auto peak() const noexcept -> std::uint64_t { return peak_; }
    /// The visited vertices, in the order in which their visits began.
    [[nodiscard]] auto order() const -> std::vector<vertex_id>
    {
        std::vector<vertex_id> seen;
        for (vertex_id const v : graph_.vertices())
            if (visited(v)) seen.push_back(v);
        std::sort(seen.begin(), seen.end(), [this](vertex_id a, vertex_id b) {
            return records_[a.index()].first_begin < records_[b.index()].first_begin;
        });
        return seen;
    }

    /// Returns a sentence per violation: a visit that ran twice or did not end, that began before a dependency ended,
    /// that did not see the writes of a dependency, or a dependency that was never visited.
    [[nodiscard]] auto violations() const -> std::vector<std::string>
    {
        std::vector<std::string> found;
        auto const name = [](vertex_id v) { return "vertex " + std::to_string(v.index()); };
        for (vertex_id const v : graph_.vertices()) {
            record const& r = records_[v.index()];
            if (r.begins == 0) continue;
            if (r.begins != 1) found.push_back(name(v) + " was visited " + std::to_string(r.begins) + " times");
            if (r.ends != r.begins) found.push_back(name(v) + " began and did not end");
            std::size_t dependencies = 0;
            for (vertex_id const d : graph_.dependencies(v)) {
                ++dependencies;
                record const& before = records_[d.index()];
                if (before.ends == 0) found.push_back(name(v) + " was visited, its dependency " + name(d) + " was not");
                else if (before.last_end > r.first_begin)
                    found.push_back(name(v) + " began before its dependency " + name(d) + " had ended");
            }
            if (r.begins == 1 && r.marks_seen != dependencies)
                found.push_back(name(v) + " did not see the writes of its dependencies");
        }
        return found;
    }

private:
    [[nodiscard]] auto stamp() noexcept -> std::uint64_t { return clock_.fetch_add(1, std::memory_order_relaxed) + 1; }

    Graph const& graph_;
    std::vector<record> records_;
    std::atomic<std::uint64_t> clock_{0};
    std::atomic<std::uint64_t> running_{0};
    std::atomic<std::uint64_t> peak_{0};
};

}  // namespace strider::sim

#endif  // STRIDER_SIM_RECORDER_HPP
