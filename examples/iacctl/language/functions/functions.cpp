// SPDX-License-Identifier: BSL-1.0
#include "language/evaluation/functions.hpp"

#include "function_table.hpp"

#include <algorithm>

namespace iacctl::language {

namespace {

[[nodiscard]] auto table() -> detail::function_table const&
{
    static detail::function_table const filled = [] {
        detail::function_table made;
        detail::add_assumption_functions(made);
        detail::add_collection_functions(made);
        detail::add_set_functions(made);
        detail::add_text_functions(made);
        detail::add_format_functions(made);
        detail::add_number_functions(made);
        detail::add_encoding_functions(made);
        detail::add_file_functions(made);
        detail::add_conversion_functions(made);
        detail::add_regex_functions(made);
        detail::add_time_functions(made);
        detail::add_network_functions(made);
        detail::add_crypto_functions(made);
        detail::add_codec_functions(made);
        detail::add_yaml_functions(made);
        detail::add_template_functions(made);
        return made;
    }();
    return filled;
}

}  // namespace

auto function::parameter_at(std::size_t index) const noexcept -> parameter const*
{
    if (index < parameters.size()) return &parameters[index];
    return variadic ? &*variadic : nullptr;
}

auto find_function(std::string_view name) -> function const*
{
    if (name.starts_with("core::")) name.remove_prefix(6);
    return table().find(name);
}

auto opentofu_version_of(std::string_view function) noexcept -> std::string_view
{
    if (function.starts_with("core::")) function.remove_prefix(6);
    if (function == "base64gunzip" || function == "cidrcontains") return "1.7";
    if (function == "urldecode") return "1.8";
    return function.starts_with("assume") ? "1.13" : "";
}

auto find_builtin_function(std::string_view name) -> function const*
{
    static detail::function_table const filled = [] {
        detail::function_table made;
        detail::add_provider_functions(made);
        return made;
    }();
    return filled.find(name);
}

auto function_names() -> std::vector<std::string_view> const&
{
    static std::vector<std::string_view> const names = [] {
        std::vector<std::string_view> made{"can", "try"};
        for (auto const& [name, of] : table().all()) made.push_back(name);
        std::ranges::sort(made);
        return made;
    }();
    return names;
}

auto signature_of(std::string_view name) -> function_signature
{
    // These functions receive expressions, not only values.
    if (name == "try") return {{}, parameter{"expressions", type::dynamic()}, type::dynamic()};
    if (name == "can") return {{{"expression", type::dynamic()}}, std::nullopt, type::boolean()};
    if (name == "templatestring")
        return {{{"template", type::string()}, {"vars", type::dynamic()}}, std::nullopt, type::string()};
    auto const* const found = find_function(name);
    if (!found) return {};
    std::vector<value> given;
    for (auto const& one : found->parameters) given.push_back(value::unknown(one.of));
    if (found->variadic) given.push_back(value::unknown(found->variadic->of));
    auto const result = found->returns(given);
    return {found->parameters, found->variadic, result ? *result : type::dynamic()};
}

auto call(function const& f, arguments given, call_context const& in) -> call_result<value>
{
    mark marks = mark::none;
    bool unknown = false;
    bool marked = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        auto const& desired = *f.parameter_at(i);
        if (given[i].is_null() && !desired.allow_null) return call_failure(i, "it is null");
        unknown = unknown || (given[i].is_unknown() && !desired.allow_unknown);
        if (!desired.allow_marked && given[i].deep_marks() != mark::none) {
            marked = true;
            marks |= given[i].deep_marks();
        }
    }
    arguments const all = given;
    std::vector<value> plain;
    if (marked) {
        for (std::size_t i = 0; i < given.size(); ++i)
            plain.push_back(f.parameter_at(i)->allow_marked ? given[i] : given[i].unmarked_deep());
        given = plain;
    }
    if (unknown) {
        auto const result = f.returns(given);
        if (!result) return result.error();
        return value::unknown(*result).refined_not_null().with_marks(marks | detail::marks_of_unknown(*result, all));
    }
    auto made = f.run(given, in);
    if (made && made->is(type_kind::string) && made->has_data() && made->as_string().size() > longest_text)
        return detail::too_long();
    if (made && made->size() > most_elements) return detail::too_many();
    if (made && marks != mark::none) return made->with_marks(marks);
    return made;
}

}  // namespace iacctl::language
