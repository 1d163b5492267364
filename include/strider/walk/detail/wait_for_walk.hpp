// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WAIT_FOR_WALK_HPP
#define STRIDER_WALK_DETAIL_WAIT_FOR_WALK_HPP

#include <strider/core/assert.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/waiting_thread.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace strider::detail {

// The state shared by the waiting thread and the handler. Either may be the last to use it.
struct walk_shared_state {
    walk_report report;
    std::atomic<bool> ended{false};

    void end()
    {
        ended.store(true, std::memory_order_release);
        ended.notify_one();
    }
};

// A handler that wakes the waiting thread, also if it is destroyed without a call, as when its context is destroyed.
class wake_waiter {
public:
    explicit wake_waiter(std::shared_ptr<walk_shared_state> state) noexcept : state_(std::move(state)) {}
    wake_waiter(wake_waiter&&) noexcept = default;
    auto operator=(wake_waiter&&) -> wake_waiter& = delete;
    ~wake_waiter()
    {
        if (state_) state_->end();
    }

    void operator()(error_code, walk_report report) const { state_->report = std::move(report); }

private:
    std::shared_ptr<walk_shared_state> state_;
};

// Calls `start` with a handler, and waits until the handler is called or destroyed.
template <class Executor, class Graph, class Start>
[[nodiscard]] auto wait_for_walk(Executor const& executor, Graph const& graph, Start start) -> walk_report
{
    STRIDER_ASSERT(!runs_in_this_thread(executor),
        "a thread of the executor does not wait for a walk with coroutines, handles or a ready queue: use async_walk");
    assert_not_stopped(executor);
    auto const state = std::make_shared<walk_shared_state>();
    state->report = walk_access::make<walk_report>(report_content{
        .size = graph.vertex_count(), .id_bound = graph.id_bound(), .is_rest_cancelled = true, .is_lost = true});
    start(wake_waiter(state));
    state->ended.wait(false, std::memory_order_acquire);
    return std::move(state->report);
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WAIT_FOR_WALK_HPP
