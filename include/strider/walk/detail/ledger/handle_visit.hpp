// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_HANDLE_VISIT_HPP
#define STRIDER_WALK_DETAIL_LEDGER_HANDLE_VISIT_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/ledger/plain_visits.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace strider::detail {

template <class Run>
struct start_handle_strand;

// A strand for visits that complete by handle, and its current visit. The visit owns the walk, which owns the strand.
//
// The second of two events settles the visit: the return of the visitor, or the end of the handle. A walk therefore
// never completes before a visitor has returned, and no handle outlives its visit.
template <class Run>
class handle_strand final : public visit_strand<typename Run::executor_type>, public visit_port {
    using executor_type = typename Run::executor_type;
    using base = visit_strand<executor_type>;
    enum event : unsigned { handle_ended = 1, visitor_returned = 2 };

public:
    handle_strand(asio::strand<executor_type> on, std::shared_ptr<typename base::list> freed)
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

    // \return true if the visit is over; then `next` must follow. If false, the visit continues by itself.
    [[nodiscard]] auto visit(permit<Run> current) -> bool
    {
        current_ = std::move(current);
        thrown_ = nullptr;
        if (current_.run().stopping()) {
            outcome_ = current_.run().settle_without_visit(current_.vertex());
            return true;
        }
        events_.store(0, std::memory_order_relaxed);
        this->signal.slot().clear();
        this->accepts_signals.store(true, std::memory_order_relaxed);
        Run& run = current_.run();
        vertex_id const v = current_.vertex();
        try {
            run.invoke(v, visit_handle(*this));
        } catch (...) {
            thrown_ = std::current_exception();
        }
        if ((events_.fetch_or(visitor_returned, std::memory_order_acq_rel) & handle_ended) == 0) return false;
        if (thrown_ && outcome_.error() == make_error_code(walk_errc::abandoned))
            outcome_ = visit_outcome::failure(std::move(thrown_));
        return true;
    }
    // \return the permit to visit the next vertex on this strand
    [[nodiscard]] auto next(visit_time time) -> permit<Run>
    {
        permit<Run> next = Run::exchange(std::move(current_), std::move(outcome_), time);
        if (!next) this->release();
        return next;
    }

private:
    // Continues on the strand with the next visit, on whichever thread this one was settled.
    void resume()
    {
        auto self = std::static_pointer_cast<handle_strand>(this->shared_from_this());
        auto run = current_.share();
        if (thrown_) outcome_ = visit_outcome::failure(std::move(thrown_));
        try {
            Run::exchange_and(
                std::move(current_), std::move(outcome_), [self = std::move(self)](permit<Run> next) mutable {
                    if (next) start_handle_strand<Run>::post(std::move(self), std::move(next));
                    else self->release();
                });
        } catch (...) {
            Run::abort_visit(std::move(run), std::current_exception());
        }
        Run::leave(std::move(run));
    }

    asio::any_io_executor erased_;
    permit<Run> current_;
    visit_outcome outcome_;
    std::exception_ptr thrown_;  // by the visitor
    std::atomic<unsigned> events_{0};
};

// Visits vertices in sequence on a strand, as long as each visit is over when the visitor returns. Runs on that
// strand.
template <class Run>
struct start_handle_strand {
    std::shared_ptr<typename Run::visit_strand_type> visit_strand;
    permit<Run> current;

    static void post(std::shared_ptr<typename Run::visit_strand_type> visit_strand, permit<Run> next)
    {
        asio::strand<typename Run::executor_type> const strand = visit_strand->strand;
        asio::post(strand, start_handle_strand{std::move(visit_strand), std::move(next)});
    }

    void operator()()
    {
        visit_time_slice<Run> slice(current.run());
        do {
            if (!visit_strand->visit(std::move(current))) return;
            current = visit_strand->next(slice.end_visit());
            if (!current) return;
            slice.begin_visit();
        } while (!slice.is_over());
        auto run = current.share();
        try {
            post(std::move(visit_strand), std::move(current));
        } catch (...) {
            Run::abort_visit(std::move(run), std::current_exception());
        }
        Run::leave(std::move(run));
    }
};

// The function that begins visits on a strand.
template <class Run, class Visitor, class Graph>
struct start_on_strand {
    using type = start_handle_strand<Run>;
};
template <class Run, class Visitor, class Graph>
    requires awaitable_visitor_for<Visitor, Graph>
struct start_on_strand<Run, Visitor, Graph> {
    using type = start_visits<typename awaitable_traits<visit_return_t<Visitor, Graph>>::executor_type, Run>;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_HANDLE_VISIT_HPP
