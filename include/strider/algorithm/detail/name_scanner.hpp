// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DETAIL_NAME_SCANNER_HPP
#define STRIDER_ALGORITHM_DETAIL_NAME_SCANNER_HPP

#include <strider/core/error.hpp>
#include <strider/core/result.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace strider::detail {

[[nodiscard]] inline auto is_control(char c) noexcept -> bool
{
    auto const byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}
// True if a name without quotes may contain the character.
[[nodiscard]] inline auto is_bare(char c) noexcept -> bool
{
    return c != ' ' && c != ':' && c != '"' && !is_control(c);
}

[[nodiscard]] inline auto escaped(char c) -> std::string
{
    constexpr std::string_view digits = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') return {'\\', c};
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    if (is_control(c)) return {'\\', 'x', digits[byte / 16U], digits[byte % 16U]};
    return {c};
}

// The name in quotes for a message, of a long name the first part.
[[nodiscard]] inline auto shown_name(std::string_view name) -> std::string
{
    std::size_t size = std::min<std::size_t>(name.size(), 80);
    while (size < name.size() && size > 0 && (static_cast<unsigned char>(name[size]) & 0xc0U) == 0x80) --size;  // UTF-8
    std::string shown = "\"";
    for (char const c : name.substr(0, size)) shown += escaped(c);
    return shown += size < name.size() ? "…\"" : "\"";
}

// A place in a text; both numbers begin at 1, and columns count bytes.
struct text_place {
    std::size_t line = 1;
    std::size_t column = 1;
};

[[nodiscard, gnu::cold]] inline auto error_at(text_place place, graph_errc code, std::string const& problem)
    -> graph_error
{
    return graph_error(
        code, "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + problem);
}

struct scanned_name {
    std::string text;
    text_place place;
};

// Reads names and colons, line by line.
class name_scanner {
public:
    explicit name_scanner(std::string_view text) : text_(text) { skip_blanks(); }

    [[nodiscard]] auto is_at_end() const noexcept -> bool { return at_ == text_.size(); }
    // True if nothing but a comment is left of the line.
    [[nodiscard]] auto is_at_end_of_line() const noexcept -> bool { return is_at_end() || text_[at_] == '\n'; }
    // Continues with the next line. \pre is_at_end_of_line()
    void next_line()
    {
        if (is_at_end()) return;
        line_begin_ = ++at_;
        ++line_;
        skip_blanks();
    }
    [[nodiscard]] auto skip_colon() -> bool
    {
        if (is_at_end() || text_[at_] != ':') return false;
        ++at_;
        skip_blanks();
        return true;
    }
    // Reads a name. \param expected  describes the name in the error
    [[nodiscard]] auto name(std::string_view expected) -> result<scanned_name>
    {
        scanned_name read{{}, place()};
        if (text_[at_] == '"') {
            if (auto const closed = read_quoted(read.text); !closed) return closed.error();
        } else {
            auto const* const first = text_.data() + at_;
            auto const* const last = std::find_if_not(first, text_.data() + text_.size(), is_bare);
            read.text.assign(first, last);
            if (read.text.empty()) return unexpected(expected);
            at_ += read.text.size();
        }
        if (!is_at_end() && (text_[at_] == '"' || is_bare(text_[at_])))
            return unexpected("a blank, a colon or the end of the line");
        skip_blanks();
        return read;
    }

    // The error that something else was expected at the current place.
    [[nodiscard, gnu::cold]] auto unexpected(std::string_view expected) const -> graph_error
    {
        std::string problem = "expected ";
        problem.append(expected).append(", found ");
        if (is_at_end()) problem += "the end of the text";
        else if (text_[at_] == '\n') problem += "the end of the line";
        else if (static_cast<unsigned char>(text_[at_]) > 0x7f) problem += "a character of more than one byte";
        else problem += shown_name(text_.substr(at_, 1));
        return error_at(place(), graph_errc::invalid_value, problem);
    }

private:
    [[nodiscard]] auto place() const noexcept -> text_place { return {line_, at_ - line_begin_ + 1}; }

    // Also skips a comment. A carriage return is a blank, so lines may end as on Windows.
    void skip_blanks()
    {
        at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
        if (!is_at_end() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    }

    [[nodiscard]] auto read_quoted(std::string& name) -> result<void>
    {
        for (++at_; !is_at_end() && !is_control(text_[at_]); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                return {};
            }
            if (text_[at_] != '\\') name += text_[at_];
            else if (!read_escape(name)) return unexpected(R"(one of \" \\ \n \t and \xHH)");
        }
        return unexpected("a closing quote");
    }
    // Leaves the position at the last character of the escape; in an error at the backslash.
    [[nodiscard]] auto read_escape(std::string& name) -> bool
    {
        constexpr std::string_view letters = "\"\\nt", meanings = "\"\\\n\t";
        std::string_view const rest = text_.substr(at_ + 1);
        if (rest.empty()) return false;
        if (auto const which = letters.find(rest.front()); which != std::string_view::npos) {
            name += meanings[which];
            ++at_;
            return true;
        }
        unsigned byte = 0;
        if (rest.size() < 3 || rest.front() != 'x') return false;
        auto const [end, error] = std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16);
        if (error != std::errc() || end != rest.data() + 3) return false;
        name += static_cast<char>(byte);
        at_ += 3;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
};

}  // namespace strider::detail

#endif  // STRIDER_ALGORITHM_DETAIL_NAME_SCANNER_HPP
