// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace strider {

/// Thrown by `result::value()` if the result contains an error.
class graph_exception : public std::runtime_error {
public:
    /// Stores the error; `what()` returns its message.
    explicit graph_exception(graph_error error) : std::runtime_error(error.message()), error_(std::move(error)) {}
    /// The error; the reference is valid as long as the exception.
    [[nodiscard]] auto error() const noexcept -> graph_error const& { return error_; }

private:
    graph_error error_;
};

/// The value of an operation on graphs, or its error, with the interface of `std::expected<T, graph_error>` of C++23, except
/// that a temporary result returns its value by value: `for (auto v : topological_order(g).value())` is valid.
///
/// `boost::system::result` would take a fortieth of the build time of a small program.
template <class T>
class [[nodiscard]] result {
public:
    using value_type = T;  ///< the type of the value
    using error_type = graph_error;  ///< the type of the error

    /// Contains a value. Implicit, so that functions return values.
    result(T value) noexcept(moves_safely)  // NOLINT(google-explicit-constructor)
        : value_(std::move(value)),
          has_value_(true)
    {}
    /// Contains an error. Implicit, so that functions return errors.
    result(graph_error error) noexcept : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    /// Copies or moves the value, or the error.
    /// @{
    result(result const& other)
        requires std::copy_constructible<T>
        : error_(other.error_)
    {
        if (other.has_value_) construct(other.value_);
    }
    result(result&& other) noexcept(moves_safely) : error_(std::move(other.error_))
    {
        if (other.has_value_) construct(std::move(other.value_));
    }
    /// @}
    /// Destroys the value, and then moves the other one. If that throws, the result contains an error without a message.
    auto operator=(result other) noexcept(moves_safely) -> result&
    {
        destroy();
        error_ = std::move(other.error_);
        if (other.has_value_) construct(std::move(other.value_));
        return *this;
    }
    ~result() { destroy(); }

    /// True if there is a value.
    /// @{
    [[nodiscard]] auto has_value() const noexcept -> bool { return has_value_; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }
    /// @}

    /// Returns the value. \throws graph_exception if there is none
    /// @{
    [[nodiscard]] auto value() & -> T&
    {
        check();
        return value_;
    }
    [[nodiscard]] auto value() const& -> T const&
    {
        check();
        return value_;
    }
    [[nodiscard]] auto value() && -> T
    {
        check();
        return std::move(value_);
    }
    /// @}
    /// Returns the value. \pre has_value()
    /// @{
    [[nodiscard]] auto operator*() & noexcept -> T& { return value_; }
    [[nodiscard]] auto operator*() const& noexcept -> T const& { return value_; }
    [[nodiscard]] auto operator*() && -> T { return std::move(value_); }
    [[nodiscard]] auto operator->() noexcept -> T* { return std::addressof(value_); }
    [[nodiscard]] auto operator->() const noexcept -> T const* { return std::addressof(value_); }
    /// @}
    /// Returns the error. A temporary returns it by value. \pre !has_value()
    /// @{
    [[nodiscard]] auto error() const& noexcept -> graph_error const& { return error_; }
    [[nodiscard]] auto error() && noexcept -> graph_error { return std::move(error_); }
    /// @}

private:
    static constexpr bool moves_safely = std::is_nothrow_move_constructible_v<T>;

    void check() const
    {
        if (!has_value_) throw graph_exception(error_);
    }
    template <class U>
    void construct(U&& value)
    {
        std::construct_at(std::addressof(value_), std::forward<U>(value));
        has_value_ = true;
    }
    void destroy() noexcept
    {
        if (std::exchange(has_value_, false)) value_.~T();
    }

    // An optional value would take a two-hundredth of the build time of a small program.
    union {
        T value_;  // exists if `has_value_` is set
    };
    graph_error error_;
    bool has_value_ = false;
};

/// Success, or an error. A default constructed result is success.
template <>
class [[nodiscard]] result<void> {
public:
    using value_type = void;  ///< there is no value
    using error_type = graph_error;  ///< the type of the error

    /// Success.
    result() = default;
    /// Contains an error. Implicit, so that functions return errors.
    result(graph_error error) noexcept : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    /// True if there is no error.
    /// @{
    [[nodiscard]] auto has_value() const noexcept -> bool { return !error_.has_value(); }
    [[nodiscard]] explicit operator bool() const noexcept { return !error_.has_value(); }
    /// @}
    /// Does nothing. \throws graph_exception if there is an error
    void value() const
    {
        if (error_) throw graph_exception(*error_);
    }
    /// Returns the error. A temporary returns it by value. \pre !has_value()
    /// @{
    [[nodiscard]] auto error() const& noexcept -> graph_error const& { return *error_; }
    [[nodiscard]] auto error() && noexcept -> graph_error { return *std::move(error_); }
    /// @}

private:
    std::optional<graph_error> error_;
};

}  // namespace strider

#endif  // STRIDER_CORE_RESULT_HPP
