// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_RUN_TRACE_HPP
#define STRIDER_WALK_DETAIL_STEALING_RUN_TRACE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace strider::detail {

// The trace of a run by workers. Each worker calls it.
template <class Trace>
class run_trace {
    using stops = basic_run_control<native_threads>;

public:
    static constexpr bool is_on = true;

    explicit run_trace(Trace trace) : trace_(std::move(trace)) {}
    // Only a trace that has not begun is moved.
    run_trace(run_trace&& other) noexcept(std::is_nothrow_move_constructible_v<Trace>) : trace_(std::move(other.trace_))
    {}
    auto operator=(run_trace&&) -> run_trace& = delete;
    ~run_trace() = default;

    void begin() { reported_.store(0, std::memory_order_relaxed); }
    void started(vertex_id v, std::uint32_t index) { trace_.started(v, index); }
    void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t index) { trace_.settled(v, outcome, index); }
    // Each reason is reported once, by the first worker that observes it.
    void stopping(unsigned bits)
    {
        unsigned const now = bits & stops::any_stop;
        if ((now & ~reported_.load(std::memory_order_relaxed)) == 0) return;
        unsigned const fresh = now & ~reported_.fetch_or(now, std::memory_order_relaxed);
        if ((fresh & stops::by_partial) != 0) trace_.stopping(stop_reason::partial);
        if ((fresh & stops::by_terminal) != 0) trace_.stopping(stop_reason::terminal);
        if ((fresh & stops::by_total) != 0) trace_.stopping(stop_reason::total);
        if ((fresh & stops::by_failure) != 0) trace_.stopping(stop_reason::first_failure);
    }

private:
    Trace trace_;
    std::atomic<unsigned> reported_{0};
};

template <>
class run_trace<no_trace> {
public:
    static constexpr bool is_on = false;

    explicit run_trace(no_trace) {}
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_RUN_TRACE_HPP
