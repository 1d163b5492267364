// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FUNCTIONS_HPP
#define IACCTL_LANGUAGE_FUNCTIONS_HPP

#include "type.hpp"
#include "value.hpp"

#include <boost/system/result.hpp>

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// Why a call failed, and with which argument if it was one.
class call_failure {
public:
    call_failure() = default;
    explicit call_failure(std::string message) : message_(std::move(message)) {}
    call_failure(std::size_t argument, std::string message) : message_(std::move(message)), argument_(argument) {}

    [[nodiscard]] std::string const& message() const noexcept { return message_; }
    [[nodiscard]] std::optional<std::size_t> argument() const noexcept { return argument_; }

private:
    std::string message_;
    std::optional<std::size_t> argument_;
};

[[noreturn]] inline void throw_exception_from_error(call_failure const& error, boost::source_location const&)
{
    throw std::runtime_error(error.message());
}

template <class T>
using call_result = boost::system::result<T, call_failure>;
using arguments = std::span<value const>;

/// One parameter, and which values its function wants to see itself. What it does not allow is settled before:
/// null is refused, unknown makes the result unknown, marks are taken off and put on the result.
struct parameter {
    std::string_view name;
    type of;
    bool allow_null = false;
    bool allow_unknown = false;
    bool allow_marked = false;
};

struct function {
    std::string_view name;
    std::vector<parameter> parameters;
    std::optional<parameter> variadic;
    /// The type of the result, from arguments that may be unknown.
    std::function<call_result<type>(arguments)> returns;
    std::function<call_result<value>(arguments)> run;

    /// The parameter that an argument goes to; null if there are too many.
    [[nodiscard]] parameter const* parameter_at(std::size_t index) const noexcept;
};

/// The function of a name, or null. A name may carry the prefix `core::`.
[[nodiscard]] function const* find_function(std::string_view name);
/// All names in order.
[[nodiscard]] std::vector<std::string_view> const& function_names();

/// Calls a function with arguments already converted to its parameters.
[[nodiscard]] call_result<value> call(function const& of, arguments given);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_FUNCTIONS_HPP
