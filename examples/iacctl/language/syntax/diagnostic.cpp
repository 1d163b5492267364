// SPDX-License-Identifier: BSL-1.0
#include "diagnostic.hpp"
#include "base/formatted.hpp"
#include "base/unicode.hpp"
#include "base/url_secrets.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace iacctl::language {

namespace {

/// Marks a part of the line above: from a place on, at most `length` bytes, or one character. There is no mark if the
/// part is the whole line.
void append_mark(std::string& out, std::string_view line, std::size_t place, std::size_t length)
{
    if (place <= line.find_first_not_of(" \t") && length >= line.size() - place) return;
    auto const part = printable(line.substr(place, length));
    out += "    │ ";
    // A tab is copied, so that both lines have the same indentation.
    auto const before = printable(line.substr(0, place));
    for (auto const& one : graphemes(before)) out += one == "\t" ? "\t" : std::string(column_count(one), ' ');
    out.append(std::max<std::size_t>(column_count(part), 1), '^');
    out += '\n';
}

void append_source(std::string& out, source_excerpt const& at)
{
    out += formatted("  on {} line {}{}{}:\n", at.file, at.line, at.context.empty() ? "" : ", in ", at.context);
    bool const is_typed = at.file == "<stdin>" || at.file == "<console-input>";
    if (at.file.starts_with('<') && !is_typed) {
        // The text is a value, which may be secret.
        out += "  (source code not available)\n";
        return;
    }
    // Begins with the line of the subject.
    std::string_view const text = at.text;
    bool const has_subject = at.mark <= text.size();
    auto number = has_subject || at.first_line == 0 ? at.line : at.first_line;
    auto begin = has_subject ? text.rfind('\n', at.mark - std::min(at.mark, 1U)) + 1 : 0;
    for (; begin <= text.size(); ++number) {
        auto const end = std::min(text.find('\n', begin), text.size());
        auto const line = with_masked_url_secrets(text.substr(begin, end - begin));
        out += formatted("{:4}: {}\n", number, printable(line));
        // Marks only the beginning of the problem: several lines show its end by themselves.
        if (at.column > 0 && at.mark >= begin && at.mark <= end)
            append_mark(out, line, at.mark - begin, at.end.byte - std::min(at.byte, at.end.byte));
        begin = end + 1;
    }
    if (at.notes.empty()) return;
    out += "    ├────────────────\n";
    for (auto const& note : at.notes) out += "    │ " + note + '\n';
}

/// The detail, with the code after its last sentence, or on a line of its own below a list.
[[nodiscard]] auto with_code(diagnostic const& problem) -> std::string
{
    if (problem.code.empty()) return problem.detail;
    auto const code = formatted("[{}]", problem.code);
    if (problem.detail.empty()) return code;
    auto const last = problem.detail.rfind('\n');
    bool const ends_with_example =
        last != std::string::npos && (problem.detail[last + 1] == ' ' || problem.detail[last + 1] == '}');
    return problem.detail + (ends_with_example ? "\n\n" : " ") + code;
}

constexpr std::uint32_t most_shown = 4096;

/// The part of a long line around a place.
[[nodiscard]] auto around(source_file const& file, byte_range line, std::uint32_t place) -> byte_range
{
    static constexpr std::uint32_t before = 256;
    if (line.end - line.begin <= most_shown) return line;
    auto const whole_character = [&](std::uint32_t at) {
        while (at > line.begin && continues_character(file.text({at, at + 1})[0])) --at;
        return at;
    };
    if (place > line.begin + before && place < line.end) line.begin = whole_character(place - before);
    if (line.end - line.begin > most_shown) line.end = whole_character(line.begin + most_shown);
    return line;
}

/// Sets the lines of a range to show, and where they begin.
void set_lines(source_excerpt& to, source_file const& file, byte_range shown, std::uint32_t place)
{
    shown.end = std::max(shown.end, shown.begin + 1);
    auto const within = [](byte_range range, std::uint32_t offset) {
        return range.begin <= offset && offset < range.end;
    };
    to.mark = std::numeric_limits<std::uint32_t>::max();
    to.first_line = static_cast<std::uint32_t>(file.line_of(place));
    auto const last = std::min(file.line_of(shown.end), file.last_line());
    for (auto line = file.line_of(shown.begin); line <= last && to.text.size() < most_shown; ++line) {
        auto const range = around(file, file.line_range(line), place);
        bool const touched = within(range, shown.begin) || within(range, shown.end) || within(shown, range.begin)
            || within(shown, range.end);
        if (range.begin == range.end || !touched) continue;
        if (to.text.empty()) to.first_line = static_cast<std::uint32_t>(line);
        else to.text += '\n';
        if (place >= range.begin && place <= range.end)
            to.mark = static_cast<std::uint32_t>(to.text.size()) + (place - range.begin);
        to.text += file.text(range);
    }
}

}  // namespace

auto excerpt_of(source_range subject, source_range context) -> source_excerpt
{
    source_excerpt made;
    if (!subject) return made;
    auto const& file = *subject.file;
    auto const bytes = subject.bytes;
    auto const begin = file.position(bytes.begin);
    made.file = file.name();
    made.line = static_cast<std::uint32_t>(begin.line);
    made.column = static_cast<std::uint32_t>(begin.column);
    made.byte = bytes.begin;
    auto const end = bytes.end > bytes.begin ? file.position(bytes.end) : begin;
    made.end = {
        static_cast<std::uint32_t>(end.line), static_cast<std::uint32_t>(end.column), std::max(bytes.begin, bytes.end)};
    made.context = file.region_at(bytes.begin);
    auto shown = bytes;
    if (context.file == &file)
        shown = {std::min(shown.begin, context.bytes.begin), std::max(shown.end, context.bytes.end)};
    set_lines(made, file, shown, bytes.begin);
    return made;
}

auto place_text(source_excerpt const& place) -> std::string
{
    if (!place) return {};
    auto const until = place.end.line == place.line ? std::to_string(place.end.column)
                                                    : formatted("{},{}", place.end.line, place.end.column);
    return formatted("{}:{},{}-{}", place.file, place.line, place.column, until);
}

auto make_diagnostic(severity level, messages::message_text const& text, std::span<std::string_view const> arguments,
    source_range subject, source_range context) -> diagnostic
{
    auto made = messages::report(level, text, arguments, {});
    made.source = excerpt_of(subject, context);
    return made;
}

void sort_by_place(diagnostics& found)
{
    found.sort([](diagnostic const& a, diagnostic const& b) {
        auto const key = [](diagnostic const& d) {
            std::string_view const name = d.source.file;
            return std::tuple(d.level == severity::error, !name.empty(), std::ranges::count(name, '/'), name,
                d.source.byte, d.source.end.byte);
        };
        return key(a) < key(b);
    });
}

auto wrapped(std::string_view text, std::size_t width) -> std::string
{
    // Words and the spaces before them; spaces at a break are dropped.
    std::string out;
    std::size_t column = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        auto const word = std::min(text.find_first_not_of(' ', at), text.size());
        auto const end = std::min(text.find(' ', word), text.size());
        auto const spaces = word - at;
        auto const length = code_point_count(text.substr(word, end - word));
        if (column > 0 && length > 0 && column + spaces + length > width) {
            out += '\n';
            column = 0;
        } else {
            out.append(spaces, ' ');
            column += spaces;
        }
        out += text.substr(word, end - word);
        column += length;
        at = end;
    }
    return out;
}

auto render(diagnostic const& problem, std::size_t width) -> std::string
{
    std::string out = problem.level == severity::error ? "\nError: " : "\nWarning: ";
    out += problem.summary + "\n\n";
    if (!problem.address.empty()) out += "  with " + problem.address + (problem.source ? ",\n" : "\n");
    if (problem.source) {
        append_source(out, problem.source);
        out += '\n';
    } else if (!problem.address.empty()) {
        out += '\n';
    }
    auto const reported = with_code(problem);
    if (reported.empty()) return out;
    for (std::size_t at = 0; at <= reported.size();) {
        auto const end = std::min(reported.find('\n', at), reported.size());
        auto const line = std::string_view(reported).substr(at, end - at);
        out += width > 1 && !line.starts_with(' ') ? wrapped(line, width - 1) : std::string(line);
        out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace iacctl::language
