// SPDX-License-Identifier: BSL-1.0
#include "shown_text.hpp"

#include "characters.hpp"
#include "formatted.hpp"
#include "unicode.hpp"

#include <algorithm>
#include <cstddef>

namespace iacctl {

namespace {

auto is_shown(char32_t code) -> bool
{
    if (code == U'\n' || code == U'\t') return true;
    bool const is_control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
    bool const sets_direction = code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E)
        || (code >= 0x2066 && code <= 0x2069);
    return !is_control && !sets_direction;
}

// The length of a sequence at the front that only sets colours and styles: ESC [ NUMBERS m; otherwise 0.
auto style_length(std::string_view text) -> std::size_t
{
    if (!text.starts_with("\x1b[")) return 0;
    auto const end = text.find_first_not_of("0123456789;:", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

auto shown_text(std::string_view text) -> std::string
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const [code, length] = code_point(text);
        auto const written = text.substr(0, length);
        bool const ends_line = text.starts_with("\r\n");
        text.remove_prefix(length);
        bool const is_byte = length == 1 && code > 0x7F;
        if (is_byte) out += formatted("\\x{:02x}", static_cast<unsigned char>(written.front()));
        else if (is_shown(code) || ends_line) out += written;
        else if (code == U'\r') out += "\\r";
        else if (code < 0x80) out += formatted("\\x{:02x}", static_cast<unsigned>(code));
        else out += formatted("\\u{:04x}", static_cast<unsigned>(code));
    }
    return out;
}

auto shown_heredoc_line(std::string_view line) -> std::string
{
    auto made = shown_text(std::string(line) + '\n');
    made.pop_back();
    return made;
}

auto shown_output_line(std::string_view line, bool colour) -> std::string
{
    std::string out;
    bool styled = false;
    while (!line.empty()) {
        auto const length = style_length(line);
        if (length == 0) {
            auto const next = std::min(line.find('\x1b', 1), line.size());
            out += shown_text(line.substr(0, next));
            line.remove_prefix(next);
            continue;
        }
        if (colour) out += line.substr(0, length);
        styled = colour;
        line.remove_prefix(length);
    }
    return styled ? out + "\x1b[0m" : out;
}

}  // namespace iacctl
