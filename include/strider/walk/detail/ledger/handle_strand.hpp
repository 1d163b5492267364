// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/visit_time.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace strider::detail {

// A strand for visits that complete by handle, and its current visit. The visit owns the walk, which owns the strand.
//
// The second of two events settles the visit: the return of the visitor, or the end of the handle. A walk therefore
// never completes before a visitor has returned, and no handle outlives its visit.
template <class Executor>
class handle_strand final : public visit_strand<Executor>, public visit_port {
    using base = visit_strand<Executor>;
    enum event : unsigned { handle_ended = 1, visitor_returned = 2 };

public:
    handle_strand(strand_of_t<Executor> on, std::shared_ptr<typename base::list> freed)
        : base(std::move(on), std::move(freed)),
          erased_(this->strand)
    {}

    void settle(visit_outcome outcome) override
    {
        this->accepts_signals.store(false, std::memory_order_relaxed);
        outcome_ = std::move(outcome);
        if ((events_.fetch_or(handle_ended, std::memory_order_acq_rel) & visitor_returned) != 0) resume();
    }
    [[nodiscard]] auto executor() const -> asio::any_io_executor override { return erased_; }
    [[nodiscard]] auto slot() -> asio::cancellation_slot override { return this->signal.slot(); }

    [[nodiscard]] auto stop() const -> stop_token override { return current_.run().stop(); }

    // Calls `visitor(handle)`. \return true if the visit is over; if false, it continues by itself
    template <class Visitor>
    [[nodiscard]] auto visit(permit<Executor> current, Visitor const& visitor) -> bool
    {
        current_ = std::move(current);
        thrown_ = nullptr;
        events_.store(0, std::memory_order_relaxed);
        this->signal.slot().clear();
        this->accepts_signals.store(true, std::memory_order_relaxed);
        try {
            visitor(walk_access::make<visit_handle>(*this));
        } catch (...) {
            thrown_ = std::current_exception();
        }
        if ((events_.fetch_or(visitor_returned, std::memory_order_acq_rel) & handle_ended) == 0) return false;
        if (thrown_ && outcome_.error() == make_error_code(walk_errc::abandoned))
            outcome_ = visit_outcome::failure(std::move(thrown_));
        return true;
    }
    // Of the visit that is over.
    [[nodiscard]] auto take_permit() noexcept -> permit<Executor> { return std::move(current_); }
    [[nodiscard]] auto take_outcome() noexcept -> visit_outcome { return std::move(outcome_); }

private:
    void resume()
    {
        auto self = this->shared_from_this();
        permit<Executor> ended = take_permit();
        auto run = ended.share();
        if (thrown_) outcome_ = visit_outcome::failure(std::move(thrown_));
        try {
            run->continue_after_handle(std::move(self), std::move(ended));
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        ledger_run<Executor>::leave(std::move(run));
    }

    asio::any_io_executor erased_;
    permit<Executor> current_;
    visit_outcome outcome_;
    std::exception_ptr thrown_;  // by the visitor
    std::atomic<unsigned> events_{0};
};

template <class Walk, class Executor>
void visit_by_handles(visit_strand_ptr<Executor> on, permit<Executor> current);

template <class Walk, class Executor>
void post_visits_by_handle(visit_strand_ptr<Executor> on, permit<Executor> next)
{
    auto run = next.share();
    auto const strand = on->strand;
    try {
        asio::post(strand, strand_task<Executor>{std::move(on), std::move(next), &visit_by_handles<Walk, Executor>});
    } catch (...) {
        run->abort_visit(std::current_exception());
    }
    ledger_run<Executor>::leave(std::move(run));
}

// Visits vertices in sequence on a strand, as long as each visit is over when the visitor returns. Walk: a `ledger_walk`
// whose visitor takes a handle.
template <class Walk, class Executor>
void visit_by_handles(visit_strand_ptr<Executor> on, permit<Executor> current)
{
    auto& strand = static_cast<handle_strand<Executor>&>(*on);
    visit_time_slice slice(current.run().is_stepped());
    do {
        Walk& walk = Walk::of(current);
        vertex_id const v = current.vertex();
        visit_outcome outcome;
        if (walk.stopping()) {
            outcome = walk.settle_without_visit(v);
        } else {
            auto const visitor = [&walk, v](visit_handle handle) { walk.invoke(v, std::move(handle)); };
            if (!strand.visit(std::move(current), visitor)) return;
            current = strand.take_permit();
            outcome = strand.take_outcome();
        }
        current = Walk::exchange(std::move(current), std::move(outcome), slice.end_visit());
        if (!current) return strand.release();
        slice.begin_visit();
    } while (!slice.is_over());
    post_visits_by_handle<Walk>(std::move(on), std::move(current));
}

// Continues after a visit that was settled on whichever thread its handle ended.
template <class Walk, class Executor>
void continue_by_handles(visit_strand_ptr<Executor> on, permit<Executor> ended)
{
    auto& strand = static_cast<handle_strand<Executor>&>(*on);
    constexpr visit_time time{.duration = long_measurement};
    permit<Executor> next = Walk::exchange(std::move(ended), strand.take_outcome(), time);
    if (next) post_visits_by_handle<Walk>(std::move(on), std::move(next));
    else strand.release();
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP
