// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LANE_HPP
#define STRIDER_WALK_DETAIL_LANE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace strider::detail {

// A place where awaitable visits run, one after another: a strand, because the cancellation state of a coroutine is
// not thread-safe, and the signal by which terminal cancellation reaches the visit, emitted on that strand only.
template <class Executor>
struct lane {
    explicit lane(Executor const& executor) : strand(executor) {}

    void stop(std::shared_ptr<lane> self)
    {
        asio::post(strand, [self = std::move(self)] { self->signal.emit(asio::cancellation_type::terminal); });
    }

    asio::strand<Executor> strand;
    asio::cancellation_signal signal;
};

// The right to visit one vertex. It owns the walk, so that a lane without one owns nothing of it: a walk has been
// destroyed before its handler is called although the frames of its lanes may still be unwinding.
template <class Run>
class grant {
public:
    grant() = default;
    grant(std::shared_ptr<Run> run, vertex_id v) noexcept : run_(std::move(run)), vertex_(v) {}

    [[nodiscard]] explicit operator bool() const noexcept { return run_ != nullptr; }
    [[nodiscard]] auto run() const noexcept -> Run& { return *run_; }
    [[nodiscard]] auto vertex() const noexcept -> vertex_id { return vertex_; }
    [[nodiscard]] auto release() noexcept -> std::shared_ptr<Run> { return std::move(run_); }

private:
    std::shared_ptr<Run> run_;
    vertex_id vertex_;
};

// Carries the end of a visit to the control strand and comes back to the lane with the next grant, or with none.
template <class Run, class Lane, class Handler>
struct lane_report {
    std::shared_ptr<Run> run;
    std::shared_ptr<Lane> from;
    vertex_id vertex;
    Handler handler;

    void operator()()
    {
        run->settle(vertex);
        vertex_id const next = run->take();
        grant<Run> given = next ? grant<Run>(run, next) : grant<Run>();
        asio::strand<typename Run::executor_type> const strand = from->strand;
        if (!next) run->give_back(std::move(from));
        asio::post(strand, [to = std::move(handler), given = std::move(given)]() mutable { to(std::move(given)); });
        Run::proceed(std::move(run));
    }
};

struct initiate_next_grant {
    template <class Handler, class Run, class Lane>
    void operator()(Handler handler, std::shared_ptr<Lane> from, grant<Run> ended) const
    {
        vertex_id const v = ended.vertex();
        std::shared_ptr<Run> run = ended.release();
        auto const strand = run->strand();
        asio::dispatch(strand, lane_report<Run, Lane, Handler>{std::move(run), std::move(from), v, std::move(handler)});
    }
};

// One visit, on its lane. Cancellation state and `throw_if_cancelled` belong to the coroutine as a whole, so each visit
// gets them fresh, and bookkeeping after it is deaf to cancellation.
template <class AwaitableExecutor, class Run, class Lane>
auto run_lane(std::shared_ptr<Lane> self, grant<Run> current) -> asio::awaitable<void, AwaitableExecutor>
{
    while (current) {
        if (current.run().stopping()) {
            current.run().record(current.vertex(), visit_outcome::cancelled());
        } else {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
            co_await asio::this_coro::throw_if_cancelled(true);
            try {
                auto visit = current.run().invoke(current.vertex());
                if constexpr (std::is_void_v<typename awaitable_traits<decltype(visit)>::value_type>) {
                    co_await std::move(visit);
                } else {
                    auto returned = co_await std::move(visit);
                    visit_outcome outcome = std::move(returned);
                    current.run().record(current.vertex(), std::move(outcome));
                }
            } catch (...) {
                current.run().record(current.vertex(), visit_outcome::failure(std::current_exception()));
            }
            co_await asio::this_coro::throw_if_cancelled(false);
        }
        auto next = asio::async_initiate<asio::deferred_t const, void(grant<Run>)>(
            initiate_next_grant{}, asio::deferred, self, std::move(current));
        current = co_await std::move(next);
    }
}

// What `co_spawn` calls when a lane has ended. A type of its own, because it has no executor: so Asio emits into the
// coroutine where the lane's signal is emitted. With an executor it would dispatch, by a pointer into memory that is
// gone by then if the executor queues.
struct lane_ended {
    using cancellation_slot_type = asio::cancellation_slot;

    asio::cancellation_slot slot;

    [[nodiscard]] auto get_cancellation_slot() const noexcept -> cancellation_slot_type { return slot; }
    void operator()(std::exception_ptr const&) const noexcept {}
};

// Starts the coroutine of a lane. Runs on the lane's strand: a lane that is used again is still unwinding its last
// coroutine when the control strand hands it out.
template <class AwaitableExecutor, class Run, class Lane>
struct start_lane {
    std::shared_ptr<Lane> lane;
    grant<Run> first;

    void operator()()
    {
        asio::cancellation_slot const slot = lane->signal.slot();
        asio::strand<typename Run::executor_type> const strand = lane->strand;
        // The lambda stays in the coroutine's outer frame, so the lane outlives all that looks at its signal.
        asio::co_spawn(
            strand,
            [lane = std::move(lane), first = std::move(first)]() mutable {
                return run_lane<AwaitableExecutor>(lane, std::move(first));
            },
            lane_ended{slot});
    }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LANE_HPP
