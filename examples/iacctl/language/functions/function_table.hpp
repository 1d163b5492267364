// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FUNCTIONS_FUNCTION_TABLE_HPP
#define IACCTL_LANGUAGE_FUNCTIONS_FUNCTION_TABLE_HPP

#include "language/evaluation/functions.hpp"
#include "language/evaluation/operations.hpp"
#include "language/values/convert.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language::detail {

/// All functions by name.
class function_table {
public:
    using run_function = std::function<call_result<value>(arguments)>;
    using context_function = std::function<call_result<value>(arguments, call_context const&)>;
    using type_function = std::function<call_result<type>(arguments)>;

    /// A function whose result always has the same type.
    auto add(std::string_view name, std::vector<parameter> parameters, type result, run_function run) -> function&
    {
        auto returns = [result = std::move(result)](arguments) -> call_result<type> { return result; };
        return add(name, std::move(parameters), type_function(std::move(returns)), std::move(run));
    }
    auto add(std::string_view name, std::vector<parameter> parameters, type_function returns, run_function run)
        -> function&
    {
        auto alone = [run = std::move(run)](arguments given, call_context const&) { return run(given); };
        return all_[name] = {
                   std::string(name), std::move(parameters), std::nullopt, std::move(returns), std::move(alone)};
    }
    /// A function whose result depends on more than its arguments.
    auto add_in(std::string_view name, std::vector<parameter> parameters, type result, context_function run)
        -> function&
    {
        auto returns = [result = std::move(result)](arguments) -> call_result<type> { return result; };
        return all_[name] = {
                   std::string(name), std::move(parameters), std::nullopt, std::move(returns), std::move(run)};
    }

    [[nodiscard]] auto all() const noexcept -> std::map<std::string_view, function> const& { return all_; }
    [[nodiscard]] auto find(std::string_view name) const noexcept -> function const*
    {
        auto const found = all_.find(name);
        return found == all_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string_view, function> all_;
};

/// The type of a result that is known only if the types of all arguments are. A null has no part in it.
[[nodiscard]] inline auto once_typed(type result) -> function_table::type_function
{
    return [result = std::move(result)](arguments given) -> call_result<type> {
        for (auto const& one : given)
            if (one.is_unknown() && one.get_type().is_dynamic()) return type::dynamic();
        return result;
    };
}

void add_assumption_functions(function_table& table);
void add_collection_functions(function_table& table);
void add_set_functions(function_table& table);
void add_text_functions(function_table& table);
void add_format_functions(function_table& table);
void add_number_functions(function_table& table);
void add_encoding_functions(function_table& table);
void add_file_functions(function_table& table);
void add_conversion_functions(function_table& table);
void add_regex_functions(function_table& table);
void add_time_functions(function_table& table);
void add_network_functions(function_table& table);
void add_crypto_functions(function_table& table);
void add_codec_functions(function_table& table);
void add_yaml_functions(function_table& table);
void add_provider_functions(function_table& table);
void add_template_functions(function_table& table);

/// The failure of a function whose result exceeds a limit.
[[nodiscard]] inline auto too_long() -> call_failure
{
    return call_failure("the result would be longer than 256 MiB, the maximum length of a string");
}
[[nodiscard]] inline auto too_many() -> call_failure
{
    return call_failure("the result would have more than 10000000 elements, the maximum");
}

/// The failure of a function that needs a whole number of 64 bits.
inline constexpr auto not_whole = "a whole number that fits into 64 bits is required";

[[nodiscard]] inline auto is_sequence(value const& v) noexcept -> bool
{
    return v.is(type_kind::list) || v.is(type_kind::tuple) || v.is(type_kind::set);
}

/// Returns whether the number of its elements is known. Elements of a set that are not known may turn out to be equal.
/// \pre a list, tuple or set that is not null
[[nodiscard]] inline auto has_known_length(value const& v) noexcept -> bool
{
    return v.is_known() && (!v.is(type_kind::set) || v.size() <= 1 || v.wholly_known());
}

/// The marks of all arguments and of everything inside.
[[nodiscard]] inline auto deep_marks(arguments given) noexcept -> mark
{
    mark all = mark::none;
    for (auto const& one : given) all |= one.deep_marks();
    return all;
}

/// The marks of a result that is not known yet, if all arguments may become parts of it.
[[nodiscard]] inline auto marks_of_unknown(type const& result, arguments given) noexcept -> mark
{
    mark all = mark::none;
    for (auto const& one : given) all |= language::marks_of_unknown(result, one);
    return all;
}

/// Converts a value, with the message of the conversion if it fails.
[[nodiscard]] inline auto converted(value const& v, type const& to) -> call_result<value>
{
    auto made = convert(v, to);
    if (!made) return call_failure(made.error().text());
    return *std::move(made);
}

/// A list, set or tuple of elements, as the type requires.
[[nodiscard]] inline auto shaped(type const& t, std::vector<value> elements) -> value
{
    if (t.is(type_kind::list)) return value::list(t.element(), std::move(elements));
    if (t.is(type_kind::set)) return value::set(t.element(), std::move(elements));
    return value::tuple(std::move(elements));
}

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_FUNCTION_TABLE_HPP
