// SPDX-License-Identifier: BSL-1.0
#include "diagnostics.hpp"

#include "messages/catalogue.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::program {

auto excerpt(language::source_range const& of, std::vector<std::string> notes, language::source_range const& around)
    -> strider::infra::source_excerpt
{
    strider::infra::source_excerpt e;
    if (!of) return e;
    // The text starts at the subject of the diagnostic, and continues to the end of `around`.
    auto behind_subject = around;
    behind_subject.bytes.begin = of.bytes.begin;
    auto const at = of.file->position(of.bytes.begin);
    e.file = of.file->name();
    e.line = static_cast<std::uint32_t>(at.line);
    e.column = static_cast<std::uint32_t>(at.column);
    e.context = of.file->region_at(of.bytes.begin);
    e.text = language::lines_of(of, behind_subject).text;
    e.notes = std::move(notes);
    e.byte = of.bytes.begin;
    // An empty range is shown as one character.
    bool const empty = of.bytes.end <= of.bytes.begin;
    auto const behind = empty ? at : of.file->position(of.bytes.end);
    e.end = {static_cast<std::uint32_t>(behind.line), static_cast<std::uint32_t>(behind.column) + (empty ? 1U : 0U),
        std::max(of.bytes.end, of.bytes.begin + 1)};
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
        converted.source = excerpt(d.subject, d.notes, d.context);
        converted.level =
            d.level == language::severity::error ? strider::infra::severity::error : strider::infra::severity::warning;
        converted.code = d.code;
        all.push_back(std::move(converted));
    }
    return all;
}

auto convert(strider::infra::diagnostics const& of) -> language::diagnostics
{
    language::diagnostics all;
    for (strider::infra::diagnostic const& d : of) {
        language::diagnostic converted;
        converted.summary = d.summary;
        converted.detail = d.detail;
        converted.address = d.address;
        converted.level =
            d.level == strider::infra::severity::error ? language::severity::error : language::severity::warning;
        if (auto const* const message = messages::find_message(d.code)) converted.code = message->code;
        all.add(std::move(converted));
    }
    return all;
}

}  // namespace iacctl::program
