// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_RENDEZVOUS_HPP
#define STRIDER_WALK_DETAIL_RENDEZVOUS_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace strider::detail {

// The state shared by the waiting thread and the handler. Either may be the last to use it.
struct walk_rendezvous {
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
    explicit wake_waiter(std::shared_ptr<walk_rendezvous> meeting) noexcept : meeting_(std::move(meeting)) {}
    wake_waiter(wake_waiter&&) noexcept = default;
    auto operator=(wake_waiter&&) -> wake_waiter& = delete;
    ~wake_waiter()
    {
        if (meeting_) meeting_->end();
    }

    void operator()(error_code, walk_report report) { meeting_->report = std::move(report); }

private:
    std::shared_ptr<walk_rendezvous> meeting_;
};

// Calls `start` with a handler, and waits until the handler is called or destroyed.
template <class Start>
[[nodiscard]] auto wait_for_walk(Start start) -> walk_report
{
    auto const meeting = std::make_shared<walk_rendezvous>();
    start(wake_waiter(meeting));
    meeting->ended.wait(false, std::memory_order_acquire);
    return std::move(meeting->report);
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_RENDEZVOUS_HPP
