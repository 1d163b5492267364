// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP
#define STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace strider::detail {

// A visit that completes by handle. It owns the walk until it is settled.
//
// The visitor and the handle meet here: whoever comes second, the visitor's return or the first outcome, reports to the
// control strand. So a walk never completes while a visitor is still on its way out, and a visitor that throws
// counts as failed, not as abandoned, although unwinding destroys its handle first.
template <class Run>
class handle_visit final : public visit_port, public std::enable_shared_from_this<handle_visit<Run>> {
    enum flag : unsigned { claimed = 1, has_outcome = 2, returned = 4 };

public:
    handle_visit(std::shared_ptr<Run> run, vertex_id v) : strand_(run->executor()), run_(std::move(run)), vertex_(v) {}

    void settle(visit_outcome outcome) override
    {
        if ((flags_.fetch_or(claimed, std::memory_order_relaxed) & claimed) != 0) return;
        outcome_ = std::move(outcome);
        if ((flags_.fetch_or(has_outcome, std::memory_order_acq_rel) & returned) != 0) report();
    }
    [[nodiscard]] auto executor() const -> asio::any_io_executor override { return strand_; }
    [[nodiscard]] auto slot() -> asio::cancellation_slot override { return signal_.slot(); }

    // On the control strand.
    void start()
    {
        asio::post(strand_, [self = this->shared_from_this()] { self->visit(); });
    }
    void stop()
    {
        asio::post(
            strand_, [self = this->shared_from_this()] { self->signal_.emit(asio::cancellation_type::terminal); });
    }

private:
    void visit()
    {
        std::exception_ptr thrown;
        if (run_->stopping()) {
            settle(visit_outcome::cancelled());
        } else {
            try {
                run_->invoke(vertex_, visit_handle(this->shared_from_this()));
            } catch (...) {
                thrown = std::current_exception();
                settle(visit_outcome::failure(thrown));
            }
        }
        if ((flags_.fetch_or(returned, std::memory_order_acq_rel) & has_outcome) == 0) return;
        if (thrown && outcome_.error() == make_error_code(walk_errc::abandoned))
            outcome_ = visit_outcome::failure(std::move(thrown));
        report();
    }

    void report()
    {
        run_->record(vertex_, std::move(outcome_));
        auto const strand = run_->strand();
        asio::post(strand, [run = std::move(run_), self = this->shared_from_this()]() mutable {
            run->settle(self->vertex_);
            run->forget(self.get());
            Run::proceed(std::move(run));
        });
    }

    asio::strand<typename Run::executor_type> strand_;
    asio::cancellation_signal signal_;
    std::shared_ptr<Run> run_;
    visit_outcome outcome_;
    std::atomic<unsigned> flags_{0};
    vertex_id vertex_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP
