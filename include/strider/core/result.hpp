// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
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
    result(T value) : value_(std::in_place, std::move(value)) {}  // NOLINT(google-explicit-constructor)
    /// Contains an error. Implicit, so that functions return errors.
    result(graph_error error) noexcept : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    /// True if there is a value.
    /// @{
    [[nodiscard]] auto has_value() const noexcept -> bool { return value_.has_value(); }
    [[nodiscard]] explicit operator bool() const noexcept { return value_.has_value(); }
    /// @}

    /// Returns the value. \throws graph_exception if there is none
    /// @{
    [[nodiscard]] auto value() & -> T& { return *checked(); }
    [[nodiscard]] auto value() const& -> T const& { return *checked(); }
    [[nodiscard]] auto value() && -> T { return std::move(*checked()); }
    /// @}
    /// Returns the value. \pre has_value()
    /// @{
    [[nodiscard]] auto operator*() & noexcept -> T& { return *value_; }
    [[nodiscard]] auto operator*() const& noexcept -> T const& { return *value_; }
    [[nodiscard]] auto operator*() && -> T { return std::move(*value_); }
    [[nodiscard]] auto operator->() noexcept -> T* { return std::addressof(*value_); }
    [[nodiscard]] auto operator->() const noexcept -> T const* { return std::addressof(*value_); }
    /// @}
    /// Returns the error. A temporary returns it by value. \pre !has_value()
    /// @{
    [[nodiscard]] auto error() const& noexcept -> graph_error const& { return error_; }
    [[nodiscard]] auto error() && noexcept -> graph_error { return std::move(error_); }
    /// @}

private:
    [[nodiscard]] auto checked() -> std::optional<T>&
    {
        if (!value_) throw graph_exception(error_);
        return value_;
    }
    [[nodiscard]] auto checked() const -> std::optional<T> const&
    {
        if (!value_) throw graph_exception(error_);
        return value_;
    }

    std::optional<T> value_;
    graph_error error_;
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
