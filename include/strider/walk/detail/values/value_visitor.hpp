// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_VALUES_VALUE_VISITOR_HPP
#define STRIDER_WALK_DETAIL_VALUES_VALUE_VISITOR_HPP

#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <boost/system/result.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace strider::detail {

// A type that a visit with values returns: a value, or a value or an error.
template <class R, class T>
inline constexpr bool is_result_of = false;
template <class U, class E, class T>
inline constexpr bool is_result_of<boost::system::result<U, E>, T> =
    std::convertible_to<U, T> && !std::same_as<boost::system::result<U, E>, T>;
template <class U, class T>
inline constexpr bool is_result_of<result<U>, T> = std::convertible_to<U, T> && !std::same_as<result<U>, T>;
template <class R, class T>
concept value_result = !std::is_void_v<R> && (is_result_of<R, T> || std::convertible_to<R, T>);

template <class R>
[[nodiscard]] auto outcome_of_error(R&& failed) noexcept -> visit_outcome
{
    using E = typename std::remove_cvref_t<R>::error_type;
    if constexpr (std::same_as<E, error_code>) return visit_outcome::failure(failed.error());
    else if constexpr (std::same_as<E, std::exception_ptr>) return visit_outcome::failure(failed.error());
    try {
        (void)std::move(failed).value();
    } catch (...) {
        return visit_outcome::failure(std::current_exception());
    }
    return visit_outcome::failure(error_code());
}

template <class F, class V, class T>
concept called_with_values = std::invocable<F&, vertex_id, V const&, dependency_values<T>>;
template <class F, class V, class T>
concept called_with_handle =
    !called_with_values<F, V, T> && std::invocable<F&, vertex_id, V const&, dependency_values<T>, value_handle<T>>;
template <class F, class V, class T>
concept called_with_stop_token = !called_with_values<F, V, T> && !called_with_handle<F, V, T>
    && std::invocable<F&, vertex_id, V const&, dependency_values<T>, stop_token>;

// The reading of the dependencies' values by one visit, and the writing of its own.
template <class Values>
class value_visit {
    using value_type = typename Values::value_type;

public:
    value_visit(Values& values, vertex_id v) noexcept : values_(values), vertex_(v) { values_.begin(v); }
    value_visit(value_visit const&) = delete;
    auto operator=(value_visit const&) -> value_visit& = delete;
    ~value_visit()
    {
        if (!has_value_) values_.fail(vertex_);
        values_.end(vertex_);
    }

    [[nodiscard]] auto inputs() const noexcept -> dependency_values<value_type> { return values_.inputs(vertex_); }

    // Returns nothing or the outcome of the visit.
    template <class R>
    auto settle(R&& returned)
    {
        if constexpr (is_result_of<std::remove_cvref_t<R>, value_type>) {
            if (!returned.has_value()) return outcome_of_error(std::forward<R>(returned));
            return put(*std::forward<R>(returned));
        } else if constexpr (Values::detects_changes) {
            return put(std::forward<R>(returned));
        } else {
            (void)put(std::forward<R>(returned));
        }
    }

private:
    template <class U>
    [[nodiscard]] auto put(U&& value) -> visit_outcome
    {
        bool const is_changed = values_.put(vertex_, std::forward<U>(value));
        has_value_ = true;
        return is_changed ? visit_outcome() : visit_outcome::unchanged();
    }

    Values& values_;
    vertex_id vertex_;
    bool has_value_ = false;
};

// Values, and their settlement by handles.
template <class Values>
class settled_values final : public value_port<typename Values::value_type> {
public:
    template <class... Args>
    explicit settled_values(Args&&... args) : values(std::forward<Args>(args)...)
    {}

    auto complete(vertex_id v, typename Values::value_type&& value) noexcept -> visit_outcome override
    {
        visit_outcome outcome;
        try {
            if (!values.put(v, std::move(value))) outcome = visit_outcome::unchanged();
        } catch (...) {
            values.fail(v);
            outcome = visit_outcome::failure(std::current_exception());
        }
        values.end(v);
        return outcome;
    }
    void fail(vertex_id v) noexcept override
    {
        values.fail(v);
        values.end(v);
    }

    Values values;
};

// Makes a visitor of a walk out of a function that receives the values of the dependencies and returns its own.
template <class F, class Values>
class value_visitor {
    using value_type = typename Values::value_type;
    using inputs_type = dependency_values<value_type>;

    template <class V>
    using returned_t = std::invoke_result_t<F&, vertex_id, V const&, inputs_type>;

public:
    static constexpr bool needs_full_run = Values::needs_full_run;

    value_visitor(F visit, settled_values<Values>& all) noexcept(std::is_nothrow_move_constructible_v<F>)
        : visit_(std::move(visit)),
          all_(&all)
    {}

    template <class V>
        requires(!called_with_handle<F, V, value_type> && !called_with_stop_token<F, V, value_type>)
    auto operator()(vertex_id v, V const& value)
    {
        constexpr bool is_called = called_with_values<F, V, value_type>;
        static_assert(is_called,
            "a visitor with values is called as visit(vertex_id, value const&, dependency_values<T>) or with a "
            "value_handle<T> or a stop_token as a fourth argument");
        if constexpr (is_called) {
            if constexpr (awaitable_traits<returned_t<V>>::value) {
                return await<typename awaitable_traits<returned_t<V>>::executor_type>(v, value);
            } else {
                return visit_plainly(v, value);
            }
        }
    }
    template <class V>
        requires called_with_stop_token<F, V, value_type>
    auto operator()(vertex_id v, V const& value, stop_token stop)
    {
        return visit_plainly(v, value, stop);
    }
    template <class V>
        requires called_with_handle<F, V, value_type>
    void operator()(vertex_id v, V const& value, visit_handle handle)
    {
        all_->values.begin(v);
        std::invoke(visit_, v, value, all_->values.inputs(v),
            walk_access::make<value_handle<value_type>>(*all_, v, std::move(handle)));
    }

    void not_visited(vertex_id v, visit_outcome const& outcome) noexcept
    {
        all_->values.settle_without_visit(v, outcome);
        all_->values.end(v);
    }

private:
    template <class R>
    static constexpr void check_result()
    {
        static_assert(value_result<R, value_type>,
            "a visitor with values returns the value of its vertex, a result of it, or an "
            "asio::awaitable of one of them");
    }

    template <class V, class... Stop>
    auto visit_plainly(vertex_id v, V const& value, Stop... stop)
    {
        check_result<std::invoke_result_t<F&, vertex_id, V const&, inputs_type, Stop...>>();
        value_visit<Values> visit(all_->values, v);
        return visit.settle(std::invoke(visit_, v, value, visit.inputs(), stop...));
    }
    template <class E, class V>
    auto await(vertex_id v, V const& value)
    {
        using returned = typename awaitable_traits<returned_t<V>>::value_type;
        check_result<returned>();
        using settled = decltype(std::declval<value_visit<Values>&>().settle(std::declval<returned>()));
        return run<asio::awaitable<settled, E>>(v, value);
    }
    template <class Awaitable, class V>
    auto run(vertex_id v, V const& value) -> Awaitable
    {
        value_visit<Values> visit(all_->values, v);
        auto running = std::invoke(visit_, v, value, visit.inputs());
        auto returned = co_await std::move(running);
        co_return visit.settle(std::move(returned));
    }

    F visit_;
    settled_values<Values>* all_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_VALUES_VALUE_VISITOR_HPP
