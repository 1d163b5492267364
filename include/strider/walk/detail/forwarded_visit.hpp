// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_FORWARDED_VISIT_HPP
#define STRIDER_WALK_DETAIL_FORWARDED_VISIT_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

// Calls of a visitor by a walk, or by another visitor that adapts it.
namespace strider::detail {

// True if the visitor, or the one to which it refers, rejects partial runs: it has a member `needs_full_run` that is true.
template <class Visitor>
[[nodiscard]] consteval auto needs_full_run() -> bool
{
    using visitor_type = std::remove_cvref_t<std::unwrap_reference_t<Visitor>>;
    if constexpr (requires { visitor_type::needs_full_run; }) return visitor_type::needs_full_run;
    else return false;
}

// Calls a plain visitor.
template <class Visitor, class T>
    requires visits_plainly<Visitor, T>
auto call_plainly(Visitor& visitor, vertex_id v, T const& value, stop_token stop) -> decltype(auto)
{
    if constexpr (visits_with_stop_token<Visitor, T>) return std::invoke(visitor, v, value, stop);
    else return std::invoke(visitor, v, value);
}

// The same with the outcome of the visit. An exception is the outcome, too.
template <class Visitor, class T>
    requires visits_plainly<Visitor, T>
[[nodiscard]] auto visit_plainly(Visitor& visitor, vertex_id v, T const& value, stop_token stop) noexcept
    -> visit_outcome
{
    try {
        if constexpr (!std::is_void_v<decltype(call_plainly(visitor, v, value, stop))>)
            return call_plainly(visitor, v, value, stop);
        else call_plainly(visitor, v, value, stop);
    } catch (...) {
        return visit_outcome::failure(std::current_exception());
    }
    return {};
}

template <class Visitor, class T>
using forwarded_awaitable =
    asio::awaitable<visit_outcome, typename awaitable_traits<visit_return_t<Visitor, T>>::executor_type>;

template <class Visitor, class T>
    requires visits_by_coroutine<Visitor, T>
auto visit_by_coroutine(Visitor& visitor, vertex_id v, T const& value) -> forwarded_awaitable<Visitor, T>
{
    auto visit = std::invoke(visitor, v, value);
    if constexpr (std::is_void_v<typename awaitable_traits<decltype(visit)>::value_type>) {
        co_await std::move(visit);
        co_return visit_outcome();
    } else {
        visit_outcome outcome = co_await std::move(visit);
        co_return std::move(outcome);
    }
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_FORWARDED_VISIT_HPP
