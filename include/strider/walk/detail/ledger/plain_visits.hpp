// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP
#define STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/hand_stepped.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace strider::detail {

template <class Run>
[[nodiscard]] auto call_visitor(Run& run, vertex_id v) noexcept -> visit_outcome
{
    if (run.stopping()) return run.pass_over(v);
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

// The time in which visits follow one another without a post. On a hand-stepped executor, each visit is a step.
template <class Executor>
class visit_time_slice {
public:
    [[nodiscard]] auto is_over() const noexcept -> bool
    {
        return is_hand_stepped_v<Executor> || tick_clock::now() - begin_ > max_time_slice;
    }

private:
    tick_clock::ticks begin_ = tick_clock::now();
};

// A handler that visits vertices in sequence, until no vertex is ready or its time slice is over.
template <class Run>
class plain_worker {
public:
    explicit plain_worker(permit<Run> first) noexcept : current_(std::move(first)) {}

    void operator()()
    {
        visit_time_slice<typename Run::executor_type> const slice;
        do {
            visit_outcome outcome = call_visitor(current_.run(), current_.vertex());
            current_ = Run::exchange(std::move(current_), std::move(outcome));
            if (!current_) return;
        } while (!slice.is_over());
        auto run = current_.share();
        auto const place = run->place();
        try {
            asio::post(place, std::move(*this));
        } catch (...) {
            Run::abort_visit(std::move(run), std::current_exception());
        }
    }

private:
    permit<Run> current_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_PLAIN_VISITS_HPP
