// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_WORLD_CLOCK_HPP
#define STRIDER_TESTS_SUPPORT_WORLD_CLOCK_HPP

#include <strider/sim/virtual_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <utility>
#include <variant>

namespace strider::test {

/// The clock of the world of an executor: virtual time in a `manual_context`, otherwise the steady clock. With it, a
/// template is instantiated once for both worlds.
struct world_clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

    class timer_type {
    public:
        explicit timer_type(asio::any_io_executor const& executor)
        {
            if (is_virtual(executor)) timer_.emplace<sim::virtual_timer>(executor);
            else timer_.emplace<asio::steady_timer>(executor);
        }
        timer_type(asio::any_io_executor const& executor, duration after) : timer_type(executor)
        {
            expires_after(after);
        }

        void expires_after(duration time)
        {
            visit([time](auto& timer) { timer.expires_after(time); });
        }
        void expires_at(time_point then)
        {
            visit([then]<class Timer>(
                      Timer& timer) { timer.expires_at(typename Timer::time_point(then.time_since_epoch())); });
        }
        template <class Token>
        auto async_wait(Token&& token)
        {
            return asio::async_initiate<Token, void(error_code)>(
                [this](
                    auto handler) { this->visit([&handler](auto& timer) { timer.async_wait(std::move(handler)); }); },
                token);
        }

    private:
        template <class F>
        void visit(F use)
        {
            if (auto* const timer = std::get_if<sim::virtual_timer>(&timer_)) use(*timer);
            else use(std::get<asio::steady_timer>(timer_));
        }

        std::variant<std::monostate, sim::virtual_timer, asio::steady_timer> timer_;
    };

    [[nodiscard]] static auto now(asio::any_io_executor const& executor) -> time_point
    {
        if (!is_virtual(executor)) return std::chrono::steady_clock::now();
        return time_point(sim::virtual_clock::now(executor).time_since_epoch());
    }
    [[nodiscard]] static auto is_virtual(asio::any_io_executor const& executor) -> bool
    {
        return asio::has_service<sim::virtual_time>(asio::query(executor, asio::execution::context));
    }
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_WORLD_CLOCK_HPP
