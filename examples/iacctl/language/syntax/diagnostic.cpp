// SPDX-License-Identifier: BSL-1.0
#include "diagnostic.hpp"
#include "messages/syntax.hpp"
#include "support/formatted.hpp"
#include "support/sort_stably.hpp"
#include "support/unicode.hpp"
#include "support/url_secrets.hpp"

#include <algorithm>
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

void append_source(std::string& out, diagnostic const& of)
{
    auto const& file = *of.subject.file;
    auto const subject = of.subject.bytes;
    auto const region = file.region_at(subject.begin);
    out += formatted(
        "  on {} line {}{}{}:\n", file.name(), file.line_of(subject.begin), region.empty() ? "" : ", in ", region);
    if (file.name().starts_with('<') && file.name() != "<stdin>") {
        // The text has another origin, such as an option: there is no file to show.
        out += "  (source code not available)\n";
        return;
    }
    auto const shown = lines_of(of.subject, of.context);
    auto number = shown.first_line;
    for (std::size_t at = 0; at <= shown.text.size(); ++number) {
        auto const end = std::min(shown.text.find('\n', at), shown.text.size());
        auto const line = with_masked_url_secrets(std::string_view(shown.text).substr(at, end - at));
        out += formatted("{:4}: {}\n", number, printable(line));
        // Marks only the beginning of the problem: several lines show its end by themselves.
        if (shown.subject >= at && shown.subject <= end)
            append_mark(out, line, shown.subject - at, subject.end - std::min(subject.begin, subject.end));
        at = end + 1;
    }
    if (of.notes.empty()) return;
    out += "    ├────────────────\n";
    for (auto const& note : of.notes) out += "    │ " + note + '\n';
}

/// The detail, with the code after its last sentence, or on a line of its own below a list.
[[nodiscard]] std::string with_code(diagnostic const& of)
{
    if (of.code.empty()) return of.detail;
    auto const code = formatted("[{}]", of.code);
    if (of.detail.empty()) return code;
    auto const last = of.detail.rfind('\n');
    bool const indented = last != std::string::npos && of.detail[last + 1] == ' ';
    return of.detail + (indented ? "\n\n" : " ") + code;
}

/// The part of a long line around a place.
[[nodiscard]] byte_range around(source_file const& file, byte_range line, std::uint32_t place)
{
    static constexpr std::uint32_t before = 256;
    if (line.end - line.begin <= shown_lines::most_shown) return line;
    auto const whole_character = [&](std::uint32_t at) {
        while (at > line.begin && continues_character(file.text({at, at + 1})[0])) --at;
        return at;
    };
    if (place > line.begin + before && place < line.end) line.begin = whole_character(place - before);
    if (line.end - line.begin > shown_lines::most_shown)
        line.end = whole_character(line.begin + shown_lines::most_shown);
    return line;
}

}  // namespace

diagnostic make_diagnostic(severity level, messages::message_text const& of, std::span<std::string_view const> with,
    source_range subject, source_range context)
{
    return {level, messages::filled(of.summary, with), messages::filled(of.detail, with), subject, context, {}, {},
        of.code};
}

void diagnostics::add(diagnostic found)
{
    bool const is_error = found.level == severity::error;
    auto const count = is_error ? ++errors_ : ++warnings_;
    if (count <= most_kept) all_.push_back(std::move(found));
    else if (is_error && count == most_kept + 1)
        all_.push_back(error(messages::too_many_errors, {std::to_string(most_kept)}));
}

void diagnostics::add(diagnostics const& more)
{
    for (auto const& found : more) add(found);
}

void diagnostics::sort()
{
    sort_stably(all_, [](diagnostic const& a, diagnostic const& b) {
        auto const key = [](diagnostic const& d) {
            auto const name = d.subject.file ? std::string_view(d.subject.file->name()) : std::string_view();
            return std::tuple(d.level == severity::error, d.subject.file != nullptr, std::ranges::count(name, '/'),
                name, d.subject.bytes.begin, d.subject.bytes.end);
        };
        return key(a) < key(b);
    });
}

std::string wrapped(std::string_view text, std::size_t width)
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

shown_lines lines_of(source_range const& subject, source_range const& context)
{
    auto const& file = *subject.file;
    auto shown = subject.bytes;
    if (context.file == &file) {
        shown.begin = std::min(shown.begin, context.bytes.begin);
        shown.end = std::max(shown.end, context.bytes.end);
    }
    shown.end = std::max(shown.end, shown.begin + 1);
    auto const within = [](byte_range range, std::uint32_t offset) {
        return range.begin <= offset && offset < range.end;
    };
    shown_lines made{file.line_of(subject.bytes.begin), shown.begin, {}};
    auto const last = std::min(file.line_of(shown.end), file.last_line());
    for (auto line = file.line_of(shown.begin); line <= last && made.text.size() < shown_lines::most_shown; ++line) {
        auto const range = around(file, file.line_range(line), subject.bytes.begin);
        bool const touched = within(range, shown.begin) || within(range, shown.end) || within(shown, range.begin)
            || within(shown, range.end);
        if (range.begin == range.end || !touched) continue;
        if (made.text.empty()) made = {line, range.begin, {}};
        else made.text += '\n';
        if (subject.bytes.begin >= range.begin && subject.bytes.begin <= range.end)
            made.subject = made.text.size() + (subject.bytes.begin - range.begin);
        made.text += file.text(range);
    }
    return made;
}

std::string render(diagnostic const& of, std::size_t width)
{
    std::string out = of.level == severity::error ? "\nError: " : "\nWarning: ";
    out += of.summary + "\n\n";
    if (!of.address.empty()) out += "  with " + of.address + (of.subject ? ",\n" : "\n");
    if (of.subject) {
        append_source(out, of);
        out += '\n';
    } else if (!of.address.empty()) {
        out += '\n';
    }
    auto const reported = with_code(of);
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
