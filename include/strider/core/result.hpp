// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <boost/system/result.hpp>

#include <stdexcept>

namespace strider {

/// Result of an operation on graphs: a value, or an error.
///
/// `error()` returns a copy (Boost 1.81): store it before you take references into it.
template <class T>
using result = boost::system::result<T, graph_error>;

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

/// Found by `boost::system::result` through argument-dependent lookup; \throws graph_exception always.
[[noreturn]] inline void throw_exception_from_error(graph_error const& error, boost::source_location const&)
{
    throw graph_exception(error);
}

}  // namespace strider

#endif  // STRIDER_CORE_RESULT_HPP
