// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace strider {

/// The value of an operation, or its error. The default error is that of operations on graphs.
///
/// A temporary result returns its value by value: `for (auto v : topological_order(g).value())` is valid.
/// \see Boost.System, `boost::system::result`
template <class T, class E = graph_error>
using result = boost::system::result<T, E>;

/// Thrown by `result::value()` if the result contains a `graph_error`. `code()` is its code in `graph_category()`.
class graph_exception : public boost::system::system_error {
public:
    /// Stores the error.
    explicit graph_exception(graph_error error) : system_error(make_error_code(error)), error_(std::move(error)) {}
    /// The message of the error; valid as long as the exception.
    [[nodiscard]] auto what() const noexcept -> char const* override { return error_.message().c_str(); }
    /// The error; the reference is valid as long as the exception.
    [[nodiscard]] auto error() const noexcept -> graph_error const& { return error_; }

private:
    graph_error error_;
};

/// Called by `result::value()`. \throws graph_exception
[[noreturn]] inline void throw_exception_from_error(graph_error const& error, boost::source_location const&)
{
    throw graph_exception(error);
}

}  // namespace strider

#endif  // STRIDER_CORE_RESULT_HPP
