// SPDX-License-Identifier: BSL-1.0
#include "diagnostic_json.hpp"

#include "base/json_writer.hpp"
#include "base/url_secrets.hpp"
#include "language/evaluation/functions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace iacctl::views {

namespace {

[[nodiscard]] auto position_json(std::uint32_t line, std::uint32_t column, std::uint32_t byte) -> std::string
{
    return json_object()
        .raw("line", std::to_string(line))
        .raw("column", std::to_string(column))
        .raw("byte", std::to_string(byte))
        .done();
}

constexpr std::string_view calling = "while calling ";

/// The JSON of a note such as "local.a is 5", in two parts; empty for other notes.
[[nodiscard]] auto value_json(std::string_view note) -> std::string
{
    static constexpr std::array<std::string_view, 3> verbs{" is ", " has a ", " will be "};
    auto split = note.size();
    for (auto const verb : verbs) split = std::min(split, note.find(verb));
    if (split == note.size() || note.starts_with(calling)) return {};
    return json_object().text("traversal", note.substr(0, split)).text("statement", note.substr(split + 1)).done();
}

[[nodiscard]] auto parameter_json(language::parameter const& p) -> std::string
{
    return json_object().text("name", p.name).raw("type", language::type_to_json(p.of)).done();
}

/// The JSON of a note such as "while calling max(numbers...)": the signature of the called function; empty for other
/// notes.
[[nodiscard]] auto call_json(std::string_view note) -> std::string
{
    if (!note.starts_with(calling)) return {};
    auto const called = note.substr(calling.size(), note.find('(') - calling.size());
    auto const name = called.substr(called.starts_with("core::") ? 6 : 0);
    auto const of = language::signature_of(name);
    json_array parameters;
    for (auto const& one : of.parameters) parameters.raw(parameter_json(one));
    json_object signature;
    signature.text("name", name).raw("params", parameters.done());
    if (of.variadic) signature.raw("variadic_param", parameter_json(*of.variadic));
    signature.raw("return_type", language::type_to_json(of.result));
    return json_object().text("called_as", called).raw("signature", signature.done()).done();
}

/// Adds the content of notes: values, and the called function.
auto append_notes(json_object& out, std::vector<std::string> const& notes) -> json_object&
{
    json_array values;
    std::string call;
    for (auto const& note : notes) {
        if (auto const one = value_json(note); !one.empty()) values.raw(one);
        else if (call.empty()) call = call_json(note);
    }
    return out.raw("values", values.done()).raw_if("function_call", call);
}

// An empty range is shown as one character.
[[nodiscard]] auto length_of_empty(infra::source_excerpt const& at) -> std::uint32_t
{
    return at.end.byte > at.byte ? 0 : 1;
}

[[nodiscard]] auto range_json(infra::source_excerpt const& at) -> std::string
{
    auto const further = length_of_empty(at);
    return json_object()
        .text("filename", at.file)
        .raw("start", position_json(at.line, at.column, at.byte))
        .raw("end", position_json(at.end.line, at.end.column + further, std::max(at.byte, at.end.byte) + further))
        .done();
}

[[nodiscard]] auto snippet_json(infra::source_excerpt const& at) -> std::string
{
    auto const begin = std::min<std::size_t>(at.mark, at.text.size());
    std::size_t const length = at.end.byte - std::min(at.byte, at.end.byte) + length_of_empty(at);
    json_object out;
    out.raw("context", at.context.empty() ? "null" : json_string(at.context))
        .text("code", with_masked_url_secrets(at.text))
        .raw("start_line", std::to_string(at.first_line == 0 ? at.line : at.first_line))
        .raw("highlight_start_offset", std::to_string(begin))
        .raw("highlight_end_offset", std::to_string(std::min(begin + length, at.text.size())));
    return append_notes(out, at.notes).done();
}

}  // namespace

auto diagnostic_json(infra::diagnostic const& problem) -> std::string
{
    json_object out;
    out.text("severity", problem.level == infra::severity::error ? "error" : "warning")
        .text("summary", problem.summary)
        .text("detail", problem.detail)
        .text_if("address", problem.address)
        .text_if("code", problem.code);
    if (!problem.source) return out.done();
    return out.raw("range", range_json(problem.source)).raw("snippet", snippet_json(problem.source)).done();
}

auto validation_json(infra::diagnostics const& all, std::vector<dialect_view> const& dialects) -> std::string
{
    json_array each;
    for (auto const& one : all) each.raw(diagnostic_json(one));
    json_array followed;
    for (auto const& one : dialects)
        followed.raw(json_object()
                .text("module", one.module)
                .text("follows", one.program)
                .text("because_of", one.reason)
                .done());
    return indented_json(json_object()
            .text("format_version", "1.0")
            .flag("valid", !all.has_errors())
            .raw("error_count", std::to_string(all.error_count()))
            .raw("warning_count", std::to_string(all.size() - all.error_count()))
            .raw("diagnostics", each.done())
            .raw("dialects", followed.done())
            .done());
}

}  // namespace iacctl::views
