// SPDX-License-Identifier: BSL-1.0
#include "diagnostic_json.hpp"

#include "json_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace iacctl::ui {

namespace {

[[nodiscard]] std::string position_json(language::source_file const& file, std::uint32_t offset)
{
    auto const at = file.position(offset);
    return json_object()
        .raw("line", std::to_string(at.line))
        .raw("column", std::to_string(at.column))
        .raw("byte", std::to_string(offset))
        .done();
}

/// "local.a is 5" in two parts; nothing for other notes.
[[nodiscard]] std::string value_json(std::string_view note)
{
    static constexpr std::array<std::string_view, 3> verbs{" is ", " has a ", " will be "};
    auto split = note.size();
    for (auto const verb : verbs) split = std::min(split, note.find(verb));
    if (split == note.size() || note.starts_with("while calling ")) return {};
    return json_object().text("traversal", note.substr(0, split)).text("statement", note.substr(split + 1)).done();
}

[[nodiscard]] std::string snippet_json(language::diagnostic const& of)
{
    auto const& file = *of.subject.file;
    auto begin = of.subject.bytes.begin;
    auto end = of.subject.bytes.end;
    if (of.context.file == &file) {
        begin = std::min(begin, of.context.bytes.begin);
        end = std::max(end, of.context.bytes.end);
    }
    auto const first = file.line_of(begin);
    auto const lines = language::byte_range{
        file.line_range(first).begin, file.line_range(file.line_of(end > begin ? end - 1 : begin)).end};
    auto const code = file.text(lines);
    auto const offset = [&](std::uint32_t at) {
        return std::to_string(std::min<std::size_t>(at - lines.begin, code.size()));
    };
    auto const region = file.region_at(of.subject.bytes.begin);
    json_array values;
    for (auto const& note : of.notes)
        if (auto const one = value_json(note); !one.empty()) values.raw(one);
    // An empty place is shown as one character.
    auto const last = std::max(of.subject.bytes.end, of.subject.bytes.begin + 1);
    return json_object()
        .raw("context", region.empty() ? "null" : json_string(region))
        .text("code", code)
        .raw("start_line", std::to_string(first))
        .raw("highlight_start_offset", offset(of.subject.bytes.begin))
        .raw("highlight_end_offset", offset(last))
        .raw("values", values.done())
        .done();
}

}  // namespace

std::string diagnostic_json(language::diagnostic const& of)
{
    json_object out;
    out.text("severity", of.level == language::severity::error ? "error" : "warning")
        .text("summary", of.summary)
        .text("detail", of.detail)
        .text_if("address", of.address);
    if (!of.subject) return out.done();
    auto const& file = *of.subject.file;
    auto const range = json_object()
                           .text("filename", file.name())
                           .raw("start", position_json(file, of.subject.bytes.begin))
                           .raw("end", position_json(file, of.subject.bytes.end))
                           .done();
    return out.raw("range", range).raw("snippet", snippet_json(of)).done();
}

std::string validation_json(language::diagnostics const& all)
{
    json_array each;
    for (auto const& one : all) each.raw(diagnostic_json(one));
    return indented_json(json_object()
            .text("format_version", "1.0")
            .flag("valid", !all.has_errors())
            .raw("error_count", std::to_string(all.error_count()))
            .raw("warning_count", std::to_string(all.size() - all.error_count()))
            .raw("diagnostics", each.done())
            .done());
}

}  // namespace iacctl::ui
