// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_FORWARDED_VISIT_HPP
#define STRIDER_WALK_DETAIL_FORWARDED_VISIT_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

// Calls of a visitor by another visitor that adapts it.
namespace strider::detail {

template <class Visitor, class T>
using visit_of_value_t = std::invoke_result_t<Visitor&, vertex_id, T const&>;
template <class Visitor, class T>
concept visits_value_plainly = visit_result<visit_of_value_t<Visitor, T>>;
template <class Visitor, class T>
concept visits_value_by_coroutine = awaitable_traits<visit_of_value_t<Visitor, T>>::value;
template <class Visitor, class T>
concept visits_value_by_handle =
    !std::invocable<Visitor&, vertex_id, T const&> && std::invocable<Visitor&, vertex_id, T const&, visit_handle>;

// True if the visitor rejects partial runs.
template <class Visitor>
[[nodiscard]] consteval auto needs_full_run() -> bool
{
    if constexpr (requires { Visitor::needs_full_run; }) return Visitor::needs_full_run;
    else return false;
}

template <class Visitor, class T>
    requires visits_value_plainly<Visitor, T>
[[nodiscard]] auto visit_plainly(Visitor& visitor, vertex_id v, T const& value) -> visit_outcome
{
    if constexpr (std::is_void_v<visit_of_value_t<Visitor, T>>) {
        std::invoke(visitor, v, value);
        return {};
    } else {
        return std::invoke(visitor, v, value);
    }
}

template <class Visitor, class T>
using forwarded_awaitable =
    asio::awaitable<visit_outcome, typename awaitable_traits<visit_of_value_t<Visitor, T>>::executor_type>;

template <class Visitor, class T>
    requires visits_value_by_coroutine<Visitor, T>
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
