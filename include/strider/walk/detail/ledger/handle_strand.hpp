// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/visit_time.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace strider::detail {

// A strand for visits that complete by handle, and its current visit. The visit owns the run, which owns the strand.
//
// The second of two events settles the visit: the return of the visitor, or the end of the handle. A walk therefore
// never completes before a visitor has returned, and no handle outlives its visit.
template <class Run>
class handle_strand final : public visit_strand<typename Run::executor_type>, public visit_port {
    using base = visit_strand<typename Run::executor_type>;
    using self_ptr = std::shared_ptr<handle_strand>;
    enum event : unsigned { handle_ended = 1, visitor_returned = 2 };

public:
    using base::base;

    void settle(visit_outcome outcome) override
    {
        this->accepts_signals.store(false, std::memory_order_relaxed);
        outcome_ = std::move(outcome);
        if ((events_.fetch_or(handle_ended, std::memory_order_acq_rel) & visitor_returned) != 0) resume();
    }
    [[nodiscard]] auto executor() const -> asio::any_io_executor override { return erased_; }
    [[nodiscard]] auto slot() -> asio::cancellation_slot override { return this->signal.slot(); }
    [[nodiscard]] auto stop() const -> stop_token override { return current_.run->stop(); }

    // Visits vertices in sequence, as long as each visit is over when the visitor returns. Called on the strand.
    static void visit(self_ptr on, permit<Run> current)
    {
        typename Run::time_slice slice(current.run->is_stepped());
        do {
            visit_outcome outcome;
            if (current.run->stopping()) {
                outcome = current.run->settle_without_visit(current.vertex);
            } else {
                if (!on->visit_one(std::move(current))) return;
                current = std::move(on->current_);
                outcome = std::move(on->outcome_);
            }
            current = Run::exchange(std::move(current), std::move(outcome), slice.end_visit());
            if (!current) return on->release();
            slice.begin_visit();
        } while (!slice.is_over());
        continue_later(std::move(on), std::move(current));
    }

private:
    // \return true if the visit is over; if false, it continues by itself
    [[nodiscard]] auto visit_one(permit<Run> current) -> bool
    {
        current_ = std::move(current);
        thrown_ = nullptr;
        events_.store(0, std::memory_order_relaxed);
        this->signal.slot().clear();
        this->accepts_signals.store(true, std::memory_order_relaxed);
        Run& run = *current_.run;
        try {
            run.invoke(current_.vertex, walk_access::make<visit_handle>(*this));
        } catch (...) {
            thrown_ = std::current_exception();
        }
        if ((events_.fetch_or(visitor_returned, std::memory_order_acq_rel) & handle_ended) == 0) return false;
        if (thrown_ && outcome_.error() == make_error_code(walk_errc::abandoned))
            outcome_ = visit_outcome::failure(std::move(thrown_));
        return true;
    }
    static void continue_later(self_ptr on, permit<Run> next)
    {
        auto run = next.run;
        auto const strand = on->strand;
        try {
            asio::post(strand,
                [on = std::move(on), next = std::move(next)]() mutable { visit(std::move(on), std::move(next)); });
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        Run::leave(std::move(run));
    }
    // Called on the thread on which the handle ended, after the visitor had returned.
    void resume()
    {
        permit<Run> ended = std::move(current_);
        auto run = ended.run;
        if (thrown_) outcome_ = visit_outcome::failure(std::move(thrown_));
        auto continuation = [self = std::static_pointer_cast<handle_strand>(this->shared_from_this()),
                                ended = std::move(ended)]() mutable {
            permit<Run> vertex =
                Run::exchange(std::move(ended), std::move(self->outcome_), visit_time{.duration = long_measurement});
            if (vertex) continue_later(std::move(self), std::move(vertex));
            else self->release();
        };
        try {
            if constexpr (Run::on_strand) asio::dispatch(this->strand, std::move(continuation));
            else continuation();
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        Run::leave(std::move(run));
    }

    asio::any_io_executor erased_{this->strand};
    permit<Run> current_;
    visit_outcome outcome_;
    std::exception_ptr thrown_;  // by the visitor
    std::atomic<unsigned> events_{0};
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_HANDLE_STRAND_HPP
