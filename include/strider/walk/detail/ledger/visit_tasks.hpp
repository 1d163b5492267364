// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_TASKS_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_TASKS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/visit_coroutine.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <utility>

// The functions that a run with a ledger posts to its executor.
namespace strider::detail {

// Makes plain visits in sequence, until no vertex is ready or the time slice is over.
template <class Run>
void visit_in_sequence(permit<Run> current)
{
    typename Run::time_slice slice(current.run->is_stepped());
    do {
        Run& run = *current.run;
        visit_outcome outcome =
            run.stopping() ? run.settle_without_visit(current.vertex) : run.visit_plainly(current.vertex);
        current = Run::exchange(std::move(current), std::move(outcome), slice.end_visit());
        if (!current) return;
        slice.begin_visit();
    } while (!slice.is_over());
    auto run = current.run;
    try {
        Run::post(std::move(current), &visit_in_sequence<Run>);
    } catch (...) {
        run->abort_visit(std::current_exception());
    }
    Run::leave(std::move(run));
}

// Takes a vertex for a starter of strands, and the strand. \return none: the starter has ended
template <class Run>
[[nodiscard]] auto take_for_strand(boost::intrusive_ptr<Run> self, bool is_new)
    -> std::pair<std::shared_ptr<typename Run::strand_type>, permit<Run>>
{
    std::pair<std::shared_ptr<typename Run::strand_type>, permit<Run>> next;
    self->enter([&] {
        auto& state = self->state();
        if (is_new) --state.new_starters;
        --state.starters;
        if (!self->may_take() || state.starters >= self->starter_limit()) return;
        auto on = state.strands.take_free(self->executor());
        vertex_id const v = state.ledger.take();
        if (!v) return on->release();
        next = {std::move(on), permit<Run>{self, v}};
        ++state.starters;
    });
    Run::leave(std::move(self));
    return next;
}

// Starts strands in sequence, while vertices are ready and permits are available. A strand visits directly until a visit
// suspends, so another strand is started only if a visit waits, not for each ready vertex. If time is virtual, each first
// visit is a task, so that a seed decides which of several ready visits begins first. The vertex is taken when the function
// runs: with one thread, visits start in the order of the ready queue.
//
// The walk does not complete while a starter is queued or running.
//
// \param is_new  the starter has not taken a vertex before
template <class Run>
void start_strands(permit<Run> starter, bool is_new)
{
    auto run = std::move(starter.run);
    typename Run::time_slice slice(run->is_stepped());
    do {
        auto next = take_for_strand(std::move(run), std::exchange(is_new, false));
        if (!next.second) return;
        run = next.second.run;
        auto const strand = next.first->strand;
        auto visit = [next = std::move(next)]() mutable {
            if constexpr (Run::is_awaitable) visit_coroutine<Run>::spawn(std::move(next.first), std::move(next.second));
            else Run::strand_type::visit(std::move(next.first), std::move(next.second));
        };
        try {
            if (run->is_stepped()) asio::post(strand, std::move(visit));
            else asio::dispatch(strand, std::move(visit));
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        (void)slice.end_visit();
    } while (!slice.is_over());
    try {
        Run::post({run, {}}, [](permit<Run> given) { start_strands(std::move(given), false); });
    } catch (...) {
        run->enter([&] {
            --run->state().starters;
            run->state().ledger.abort(std::current_exception());
        });
    }
    Run::leave(std::move(run));
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_TASKS_HPP
