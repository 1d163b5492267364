// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_EXECUTION_HPP
#define STRIDER_INFRA_EXECUTION_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/walk_options.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

namespace strider::infra {

/// Time as an engine sees it: asked of an executor, since virtual time lives in its context.
template <class C, class Executor>
concept clock_for = requires(Executor const& executor) {
    typename C::duration;
    typename C::time_point;
    typename C::timer_type;
    { C::now(executor) } -> std::same_as<typename C::time_point>;
};

/// The time on the wall.
struct steady_clock {
    using duration = std::chrono::steady_clock::duration;
    using time_point = std::chrono::steady_clock::time_point;
    using timer_type = asio::steady_timer;

    template <class Executor>
    [[nodiscard]] static auto now(Executor const&) -> time_point
    {
        return std::chrono::steady_clock::now();
    }
};

/// Where and when an engine runs, and how much at once.
template <class X>
concept execution_policy = requires(X const& x) {
    typename X::executor_type;
    typename X::clock_type;
    requires clock_for<typename X::clock_type, typename X::executor_type>;
    requires std::constructible_from<asio::any_io_executor, typename X::executor_type>;
    { x.get_executor() } noexcept -> std::same_as<typename X::executor_type>;
    x.options();
};

template <class Executor, class Clock = steady_clock, class Control = strict_strand>
class asio_execution {
public:
    using executor_type = Executor;
    using clock_type = Clock;

    explicit asio_execution(Executor executor, std::uint32_t limit = walk_options<Control>::default_limit)
        : executor_(std::move(executor)),
          limit_(limit)
    {}

    [[nodiscard]] auto get_executor() const noexcept -> Executor { return executor_; }
    [[nodiscard]] auto options() const -> walk_options<Control>
    {
        walk_options<Control> options;
        options.limit = limit_;
        return options;
    }

private:
    Executor executor_;
    std::uint32_t limit_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_EXECUTION_HPP
