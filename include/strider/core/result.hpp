// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>
#include <utility>

namespace strider {

/// The value of an operation, or its error. The default error is that of operations on graphs.
///
/// A temporary result returns its value by value: `for (auto v : topological_order(g).value())` is valid.
/// \see Boost.System, `boost::system::result`
template <class T, class E = graph_error>
using result = boost::system::result<T, E>;

/// Thrown by `result::value()` if the result contains a `graph_error`.
class graph_exception : public std::runtime_error {
public:
    /// Stores the error; `what()` returns its message.
    explicit graph_exception(graph_error error) : std::runtime_error(error.message()), error_(std::move(error)) {}
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
