// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CONTEXT_CLOCK_HPP
#define STRIDER_WALK_CONTEXT_CLOCK_HPP

#include <strider/walk/asio_execution.hpp>
#include <strider/walk/detail/steady_clock.hpp>

namespace strider {

/// The clock of an execution context whose time is virtual: a service of that context, from which a service that advances
/// the time derives. A derived service has no `id` of its own.
///
/// A walk finds the clock through its executor, type-erased or wrapped in a strand, and then depends on no other clock: it
/// compares its timeout with this one, has one worker, and no handler has a time slice. Each visit begins as a task of its
/// own, except those of a worker, which follow one another in a task.
///
/// Not thread-safe: the time must not change while a task of the context runs in another thread.
class context_clock : public asio::execution_context::service {
public:
    /// The type of durations.
    using duration = std::chrono::nanoseconds;
    /// The type of points in virtual time.
    using time_point = std::chrono::time_point<context_clock, duration>;

    /// The key by which the context finds this service.
    inline static asio::execution_context::id id;

    /// The clock of a context. Time begins at zero.
    explicit context_clock(asio::execution_context& context) : asio::execution_context::service(context) {}

    /// Returns the virtual time.
    [[nodiscard]] auto now() const noexcept -> time_point { return now_; }

protected:
    /// Sets the virtual time. \pre `then >= now()`
    void set_now(time_point then) noexcept { now_ = then; }

private:
    void shutdown() override {}

    time_point now_{};
};

/// Returns the clock of the context of an executor, or null if the time of the context is real.
/// \complexity That of finding a service: linear in the number of services, under the mutex of the context.
template <class Executor>
[[nodiscard]] auto find_context_clock(Executor const& executor) -> context_clock const*
{
    if constexpr (asio::can_query_v<Executor const&, asio::execution::context_t>) {
        asio::execution_context& context = asio::query(executor, asio::execution::context);
        if (asio::has_service<context_clock>(context)) return &asio::use_service<context_clock>(context);
    }
    return nullptr;
}

}  // namespace strider

#endif  // STRIDER_WALK_CONTEXT_CLOCK_HPP
