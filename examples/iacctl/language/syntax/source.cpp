// SPDX-License-Identifier: BSL-1.0
#include "source.hpp"

#include "base/unicode.hpp"

#include <algorithm>
#include <iterator>

namespace iacctl::language {

namespace {

/// More levels than a file can have that is parsed without errors.
constexpr std::size_t deepest_json = 400;

/// The names and indices of the path to the object or array around a byte.
[[nodiscard]] auto json_path(std::string_view text, std::size_t at) -> std::string
{
    struct level {
        bool object = false;
        std::string_view name;  // of the current member
        bool named = false;
        std::size_t index = 0;
    };
    std::vector<level> open;
    std::size_t deeper = 0;  // the number of levels beyond the limit
    for (std::size_t i = 0; i < text.size() && i <= at; ++i) {
        switch (text[i]) {
        case '{':
        case '[':
            if (open.size() == deepest_json) ++deeper;
            else open.push_back({text[i] == '{', {}, false, 0});
            break;
        case '}':
        case ']':
            if (i == at) break;
            if (deeper > 0) --deeper;
            else if (!open.empty()) open.pop_back();
            break;
        case ',':
            if (open.empty() || deeper > 0) break;
            open.back().named = false;
            ++open.back().index;
            break;
        case '"': {
            auto const begin = ++i;
            while (i < text.size() && text[i] != '"' && text[i] != '\n') i += text[i] == '\\' ? 2U : 1U;
            if (open.empty() || deeper > 0 || !open.back().object || open.back().named) break;
            open.back().name = text.substr(begin, i - begin);
            open.back().named = true;
            break;
        }
        default: break;
        }
    }
    std::string path;
    for (std::size_t i = 0; i + 1 < open.size(); ++i) {
        if (!open[i].object) path += '[' + std::to_string(open[i].index) + ']';
        else path += (path.empty() ? "" : ".") + std::string(open[i].name);
    }
    return path;
}

}  // namespace

auto source_file::line_starts() const -> std::vector<std::uint32_t> const&
{
    std::call_once(lines_found_, [this] {
        line_starts_.push_back(0);
        for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
            line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
    });
    return line_starts_;
}

auto source_file::text(byte_range range) const noexcept -> std::string_view
{
    std::string_view const all = text_;
    if (range.begin > all.size()) return {};
    return all.substr(range.begin, range.end - range.begin);
}

auto source_file::line_of(std::uint32_t offset) const -> std::size_t
{
    auto const& starts = line_starts();
    return static_cast<std::size_t>(std::ranges::upper_bound(starts, offset) - starts.begin()) + first_line_ - 1;
}

auto source_file::position(std::uint32_t offset) const -> source_position
{
    auto const line = line_of(offset);
    auto const start = line_starts()[line - first_line_];
    return {line, grapheme_count(text({start, offset})) + 1};
}

auto source_file::line_range(std::size_t line) const -> byte_range
{
    auto const& starts = line_starts();
    auto const at = line - first_line_;
    auto const begin = starts[at];
    auto end = at + 1 < starts.size() ? starts[at + 1] - 1 : static_cast<std::uint32_t>(text_.size());
    if (end > begin && text_[end - 1] == '\r') --end;
    return {begin, end};
}

auto source_file::region_at(std::uint32_t offset) const -> std::string
{
    if (offset == 0) return {};
    // The start of a region is not inside it.
    auto const before = offset - 1;
    if (json_) return json_path(text_, before);
    auto const* const found = find_region(before);
    if (!found) return {};
    return found->other ? *found->other : std::string(text(found->header));
}

auto source_file::header_around(std::uint32_t offset) const -> byte_range
{
    auto const* const found = find_region(offset);
    return found ? found->header : byte_range{};
}

auto source_file::find_region(std::uint32_t offset) const -> source_file::region const*
{
    auto const next = std::ranges::upper_bound(regions_, offset, {}, [](region const& r) { return r.range.begin; });
    if (next == regions_.begin() || offset >= std::prev(next)->range.end) return nullptr;
    return &*std::prev(next);
}

auto source_range::text() const -> std::string
{
    if (!file) return {};
    auto const first = file->position(bytes.begin);
    auto const last = file->position(bytes.end);
    std::string out = file->name() + ":" + std::to_string(first.line) + "," + std::to_string(first.column) + "-";
    if (first.line != last.line) out += std::to_string(last.line) + ",";
    return out + std::to_string(last.column);
}

}  // namespace iacctl::language
