// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_EXECUTOR_HPP
#define STRIDER_WALK_EXECUTOR_HPP

#include <strider/version.hpp>
#include <strider/walk/asio.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>

namespace strider {

/// An executor that runs one function at a time on another executor: `asio::strand`, or a type with these members of it.
///
/// A walk on such an executor runs all visits, its bookkeeping and its trace on the strand. The type decides: a strand in an
/// `any_io_executor` is no `strand_executor`.
template <class E>
concept strand_executor = requires(E const& executor) {
    typename E::inner_executor_type;
    { executor.get_inner_executor() } -> std::convertible_to<typename E::inner_executor_type>;
    { executor.running_in_this_thread() } -> std::convertible_to<bool>;
};

/// Executor of walks: functions can be posted to it. Awaitable and handle visitors also need a strand of it, see
/// `visitor_for`.
template <class E>
concept walk_executor = asio::execution::executor<E> && asio::can_require_v<E, asio::execution::blocking_t::never_t>;

/// Execution context with an executor of walks, such as `asio::thread_pool` and `asio::io_context`.
template <class C>
concept walk_context = std::convertible_to<C&, asio::execution_context&> && requires(C& context) {
    { context.get_executor() } -> walk_executor;
};

namespace detail {

// The strand of visits on an executor: the executor itself if it is a strand.
template <class Executor>
struct strand_of {
    using type = asio::strand<Executor>;
};
template <strand_executor Executor>
struct strand_of<Executor> {
    using type = Executor;
};
template <class Executor>
using strand_of_t = typename strand_of<Executor>::type;

}  // namespace detail

/// True for an executor whose owner steps it: a call that blocks would wait for its own caller. Such an executor has
/// a static member `is_manual_executor` that is true. A strand over such an executor is manual too.
template <class Executor>
inline constexpr bool is_manual_executor_v = false;
/// An executor with the member `is_manual_executor`.
template <class Executor>
    requires requires { requires Executor::is_manual_executor; }
inline constexpr bool is_manual_executor_v<Executor> = true;
/// A strand.
template <strand_executor Executor>
inline constexpr bool is_manual_executor_v<Executor> = is_manual_executor_v<typename Executor::inner_executor_type>;

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

    /// Copies `f` and calls it when the virtual time reaches `then`, never if that is the last point in time. The call is
    /// cancelled by the destruction of the returned object; the context destroys the copy with itself. Returns null and
    /// copies nothing if the clock has no timers, as here: a walk that only waits for others then compares its timeout when it is
    /// woken.
    [[nodiscard]] virtual auto call_at(time_point, std::function<void()> const&) -> std::shared_ptr<void>
    {
        return nullptr;
    }

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
[[nodiscard]] auto find_context_clock(Executor const& executor) -> context_clock*
{
    if constexpr (asio::can_query_v<Executor const&, asio::execution::context_t>) {
        asio::execution_context& context = asio::query(executor, asio::execution::context);
        if (asio::has_service<context_clock>(context)) return &asio::use_service<context_clock>(context);
    }
    return nullptr;
}

}  // namespace strider

#endif  // STRIDER_WALK_EXECUTOR_HPP
