// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_ASYNC_SEMAPHORE_HPP
#define STRIDER_INFRA_PLAN_ASYNC_SEMAPHORE_HPP

#include <strider/infra/program/task.hpp>
#include <strider/walk/asio.hpp>

#include <boost/asio/experimental/concurrent_channel.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace strider::infra {

/// A counting semaphore for coroutines: a coroutine that has to wait suspends, and its thread continues with other work. Waits
/// end in the order in which they began. Thread-safe.
///
/// Without a wait, `try_acquire` and `release` are one atomic operation each. The memory order is that of
/// `std::counting_semaphore`.
template <class Executor = asio::any_io_executor>
class async_semaphore {
public:
    /// \param executor  the channel of waits uses it; a coroutine resumes on its own executor
    /// \param permits   how many are available at first
    async_semaphore(Executor const& executor, std::uint32_t permits)
        : available_(permits),
          released_(executor, std::numeric_limits<std::size_t>::max())
    {}

    /// Takes a permit if one is available. Does not wait. \return false if none was
    [[nodiscard]] auto try_acquire() noexcept -> bool
    {
        std::int64_t available = available_.load(std::memory_order_relaxed);
        while (available > 0)
            if (available_.compare_exchange_weak(available, available - 1, std::memory_order_acq_rel)) return true;
        return false;
    }
    /// Takes a permit, and waits until one is available. \throws std::bad_alloc if a wait cannot begin
    [[nodiscard]] auto acquire() -> task<void>
    {
        if (available_.fetch_sub(1, std::memory_order_acq_rel) > 0) co_return;
        auto token = asio::as_tuple(asio::use_awaitable);
        auto receiving = released_.async_receive(token);
        co_await std::move(receiving);
    }
    /// Gives a permit back: to the coroutine that has waited longest, if there is one. \pre the permit was taken
    void release()
    {
        if (available_.fetch_add(1, std::memory_order_acq_rel) < 0) released_.try_send(error_code());
    }

private:
    // Permits that are available; below zero, the number of coroutines that wait.
    std::atomic<std::int64_t> available_;
    // A permit for each wait that may end. It may be sent before its receiver begins to wait.
    asio::experimental::concurrent_channel<Executor, void(error_code)> released_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_ASYNC_SEMAPHORE_HPP
