// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include "text.hpp"

#include <algorithm>
#include <iterator>

namespace iacctl::language {

std::vector<std::uint32_t> const& source_file::line_starts() const
{
    std::call_once(lines_found_, [this] {
        line_starts_.push_back(0);
        for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
            line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
    });
    return line_starts_;
}

std::string_view source_file::text(byte_range range) const noexcept
{
    std::string_view const all = text_;
    if (range.begin > all.size()) return {};
    return all.substr(range.begin, range.end - range.begin);
}

std::size_t source_file::line_of(std::uint32_t offset) const
{
    auto const& starts = line_starts();
    return static_cast<std::size_t>(std::ranges::upper_bound(starts, offset) - starts.begin());
}

source_position source_file::position(std::uint32_t offset) const
{
    auto const line = line_of(offset);
    auto const start = line_starts()[line - 1];
    return {line, grapheme_count(text({start, offset})) + 1};
}

byte_range source_file::line_range(std::size_t line) const
{
    auto const& starts = line_starts();
    auto const begin = starts[line - 1];
    auto end = line < starts.size() ? starts[line] - 1 : static_cast<std::uint32_t>(text_.size());
    if (end > begin && text_[end - 1] == '\r') --end;
    return {begin, end};
}

std::string_view source_file::region_at(std::uint32_t offset) const noexcept
{
    if (offset == 0) return {};
    // A message about the very start of a region is not yet inside of it.
    auto const before = offset - 1;
    auto const next = std::ranges::upper_bound(regions_, before, {}, [](region const& r) { return r.range.begin; });
    if (next == regions_.begin()) return {};
    auto const& found = *std::prev(next);
    if (before >= found.range.end) return {};
    return found.other ? std::string_view(*found.other) : text(found.header);
}

std::string source_range::text() const
{
    if (!file) return {};
    auto const first = file->position(bytes.begin);
    auto const last = file->position(bytes.end);
    std::string out = file->name() + ":" + std::to_string(first.line) + "," + std::to_string(first.column) + "-";
    if (first.line != last.line) out += std::to_string(last.line) + ",";
    return out + std::to_string(last.column);
}

}  // namespace iacctl::language
