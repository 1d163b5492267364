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

/// The reason why a call failed, and the index of the argument at fault if there is one.
class call_failure {
public:
    call_failure() = default;
    explicit call_failure(std::string message) : message_(std::move(message)) {}
    call_failure(std::size_t argument, std::string message) : message_(std::move(message)), argument_(argument) {}

    [[nodiscard]] auto message() const noexcept -> std::string const& { return message_; }
    [[nodiscard]] auto argument() const noexcept -> std::optional<std::size_t> { return argument_; }

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

/// The maximum length of a string that a function or a template returns: 256 MiB.
inline constexpr std::size_t longest_text = std::size_t{256} << 20U;
/// The maximum number of elements that a function returns.
inline constexpr std::size_t most_elements = 10'000'000;

struct function;

/// The functions of providers.
class function_source {
public:
    virtual ~function_source() = default;
    /// The function of the provider at an address, or null.
    [[nodiscard]] virtual auto find_function(std::string_view provider, std::string_view name) const
        -> function const* = 0;
    /// Advice for a function that the provider at an address lacks, for the end of a message; may be empty.
    [[nodiscard]] virtual auto way_to_function(std::string_view /*provider*/, std::string_view /*name*/) const
        -> std::string
    {
        return {};
    }

protected:
    function_source() = default;
    function_source(function_source const&) = default;
    auto operator=(function_source const&) -> function_source& = default;
};

/// The inputs of a function other than its arguments.
struct call_context {
    /// True while changes are applied: `timestamp`, `uuid` and `bcrypt` have a value. Otherwise they are unknown.
    bool applying = false;
    /// The result of `plantimestamp`; empty if no plan is being made.
    std::string plan_time{};
    /// True inside a template that a function renders.
    bool in_template = false;
    /// The functions of providers; null: only those of the built-in provider are available.
    function_source const* provided = nullptr;
};

/// The current time in the format of the functions.
[[nodiscard]] auto current_time() -> std::string;

/// One parameter, and the special values that its function handles itself. Otherwise `call` handles them: null is an
/// error, an unknown value makes the result unknown, marks are removed from the argument and added to the result.
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

    /// The parameter for an argument; null if there are too many arguments.
    [[nodiscard]] auto parameter_at(std::size_t index) const noexcept -> parameter const*;
};

/// The function of a name, with or without the prefix `core::`, or null.
[[nodiscard]] auto find_function(std::string_view name) -> function const*;
/// The version of OpenTofu that introduced a function which Terraform does not have; empty for the other functions.
[[nodiscard]] auto opentofu_version_of(std::string_view function) noexcept -> std::string_view;
/// A function of the built-in provider, `terraform.io/builtin/terraform`, by its name without prefix; or null.
[[nodiscard]] auto find_builtin_function(std::string_view name) -> function const*;
/// All names in ascending order.
[[nodiscard]] auto function_names() -> std::vector<std::string_view> const&;

/// The signature of a function. The result type is that for arguments of exactly the types of the parameters; `any` if
/// it depends on more than that.
struct function_signature {
    std::vector<parameter> parameters;
    std::optional<parameter> variadic;
    type result;
};
/// \pre `name` is one of `function_names()`.
[[nodiscard]] auto signature_of(std::string_view name) -> function_signature;
/// The description of a function, or of one of its parameters ("trim.cutset"), for documentation; may be empty.
[[nodiscard]] auto description_of(std::string_view name) -> std::string_view;

/// Calls a function with arguments already converted to its parameters.
[[nodiscard]] call_result<value> call(function const& f, arguments given, call_context const& in = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_FUNCTIONS_HPP
