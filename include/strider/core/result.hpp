// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_RESULT_HPP
#define STRIDER_CORE_RESULT_HPP

#include <strider/core/error.hpp>

#include <boost/system/result.hpp>

#include <stdexcept>

namespace strider {

/// What an operation below the walk gives: a value, or the reason why there is none.
///
/// `error()` gives a copy (Boost 1.81): name it before looking inside.
template <class T>
using result = boost::system::result<T, graph_error>;

/// Thrown by `result::value()` when there is an error instead of a value.
class graph_exception : public std::runtime_error {
public:
    explicit graph_exception(graph_error error) : std::runtime_error(error.message()), error_(std::move(error)) {}
    [[nodiscard]] auto error() const noexcept -> graph_error const& { return error_; }

private:
    graph_error error_;
};

/// Found by `boost::system::result` through the namespace of the error; \throws graph_exception always.
[[noreturn]] inline void throw_exception_from_error(graph_error const& error, boost::source_location const&)
{
    throw graph_exception(error);
}

}  // namespace strider

#endif  // STRIDER_CORE_RESULT_HPP
