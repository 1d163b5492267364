// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_FUNCTIONS_HPP
#define IACCTL_LANGUAGE_EVALUATION_FUNCTIONS_HPP

#include "language/values/type.hpp"
#include "language/values/value.hpp"

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

/// The most bytes that a string made by a function or a template may have: 256 MiB.
inline constexpr std::size_t longest_text = std::size_t{256} << 20U;
/// The most elements that a function may make.
inline constexpr std::size_t most_elements = 10'000'000;

struct function;

/// The functions of providers.
class function_source {
public:
    virtual ~function_source() = default;
    /// The function of the provider of an address; null: there is none.
    [[nodiscard]] virtual function const* find_function(std::string_view provider, std::string_view name) const = 0;

protected:
    function_source() = default;
    function_source(function_source const&) = default;
    function_source& operator=(function_source const&) = default;
};

/// What a function sees of the world beside its arguments.
struct call_context {
    /// Whether `timestamp`, `uuid` and `bcrypt` have a value; before that nobody could rely on it.
    bool applying = false;
    /// What `plantimestamp` gives; nothing if no plan is being made.
    std::string plan_time{};
    /// Whether this is inside a template that a function renders.
    bool in_template = false;
    /// The functions of providers; null: only those of the provider that is built in are known.
    function_source const* provided = nullptr;
};

/// The time of now as functions write it.
[[nodiscard]] std::string current_time();

/// One parameter, and which values its function wants to see itself. What it does not allow is settled before:
/// null is refused, unknown makes the result unknown, marks are taken off and put on the result.
struct parameter {
    std::string name;
    type of;
    bool allow_null = false;
    bool allow_unknown = false;
    bool allow_marked = false;
};

struct function {
    std::string name;
    std::vector<parameter> parameters;
    std::optional<parameter> variadic;
    /// The type of the result, from arguments that may be unknown.
    std::function<call_result<type>(arguments)> returns;
    std::function<call_result<value>(arguments, call_context const&)> run;

    /// The parameter that an argument goes to; null if there are too many.
    [[nodiscard]] parameter const* parameter_at(std::size_t index) const noexcept;
};

/// The function of a name, or null. A name may carry the prefix `core::`.
[[nodiscard]] function const* find_function(std::string_view name);
/// A function of the provider that is built in, `terraform.io/builtin/terraform`, by its name alone; or null.
[[nodiscard]] function const* find_builtin_function(std::string_view name);
/// All names in order.
[[nodiscard]] std::vector<std::string_view> const& function_names();

/// What can be said of a function without calling it. The result is what it is of arguments that have just the types
/// of the parameters: `any` where it depends on more.
struct function_signature {
    std::vector<parameter> parameters;
    std::optional<parameter> variadic;
    type result;
};
/// \pre `name` is one of `function_names()`.
[[nodiscard]] function_signature signature_of(std::string_view name);
/// What a function does, or what one of its parameters is ("trim.cutset"), for those who read about it; may be empty.
[[nodiscard]] std::string_view description_of(std::string_view name);

/// Calls a function with arguments already converted to its parameters.
[[nodiscard]] call_result<value> call(function const& of, arguments given, call_context const& in = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_FUNCTIONS_HPP
