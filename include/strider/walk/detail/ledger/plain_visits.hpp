// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP
#define STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace strider::detail {

template <class Run>
[[nodiscard]] auto call_visitor(Run& run, vertex_id v) noexcept -> visit_outcome
{
    if (run.stopping()) return run.settle_without_visit(v);
    try {
        if constexpr (std::is_void_v<decltype(run.invoke(v))>) {
            run.invoke(v);
            return {};
        } else {
            return run.invoke(v);
        }
    } catch (...) {
        return visit_outcome::failure(std::current_exception());
    }
}

// The end of a visit in a time slice.
struct visit_time {
    tick_clock::ticks duration = 0;  // 0 if it was not measured
    bool slice_is_over = false;
};

// The time in which visits follow one another without a post, and the durations of a sample of these visits. If the time of
// the walk is virtual, the slice is over after each visit, but the visits may continue as another task.
template <class Run>
class visit_time_slice {
public:
    explicit visit_time_slice(Run const& run) noexcept : is_stepped_(run.is_stepped()) {}

    // Called after each visit.
    [[nodiscard]] auto end_visit() noexcept -> visit_time
    {
        if (is_stepped_) return {};
        tick_clock::ticks const now = tick_clock::now();
        tick_clock::ticks const duration = now - std::exchange(start_, now);
        return {is_measured_ || duration >= long_measurement ? duration : 0, is_over()};
    }
    [[nodiscard]] auto is_over() const noexcept -> bool { return is_stepped_ || start_ - begin_ > max_time_slice; }
    // Called before each visit but the first.
    void begin_visit() noexcept
    {
        constexpr unsigned sample = 8;
        is_measured_ = Run::measures_visits && ++visits_ % sample == 0;
        if (is_measured_) start_ = tick_clock::now();
    }

private:
    tick_clock::ticks begin_ = tick_clock::now();
    tick_clock::ticks start_ = begin_;  // of the visit, or the end of the one before
    unsigned visits_ = 0;
    bool is_measured_ = true;
    bool is_stepped_;
};

// A handler that visits vertices in sequence, until no vertex is ready or its time slice is over.
template <class Run>
class plain_worker {
public:
    explicit plain_worker(permit<Run> first) noexcept : current_(std::move(first)) {}

    void operator()()
    {
        visit_time_slice<Run> slice(current_.run());
        do {
            visit_outcome outcome = call_visitor(current_.run(), current_.vertex());
            current_ = Run::exchange(std::move(current_), std::move(outcome), slice.end_visit());
            if (!current_) return;
            slice.begin_visit();
        } while (!slice.is_over());
        auto run = current_.share();
        auto const place = run->place();
        try {
            asio::post(place, std::move(*this));
        } catch (...) {
            Run::abort_visit(std::move(run), std::current_exception());
        }
        Run::leave(std::move(run));
    }

private:
    permit<Run> current_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP
