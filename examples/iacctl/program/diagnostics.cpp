// SPDX-License-Identifier: BSL-1.0
#include "diagnostics.hpp"

#include <utility>

namespace iacctl::program {

auto excerpt(language::source_range const& of, std::vector<std::string> notes) -> strider::infra::source_excerpt
{
    strider::infra::source_excerpt e;
    if (!of) return e;
    auto const from = of.file->position(of.bytes.begin);
    e.file = of.file->name();
    e.line = static_cast<std::uint32_t>(from.line);
    e.column = static_cast<std::uint32_t>(from.column);
    e.context = of.file->region_at(of.bytes.begin);
    std::uint32_t const end = of.bytes.end > of.bytes.begin ? of.bytes.end - 1 : of.bytes.begin;
    std::size_t const last = of.file->line_of(end);
    for (std::size_t line = from.line; line <= last; ++line) {
        if (line != from.line) e.text += '\n';
        e.text += of.file->text(of.file->line_range(line));
    }
    e.notes = std::move(notes);
    return e;
}

auto convert(language::diagnostics const& of, std::string const& address) -> strider::infra::diagnostics
{
    strider::infra::diagnostics all;
    for (language::diagnostic const& d : of) {
        strider::infra::diagnostic converted;
        converted.summary = d.summary;
        converted.detail = d.detail;
        converted.address = d.address.empty() ? address : d.address;
        converted.source = excerpt(d.context ? d.context : d.subject, d.notes);
        if (d.subject) {
            auto const at = d.subject.file->position(d.subject.bytes.begin);
            converted.source.line = static_cast<std::uint32_t>(at.line);
            converted.source.column = static_cast<std::uint32_t>(at.column);
        }
        converted.level =
            d.level == language::severity::error ? strider::infra::severity::error : strider::infra::severity::warning;
        all.push_back(std::move(converted));
    }
    return all;
}

}  // namespace iacctl::program
