// SPDX-License-Identifier: BSL-1.0
#include "evaluation_text.hpp"

#include "base/in_quotes.hpp"
#include "base/suggestion.hpp"
#include "messages/evaluation.hpp"
#include "operations.hpp"

#include <algorithm>

namespace iacctl::language {

auto unknown_function(expression const& in, syntax::call const& c, scope const& s) -> diagnostic
{
    std::string_view const name = c.name;
    auto const place = in.at(c.name_range);
    auto const whole = in.at(c.range);
    if (name == "list") return error(messages::removed_list_function, place, whole);
    if (name == "map") return error(messages::removed_map_function, place, whole);
    if (find_function(name) != nullptr)
        return error(messages::function_of_opentofu, {name, opentofu_version_of(name)}, place, whole);
    auto const first = name.find("::");
    if (first == std::string::npos)
        return error(messages::unknown_function, {name, did_you_mean(name, function_names())}, place, whole);
    auto const second = name.find("::", first + 2);
    if (name.substr(0, first) != "provider" || second == std::string::npos)
        return error(messages::unknown_function_namespace, {name.substr(0, first)}, place, whole);
    return error(messages::unknown_provider_function,
        {name, name.substr(first + 2, second - first - 2), name.substr(second + 2), s.way_to_function(name)}, place,
        whole);
}

}  // namespace iacctl::language

namespace iacctl::language::detail {

using syntax::node_kind;

auto failure_text(call_failure const& why, std::span<value const> given) -> std::string
{
    bool const hides = std::ranges::any_of(given, [](value const& v) { return v.deep_marks() != mark::none; });
    return hides ? "the reason is not shown, because an argument is sensitive or ephemeral" : why.message();
}

auto duplicate_key(std::string const& key, mark marks, source_range place, source_range whole) -> diagnostic
{
    auto const shown = marks == mark::none ? in_quotes(key) : "(sensitive value)";
    return error(messages::duplicate_loop_key, {shown}, place, whole);
}

auto calling_note(function const& called, std::string_view name) -> std::string
{
    std::string signature = "while calling " + std::string(name) + "(";
    for (std::size_t i = 0; i < called.parameters.size(); ++i)
        signature += (i > 0 ? ", " : "") + std::string(called.parameters[i].name);
    if (called.variadic)
        signature += (called.parameters.empty() ? "" : ", ") + std::string(called.variadic->name) + "...";
    return signature + ")";
}

auto template_string_problem(syntax::node const& given) -> messages::message<0> const*
{
    if (given.kind == node_kind::literal || given.kind == node_kind::text || given.kind == node_kind::wrap)
        return &messages::inline_template;
    bool const refers =
        given.kind == node_kind::traversal || given.kind == node_kind::index || given.kind == node_kind::relative;
    return refers ? nullptr : &messages::template_not_a_reference;
}

auto attempt_text(diagnostics const& failed) -> std::string
{
    std::string text;
    for (auto const& one : failed) {
        if (one.level != severity::error) continue;
        text += "\n- " + one.summary;
        if (one.source) text += " (at " + one.source.file + ":" + std::to_string(one.source.line) + ")";
        text += "\n  " + one.detail;
    }
    return text;
}

auto statement_about(value const& v, note_options options) -> std::string
{
    if (v.is_ephemeral() && options.ephemeral)
        return v.is_sensitive() ? "has an ephemeral, sensitive value" : "has an ephemeral value";
    if (v.marks() != mark::none) return v.is_sensitive() && options.sensitive ? "has a sensitive value" : "";
    if (v.is_known()) return "is " + describe(v);
    if (v.is(type_kind::dynamic)) return options.unknown ? "will be known only after apply" : "";
    return (v.is(type_kind::object) ? "is an " : "is a ") + v.get_type().friendly_name()
        + (options.unknown ? ", known only after apply" : "");
}

auto written_key(syntax::object_item const& item) -> std::optional<std::string_view>
{
    if (item.key->kind == node_kind::literal) return syntax::as<syntax::literal>(*item.key).text();
    if (item.computed_key || item.key->kind != node_kind::traversal) return std::nullopt;
    auto const& name = syntax::as<syntax::traversal>(*item.key);
    return name.steps.empty() ? std::optional(name.root) : std::nullopt;
}

}  // namespace iacctl::language::detail
