// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP
#define STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/grant.hpp>
#include <strider/walk/detail/plain_visits.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace strider::detail {

template <class Run>
struct start_handle_lane;

// A visit that completes by handle, on a lane. It owns the walk until it is settled.
//
// The visitor and the handle meet here: whoever comes second, the visitor's return or the first outcome, settles the visit.
// So a walk never completes while a visitor is still on its way out, and a visitor that throws counts as failed, not as
// abandoned, although unwinding destroys its handle first.
template <class Run>
class handle_visit final : public visit_port, public std::enable_shared_from_this<handle_visit<Run>> {
    using lane_type = typename Run::lane_type;
    enum flag : unsigned { claimed = 1, has_outcome = 2, returned = 4 };

public:
    handle_visit(std::shared_ptr<lane_type> on, grant<Run> current) noexcept
        : lane_(std::move(on)),
          current_(std::move(current))
    {
        lane_->signal.slot().clear();
        lane_->listens.store(true, std::memory_order_relaxed);
    }

    void settle(visit_outcome outcome) override
    {
        if ((flags_.fetch_or(claimed, std::memory_order_relaxed) & claimed) != 0) return;
        lane_->listens.store(false, std::memory_order_relaxed);
        outcome_ = std::move(outcome);
        if ((flags_.fetch_or(has_outcome, std::memory_order_acq_rel) & returned) != 0) go_on();
    }
    [[nodiscard]] auto executor() const -> asio::any_io_executor override { return lane_->strand; }
    [[nodiscard]] auto slot() -> asio::cancellation_slot override { return lane_->signal.slot(); }

    // \return whether the visit is over; then its outcome may be taken. If not, it goes on by itself.
    [[nodiscard]] auto visit() -> bool
    {
        std::exception_ptr thrown;
        if (current_.run().stopping()) {
            settle(visit_outcome::cancelled());
        } else {
            try {
                current_.run().invoke(current_.vertex(), visit_handle(this->shared_from_this()));
            } catch (...) {
                thrown = std::current_exception();
                settle(visit_outcome::failure(thrown));
            }
        }
        if ((flags_.fetch_or(returned, std::memory_order_acq_rel) & has_outcome) == 0) return false;
        if (thrown && outcome_.error() == make_error_code(walk_errc::abandoned))
            outcome_ = visit_outcome::failure(std::move(thrown));
        return true;
    }
    // \pre it is over. \return the right to visit the next vertex here and now
    [[nodiscard]] auto next() -> grant<Run>
    {
        grant<Run> next = Run::exchange(std::move(current_), std::move(outcome_));
        if (!next) lane_->give_back();
        return next;
    }

private:
    // The lane goes on with the next visit, wherever this one was settled.
    void go_on()
    {
        auto run = current_.share();
        try {
            exchange_later();
        } catch (...) {
            Run::lose(std::move(run), std::current_exception());
        }
    }
    void exchange_later()
    {
        Run::exchange_and(std::move(current_), std::move(outcome_), [lane = lane_](grant<Run> next) mutable {
            if (next) start_handle_lane<Run>::post(std::move(lane), std::move(next));
            else lane->give_back();
        });
    }

    std::shared_ptr<lane_type> lane_;
    grant<Run> current_;
    visit_outcome outcome_;
    std::atomic<unsigned> flags_{0};
};

// Visits on a lane one vertex after another, as long as they are over when the visitor returns. Runs on the lane's strand.
template <class Run>
struct start_handle_lane {
    std::shared_ptr<typename Run::lane_type> lane;
    grant<Run> current;

    static void post(std::shared_ptr<typename Run::lane_type> lane, grant<Run> next)
    {
        asio::strand<typename Run::executor_type> const strand = lane->strand;
        asio::post(strand, start_handle_lane{std::move(lane), std::move(next)});
    }

    void operator()()
    {
        visiting_turn<typename Run::executor_type> const mine;
        auto run = current.share();
        try {
            do {
                auto const visit = std::make_shared<handle_visit<Run>>(lane, std::move(current));
                run.reset();
                if (!visit->visit()) return;
                current = visit->next();
                if (!current) return;
                run = current.share();
            } while (!mine.is_over());
            post(std::move(lane), std::move(current));
        } catch (...) {
            if (!run) throw;
            Run::lose(std::move(run), std::current_exception());
        }
    }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_HANDLE_VISIT_HPP
