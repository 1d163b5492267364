// SPDX-License-Identifier: BSL-1.0
#include "evaluation_text.hpp"

#include "language/syntax/suggestion.hpp"
#include "operations.hpp"

namespace iacctl::language {

diagnostic unknown_function(expression const& in, syntax::call const& of)
{
    std::string const name(of.name);
    auto const told = [&](char const* summary, std::string detail) {
        return error(summary, std::move(detail), in.at(of.name_range), in.at(of.range));
    };
    auto const first = name.find("::");
    if (name == "list" || name == "map")
        return told("Call to unknown function",
            "The function \"" + name + "\" was removed from the language. Write "
                + (name == "list" ? "[ ... ], or tolist([ ... ]) for a list" : "{ ... }, or tomap({ ... }) for a map")
                + " whose elements all have one type.");
    if (first == std::string::npos)
        return told("Call to unknown function",
            "There is no function named \"" + name + "\"." + did_you_mean(of.name, function_names()));
    static constexpr auto summary = "Unknown provider function";
    auto const second = name.find("::", first + 2);
    if (name.substr(0, first) != "provider" || second == std::string::npos)
        return told(summary,
            "The function namespace \"" + name.substr(0, first)
                + "\" is not valid. Provider function calls must use the \"provider::\" namespace prefix.");
    auto const provider = name.substr(first + 2, second - first - 2);
    return told(summary,
        "There is no function named \"" + name + "\". Ensure that provider name \"" + provider
            + "\" is declared in this module's required_providers block, and that this provider offers a function "
              "named "
              "\""
            + name.substr(second + 2) + "\".");
}

}  // namespace iacctl::language

namespace iacctl::language::detail {

using syntax::node_kind;

std::string calling_note(function const& called, std::string_view name)
{
    std::string signature = "while calling " + std::string(name) + "(";
    for (std::size_t i = 0; i < called.parameters.size(); ++i)
        signature += (i > 0 ? ", " : "") + std::string(called.parameters[i].name);
    if (called.variadic)
        signature += (called.parameters.empty() ? "" : ", ") + std::string(called.variadic->name) + "...";
    return signature + ")";
}

std::string template_string_problem(syntax::node const& given)
{
    if (given.kind == node_kind::literal)
        return "templatestring is only for rendering templates retrieved dynamically from elsewhere, and so does not "
               "support providing a literal template; consider using a template string expression instead";
    if (given.kind == node_kind::text || given.kind == node_kind::wrap)
        return "templatestring is only for rendering templates retrieved dynamically from elsewhere; to render an "
               "inline template, consider using a plain template string expression";
    if (given.kind != node_kind::traversal && given.kind != node_kind::index && given.kind != node_kind::relative)
        return "must be a direct reference to a single string from elsewhere, containing valid Terraform template "
               "syntax";
    return {};
}

std::string attempt_text(diagnostics const& failed)
{
    std::string text;
    for (auto const& one : failed) {
        if (one.level != severity::error) continue;
        text += "\n- " + one.summary;
        if (one.subject)
            text += " (at " + one.subject.file->name() + ":"
                + std::to_string(one.subject.file->line_of(one.subject.bytes.begin)) + ")";
        text += "\n  " + one.detail;
    }
    return text;
}

std::string statement_about(value const& of, note_options options)
{
    if (of.is_ephemeral() && options.ephemeral)
        return of.is_sensitive() ? "has an ephemeral, sensitive value" : "has an ephemeral value";
    if (of.marks() != mark::none) return of.is_sensitive() && options.sensitive ? "has a sensitive value" : "";
    if (of.is_known()) return "is " + describe(of);
    if (of.is(type_kind::dynamic)) return options.unknown ? "will be known only after apply" : "";
    return "is a " + of.get_type().friendly_name() + (options.unknown ? ", known only after apply" : "");
}

std::optional<std::string_view> written_key(syntax::object_item const& item)
{
    if (item.key->kind == node_kind::literal) return syntax::as<syntax::literal>(*item.key).text();
    if (item.computed_key || item.key->kind != node_kind::traversal) return std::nullopt;
    auto const& name = syntax::as<syntax::traversal>(*item.key);
    return name.steps.empty() ? std::optional(name.root) : std::nullopt;
}

}  // namespace iacctl::language::detail
