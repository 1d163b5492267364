// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_CLOUD_ACCESS_HPP
#define STRIDER_INFRA_SIM_CLOUD_ACCESS_HPP

#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_value.hpp>
#include <strider/sim/fault_plan.hpp>
#include <strider/walk/clock.hpp>

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace strider::infra::sim {

/// The way of a simulated provider to its cloud: a strand, admission, faults, and time.
template <class Clock>
class cloud_access {
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;
    using timer_type = strider::clock_timer_t<Clock>;

protected:
    /// The end of a step: done, failed by a fault, or cut off by a cancellation.
    enum class step_result : std::uint8_t { succeeded, failed, aborted };
    static constexpr int attempts = 5;  ///< of a request that is throttled, and of a read that finds nothing

    /// Makes a strand on the executor; all access to the cloud is on it.
    cloud_access(asio::any_io_executor executor, cloud& on, strider::sim::fault_plan faults)
        : strand_(asio::make_strand(std::move(executor))),
          cloud_(&on),
          faults_(std::move(faults))
    {}

    /// Continues on the strand of the cloud.
    [[nodiscard]] auto enter() -> task<void> { return asio::post(asio::bind_executor(strand_, asio::use_awaitable)); }

    /// Asks the cloud for admission, and again after a window if it throttles. \return the error if it does not admit
    [[nodiscard]] auto request() -> task<std::optional<diagnostic>>
    {
        auto const home = co_await asio::this_coro::executor;
        if (!cloud_->limits_requests()) co_return std::nullopt;
        for (int attempt = 0; attempt != attempts; ++attempt) {
            auto entering = enter();
            co_await std::move(entering);
            admission const answer = cloud_->admit(Clock::now(home).time_since_epoch());
            auto const window = std::chrono::duration_cast<duration>(cloud_->conditions().window);
            auto leaving = asio::post(home, asio::use_awaitable);
            co_await std::move(leaving);
            if (answer == admission::admitted) co_return std::nullopt;
            if (answer == admission::unavailable) co_return sim_error(codes::cloud_unavailable);
            auto waiting = wait(window);
            if (co_await std::move(waiting) != step_result::succeeded) break;
        }
        co_return sim_error(codes::throttled);
    }

    /// Reads an object until a read sees it.
    [[nodiscard]] auto poll(std::string id) -> task<std::optional<toy_value>>
    {
        auto const home = co_await asio::this_coro::executor;
        std::optional<toy_value> now;
        for (int attempt = 0; attempt != attempts && !now; ++attempt) {
            auto waiting = wait(std::chrono::duration_cast<duration>(std::chrono::seconds(1)));
            if (co_await std::move(waiting) != step_result::succeeded) break;
            auto entering = enter();
            co_await std::move(entering);
            now = cloud_->read(id);
            auto leaving = asio::post(home, asio::use_awaitable);
            co_await std::move(leaving);
        }
        co_return now;
    }

    /// Waits in the time of the clock; `duration::max()` waits for a cancellation.
    [[nodiscard]] auto wait(duration time) -> task<step_result>
    {
        auto const home = co_await asio::this_coro::executor;
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return step_result::aborted;
        timer_type timer(home);
        // An unlimited wait: in virtual time even that has an end.
        if (time == duration::max()) timer.expires_at(Clock::time_point::max());
        else timer.expires_after(time);
        auto const token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        auto const [error] = co_await std::move(waiting);
        co_return error || time == duration::max() ? step_result::aborted : step_result::succeeded;
    }

    /// Performs a fault at this point. \throws std::runtime_error, std::bad_alloc as the fault demands
    [[nodiscard]] auto inject(fault f) -> task<step_result>
    {
        switch (f) {
        case fault::none: co_return step_result::succeeded;
        case fault::fails: co_return step_result::failed;
        case fault::throws: throw std::runtime_error("the provider failed");
        case fault::no_memory: throw std::bad_alloc();
        case fault::hangs:
        case fault::slow: break;
        }
        duration const time =
            f == fault::slow ? std::chrono::duration_cast<duration>(faults_.delay()) : duration::max();
        auto waiting = wait(time);
        step_result const v = co_await std::move(waiting);
        co_return v;
    }

    asio::strand<asio::any_io_executor> strand_;  ///< serialises access to the cloud
    cloud* cloud_;  ///< never null
    strider::sim::fault_plan faults_;  ///< of the calls of this provider
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_CLOUD_ACCESS_HPP
