// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ON_EXECUTORS_HPP
#define STRIDER_WALK_ON_EXECUTORS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

// A coroutine of a visit on another executor than that of the walk. Its completion handler owns it.
template <class Executor>
struct visit_elsewhere {
    explicit visit_elsewhere(Executor const& executor) : strand(executor) {}

    asio::strand<Executor> strand;  // Cancellation must not be emitted while the coroutine runs.
    asio::cancellation_signal signal;
};

// Forwards the cancellation of the walk to the strand of the coroutine. It may outlive the visit.
template <class Executor>
struct forward_cancellation {
    std::weak_ptr<visit_elsewhere<Executor>> visit;

    void operator()(asio::cancellation_type type) const
    {
        if (auto running = visit.lock()) {
            auto const strand = running->strand;
            asio::post(strand, [running = std::move(running), type] { running->signal.emit(type); });
        }
    }
};

// The completion handler of the coroutine. It has no associated executor: Asio then emits cancellation directly.
template <class Executor>
struct end_elsewhere {
    using cancellation_slot_type = asio::cancellation_slot;

    std::shared_ptr<visit_elsewhere<Executor>> visit;
    visit_handle handle;

    [[nodiscard]] auto get_cancellation_slot() const noexcept -> cancellation_slot_type { return visit->signal.slot(); }
    void operator()(std::exception_ptr thrown, visit_outcome outcome)
    {
        handle(thrown ? visit_outcome::failure(std::move(thrown)) : std::move(outcome));
    }
};

/// A handle visitor that calls another visitor on executors of its own. \see on_executors
template <class ExecutorOf, class Visitor>
class visitor_on_executors {
    using executor = std::remove_cvref_t<std::invoke_result_t<ExecutorOf const&, vertex_id>>;

public:
    static constexpr bool needs_full_run = detail::needs_full_run<Visitor>();

    visitor_on_executors(ExecutorOf executor_of, Visitor visitor)
        : executor_of_(std::move(executor_of)),
          visitor_(std::move(visitor))
    {}

    /// Posts the call of a plain visitor.
    template <class T>
        requires visits_plainly<Visitor, T>
    void operator()(vertex_id v, T const& value, visit_handle handle)
    {
        asio::post(executor_of_(v), [this, v, &value, handle = std::move(handle)]() mutable {
            handle(visit_plainly(visitor_, v, value, handle.get_stop_token()));
        });
    }
    /// Starts the coroutine of an awaitable visitor.
    template <class T>
        requires visits_by_coroutine<Visitor, T>
    void operator()(vertex_id v, T const& value, visit_handle handle)
    {
        auto visit = std::make_shared<visit_elsewhere<executor>>(executor_of_(v));
        auto const strand = visit->strand;
        if (auto slot = handle.get_cancellation_slot(); slot.is_connected())
            slot.assign(forward_cancellation<executor>{visit});
        auto coroutine = [this, v, &value] { return visit_by_coroutine(visitor_, v, value); };
        asio::co_spawn(strand, std::move(coroutine), end_elsewhere<executor>{std::move(visit), std::move(handle)});
    }

    /// Forwards the call if the visitor accepts it; on the executor of the walk.
    void not_visited(vertex_id v, visit_outcome const& outcome) noexcept { notify_not_visited(visitor_, v, outcome); }

private:
    ExecutorOf executor_of_;
    Visitor visitor_;
};

}  // namespace detail

/// Makes a visitor for a walk whose visits run on executors of their own: `executor_of(v)` returns the executor on which
/// `visitor` is called for `v`, such as that of one thread for visits that use a device. No thread waits for a visit.
///
/// `visitor` is a plain or an awaitable visitor. A plain one may take a `stop_token`. A coroutine runs on a strand of its
/// executor and receives terminal cancellation of the walk there. An exception of either is the outcome of the vertex. `executor_of` is called on the executor
/// of the walk; an exception of it is the outcome too. Visits on different executors may run at the same time, also in a
/// walk on a strand. A permit of `max_concurrency` or of a resource pool is held while a visit is queued on its executor.
///
/// \pre The contexts of the executors run until the walk ends. If one is destroyed with a visit in its queue, the visit fails
///      with `walk_errc::abandoned`. A thread of any of these contexts may end the walk: join all of them before the
///      first one, or that of the walk, is destroyed.
/// \par Cost
/// A walk by handles, and a post per vertex; for an awaitable visitor two coroutine frames and a strand.
template <class ExecutorOf, class Visitor>
    requires asio::execution::executor<std::remove_cvref_t<std::invoke_result_t<ExecutorOf const&, vertex_id>>>
[[nodiscard]] auto on_executors(ExecutorOf executor_of, Visitor visitor)
    -> detail::visitor_on_executors<ExecutorOf, Visitor>
{
    return {std::move(executor_of), std::move(visitor)};
}

}  // namespace strider

#endif  // STRIDER_WALK_ON_EXECUTORS_HPP
