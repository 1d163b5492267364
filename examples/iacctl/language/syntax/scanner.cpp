// SPDX-License-Identifier: BSL-1.0
#include "scanner.hpp"

#include "base/characters.hpp"
#include "base/formatted.hpp"
#include "base/trimmed.hpp"
#include "base/unicode.hpp"
#include "messages/syntax.hpp"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

[[nodiscard]] constexpr auto begins_identifier(char c) noexcept -> bool
{
    return is_letter(c) || c == '_';
}

[[nodiscard]] constexpr auto continues_identifier(char c) noexcept -> bool
{
    return begins_identifier(c) || is_digit(c) || c == '-';
}

/// A character in the literal part of a template that neither ends it nor begins an escape.
[[nodiscard]] constexpr auto is_ordinary(char c) noexcept -> bool
{
    return static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\' && c != '$' && c != '%' && c != '\n'
        && c != '\r';
}

struct code_point {
    UChar32 code = -1;  // negative if the bytes are not UTF-8
    std::size_t length = 1;
};

[[nodiscard]] auto decode(std::string_view text) noexcept -> code_point
{
    UChar32 code = 0;
    std::int32_t at = 0;
    auto const length = static_cast<std::int32_t>(text.size() < 4 ? text.size() : 4);
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    U8_NEXT(bytes, at, length, code);
    return {code, code < 0 ? 1 : static_cast<std::size_t>(at)};
}

}  // namespace

class scanner::implementation {
public:
    implementation(source_file const& file, excerpt e, text_form form, diagnostics& found)
        : file_(file),
          text_(e.text),
          offset_(e.offset),
          found_(found),
          comments_(form == text_form::code_with_comments)
    {
        // A whole template is scanned as a heredoc with an end marker that cannot occur.
        bool const whole = form == text_form::whole_template;
        modes_.push_back({whole ? mode_kind::heredoc : mode_kind::code, 0, whole ? "\n" : "", false});
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    }

    [[nodiscard]] auto read(std::span<token> into) -> std::size_t
    {
        next_ = into.data();
        last_ = into.data() + into.size();
        while (at_ < text_.size() && has_room()) {
            switch (modes_.back().kind) {
            case mode_kind::code: scan_code(); break;
            case mode_kind::quoted: scan_quoted(); break;
            case mode_kind::heredoc: scan_heredoc(); break;
            }
        }
        if (at_ == text_.size() && has_room() && !std::exchange(ended_, true)) put(token_kind::end_of_file, 0);
        return static_cast<std::size_t>(next_ - into.data());
    }

private:
    enum class mode_kind : std::uint8_t { code, quoted, heredoc };
    struct mode {
        mode_kind kind;
        std::size_t braces;
        std::string_view marker;
        bool start_of_line;
    };

    [[nodiscard]] auto peek(std::size_t ahead = 0) const noexcept -> char
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] auto starts(std::string_view addition) const noexcept -> bool
    {
        return text_.substr(at_).starts_with(addition);
    }

    /// The range of the next bytes in the file.
    [[nodiscard]] auto here(std::size_t length) const noexcept -> byte_range
    {
        auto const begin = offset_ + static_cast<std::uint32_t>(at_);
        return {begin, begin + static_cast<std::uint32_t>(length)};
    }

    /// Returns whether there is room for all tokens of one step; a string has the most.
    [[nodiscard]] auto has_room() const noexcept -> bool { return last_ - next_ >= 3; }

    void put(token_kind kind, std::size_t length)
    {
        *next_++ = {kind, false, here(length)};
        at_ += length;
    }

    [[gnu::cold]] void put_invalid(std::size_t length, messages::message<0> const& m)
    {
        if (worth_reporting(text_[at_])) found_.add(error(m, {&file_, here(length)}));
        put(token_kind::invalid, length);
    }

    [[gnu::cold]] void put_unknown(code_point const& point)
    {
        if (worth_reporting(text_[at_])) {
            auto const shown = is_printable(static_cast<char32_t>(point.code))
                ? formatted("\"{}\"", text_.substr(at_, point.length))
                : formatted("U+{:04X}", point.code);
            found_.add(error(messages::unknown_character, {shown}, {&file_, here(point.length)}));
        }
        put(token_kind::invalid, point.length);
    }

    /// Returns false for repetitions of the same error; in a pair of quotes, only the first is reported.
    [[nodiscard]] auto worth_reporting(char c) -> bool
    {
        auto& seen = seen_[static_cast<unsigned char>(c)];
        ++seen;
        switch (c) {
        case '`':
        case '\'': return seen == 1 || seen == 3;
        case ';': return seen == 1;
        case '&':
        case '|':
        case '^':
        case '~': return seen <= 4;
        default: return seen <= 20;
        }
    }

    void scan_code()
    {
        char const c = text_[at_];
        if (begins_identifier(c)) return put(token_kind::identifier, identifier_length(text_.substr(at_)));
        if (is_digit(c)) return scan_number();
        switch (c) {
        case ' ':
        case '\t':
            do ++at_;
            while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'));
            return;
        case '\n': return put(token_kind::newline, 1);
        case '\r':
            if (peek(1) == '\n') return put(token_kind::newline, 2);
            return put_invalid(1, messages::lone_carriage_return);
        case '#': return skip_line();
        case '/':
            if (peek(1) == '/') return skip_line();
            if (peek(1) == '*') {
                auto const end = text_.find("*/", at_ + 2);
                if (end != std::string_view::npos) return skip(end + 2 - at_);
            }
            return put(token_kind::slash, 1);
        case '"':
            put(token_kind::open_quote, 1);
            modes_.push_back({mode_kind::quoted, 0, {}, false});
            return;
        case '{': ++modes_.back().braces; return put(token_kind::open_brace, 1);
        case '}': return scan_close_brace(1);
        case '~':
            if (peek(1) == '}' && modes_.size() > 1 && modes_.back().braces == 0) return scan_close_brace(2);
            break;
        case '<':
            if (peek(1) == '<' && scan_open_heredoc()) return;
            break;
        default: break;
        }
        scan_operator(c);
    }

    void skip_line()
    {
        auto const end = text_.find('\n', at_);
        if (end == std::string_view::npos) return skip(text_.size() - at_);
        skip(end + (comments_ ? 1 : 0) - at_);
    }

    void skip(std::size_t length)
    {
        if (comments_) put(token_kind::comment, length);
        else at_ += length;
    }

    /// Points and exponents may occur more than once; then the whole text is reported as an invalid number.
    void scan_number()
    {
        std::size_t length = 1;
        for (std::size_t next = 1;;) {
            char const c = peek(next);
            std::size_t const sign = peek(next + 1) == '+' || peek(next + 1) == '-' ? 1 : 0;
            if (is_digit(c)) length = ++next;
            else if ((c == 'e' || c == 'E') && is_digit(peek(next + 1 + sign))) length = next += 2 + sign;
            else if (c == '.') ++next;
            else break;
        }
        put(token_kind::number_literal, length);
    }

    void scan_close_brace(std::size_t length)
    {
        if (modes_.back().braces > 0) {
            --modes_.back().braces;
            return put(token_kind::close_brace, length);
        }
        if (modes_.size() == 1) return put(token_kind::close_brace, length);
        modes_.pop_back();
        put(token_kind::close_sequence, length);
    }

    [[nodiscard]] auto scan_open_heredoc() -> bool
    {
        std::size_t const flush = peek(2) == '-' ? 1 : 0;
        auto const marker_at = at_ + 2 + flush;
        auto const marker_length = identifier_length(text_.substr(marker_at));
        if (marker_length == 0) return false;
        auto after = marker_at + marker_length;
        if (after < text_.size() && text_[after] == '\r') ++after;
        if (after >= text_.size() || text_[after] != '\n') return false;
        put(token_kind::open_heredoc, after + 1 - at_);
        modes_.push_back({mode_kind::heredoc, 0, text_.substr(marker_at, marker_length), true});
        return true;
    }

    void scan_operator(char c)
    {
        using kind = token_kind;
        char const next = peek(1);
        auto const either = [&](char second, kind both, kind alone) {
            put(next == second ? both : alone, next == second ? 2 : 1);
        };
        switch (c) {
        case '=':
            if (next == '>') return put(kind::fat_arrow, 2);
            return either('=', kind::equal_equal, kind::equals);
        case '!': return either('=', kind::not_equal, kind::bang);
        case '<': return either('=', kind::less_equal, kind::less);
        case '>': return either('=', kind::greater_equal, kind::greater);
        case ':': return either(':', kind::double_colon, kind::colon);
        case '.':
            if (next == '.' && peek(2) == '.') return put(kind::ellipsis, 3);
            return put(kind::dot, 1);
        case '&':
            if (next == '&') return put(kind::logical_and, 2);
            break;
        case '|':
            if (next == '|') return put(kind::logical_or, 2);
            break;
        case ',': return put(kind::comma, 1);
        case '[': return put(kind::open_bracket, 1);
        case ']': return put(kind::close_bracket, 1);
        case '(': return put(kind::open_parenthesis, 1);
        case ')': return put(kind::close_parenthesis, 1);
        case '?': return put(kind::question, 1);
        case '+': return put(kind::plus, 1);
        case '-': return put(kind::minus, 1);
        case '*': return put(kind::star, 1);
        case '/': return put(kind::slash, 1);
        case '%': return put(kind::percent, 1);
        default: break;
        }
        scan_unknown(c);
    }

    [[gnu::cold]] void scan_unknown(char c)
    {
        switch (c) {
        case '&': return put_invalid(1, messages::bitwise_and);
        case '|': return put_invalid(1, messages::bitwise_or);
        case '~': return put_invalid(1, messages::bitwise_not);
        case '^': return put_invalid(1, messages::bitwise_xor);
        case '`': return put_invalid(1, messages::backquote);
        case '\'': return put_invalid(1, messages::single_quote);
        case ';': return put_invalid(1, messages::semicolon);
        default: break;
        }
        auto const [code, length] = decode(text_.substr(at_));
        if (code < 0) return put_bad_encoding();
        if (u_hasBinaryProperty(code, UCHAR_ID_START))
            return put(token_kind::identifier, identifier_length(text_.substr(at_)));
        if (code == 0x201C || code == 0x201D) return put_invalid(length, messages::curly_quote);
        put_unknown({code, length});
    }

    void put_bad_encoding()
    {
        if (has_reported_encoding_) return put(token_kind::invalid, 1);
        has_reported_encoding_ = true;
        put_invalid(1, messages::source_not_utf8);
    }

    /// The length of the literal part of a template from here: up to a sequence, an end of line, or the closing quote.
    [[nodiscard]] auto literal_length(bool quoted) -> std::size_t
    {
        std::size_t length = 0;
        plain_ = true;
        for (;; plain_ = false) {
            while (at_ + length < text_.size() && is_ordinary(text_[at_ + length])) ++length;
            if (at_ + length == text_.size()) break;
            char const c = text_[at_ + length];
            if (c == '\n' || c == '\r' || (c == '"' && quoted)) break;
            if (c == '\\' && quoted) {
                // A multi-byte character is scanned in the next step; it is not a quote.
                auto const escaped = static_cast<unsigned char>(peek(length + 1));
                bool const whole = at_ + length + 1 < text_.size() && escaped != '\n' && escaped < 0x80;
                length += whole ? std::size_t{2} : std::size_t{1};
            } else if ((c == '$' || c == '%') && peek(length + 1) == c && peek(length + 2) == '{') {
                length += 3;
            } else if ((c == '$' || c == '%') && peek(length + 1) == '{') {
                break;
            } else if (static_cast<unsigned char>(c) >= 0x80) {
                auto const [code, bytes] = decode(text_.substr(at_ + length));
                if (code < 0) break;
                length += bytes;
            } else {
                ++length;
            }
        }
        return length;
    }

    /// Adds a token for the literal part that was measured last. \param length  may include the end of its line
    void put_text(token_kind kind, std::size_t length)
    {
        put(kind, length);
        next_[-1].plain = plain_;
    }

    /// Starts `${` or `%{` if there is one here.
    [[nodiscard]] auto scan_open_sequence() -> bool
    {
        char const c = text_[at_];
        if ((c != '$' && c != '%') || peek(1) != '{') return false;
        modes_.back().start_of_line = false;
        put(c == '$' ? token_kind::open_interpolation : token_kind::open_control, peek(2) == '~' ? 3 : 2);
        modes_.push_back({mode_kind::code, 0, {}, false});
        return true;
    }

    /// Returns whether the next line has an odd number of quotes, as the line at which a text over several lines ends.
    [[nodiscard]] auto ends_on_next_line(std::size_t newline) const -> bool
    {
        auto const begin = at_ + newline;
        auto const line = text_.substr(begin, text_.find('\n', begin) - begin);
        bool is_odd = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '\\') ++i;
            else if (line[i] == '"') is_odd = !is_odd;
        }
        return is_odd;
    }

    void scan_quoted()
    {
        if (auto const length = literal_length(true); length > 0) return put_text(token_kind::quoted_text, length);
        if (text_[at_] == '"') {
            modes_.pop_back();
            return put(token_kind::close_quote, 1);
        }
        if (scan_open_sequence()) return;
        if (text_[at_] == '\n' || text_[at_] == '\r') {
            std::size_t const length = starts("\r\n") ? 2 : 1;
            found_.add(error(messages::newline_in_string, {&file_, here(length)}));
            if (ends_on_next_line(length)) return put(token_kind::quoted_newline, length);
            // Only the closing quote is missing: the next line is code.
            modes_.pop_back();
            return put(token_kind::close_quote, 0);
        }
        put_bad_encoding();
    }

    void scan_heredoc()
    {
        auto& here = modes_.back();
        if (here.start_of_line) {
            auto const newline = text_.find('\n', at_);
            if (newline != std::string_view::npos
                && trimmed(text_.substr(at_, newline - at_), white_space) == here.marker) {
                auto length = newline - at_;
                if (length > 0 && text_[newline - 1] == '\r') --length;
                modes_.pop_back();
                return put(token_kind::close_heredoc, length);
            }
        }
        auto const length = literal_length(false);
        std::size_t const newline = newline_length(length);
        here.start_of_line = newline > 0;
        if (length + newline > 0) return put_text(token_kind::heredoc_text, length + newline);
        if (scan_open_sequence()) return;
        if (text_[at_] == '\r') return scan_lone_return();
        put_bad_encoding();
    }

    /// The length of the end of line at a distance; 0 if there is none.
    [[nodiscard]] auto newline_length(std::size_t ahead) const noexcept -> std::size_t
    {
        if (peek(ahead) == '\n') return 1;
        return peek(ahead) == '\r' && peek(ahead + 1) == '\n' ? 2 : 0;
    }

    /// After a carriage return that does not end a line, HashiCorp's scanner stops: in a heredoc the rest of the file
    /// is an error, in a whole template it is literal.
    void scan_lone_return()
    {
        auto const rest = text_.size() - at_;
        if (modes_.size() == 1) return put(token_kind::heredoc_text, rest);
        put_invalid(rest, messages::lone_carriage_return);
    }

    source_file const& file_;
    std::string_view text_;
    std::uint32_t offset_;
    diagnostics& found_;
    std::size_t at_ = 0;
    token* next_ = nullptr;  // where the next token is written
    token* last_ = nullptr;  // the end of the room for tokens
    std::vector<mode> modes_;
    std::array<std::size_t, 256> seen_{};
    bool has_reported_encoding_ = false;
    bool plain_ = false;  // the literal part that was measured last has no escapes
    bool comments_;
    bool ended_ = false;
};

scanner::scanner(source_file const& file, excerpt e, text_form form, diagnostics& found)
    : implementation_(std::make_unique<implementation>(file, e, form, found))
{}

scanner::~scanner() = default;

auto scanner::read(std::span<token> into) -> std::size_t
{
    return implementation_->read(into);
}

auto identifier_length(std::string_view text) noexcept -> std::size_t
{
    std::size_t length = 0;
    if (!text.empty() && begins_identifier(text.front()))
        while (length < text.size() && continues_identifier(text[length])) ++length;
    while (length < text.size()) {
        char const c = text[length];
        if (begins_identifier(c) || (length > 0 && (is_digit(c) || c == '-'))) {
            ++length;
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x80) break;
        auto const [code, bytes] = decode(text.substr(length));
        if (code < 0 || !u_hasBinaryProperty(code, length == 0 ? UCHAR_ID_START : UCHAR_ID_CONTINUE)) break;
        length += bytes;
    }
    return length;
}

auto is_identifier(std::string_view text) noexcept -> bool
{
    return !text.empty() && identifier_length(text) == text.size();
}

}  // namespace iacctl::language
