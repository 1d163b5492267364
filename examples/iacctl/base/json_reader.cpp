// SPDX-License-Identifier: BSL-1.0
#include "json_reader.hpp"

#include "characters.hpp"
#include "unicode.hpp"

#include <array>
#include <utility>

namespace iacctl {

namespace {

/// The bytes of strings that need no processing.
constexpr auto means_itself = [] {
    std::array<bool, 256> found{};
    for (std::size_t byte = 0x20; byte < 0x80; ++byte) found[byte] = byte != '"' && byte != '\\';
    return found;
}();

class json_text_reader {
public:
    json_text_reader(std::string_view text, json_events& events, std::size_t levels)
        : text_(text),
          events_(events),
          levels_(levels)
    {}

    [[nodiscard]] auto whole() -> std::optional<json_problem>
    {
        if (!read(0)) return json_problem{at_, why_};
        skip_space();
        if (at_ == text_.size()) return std::nullopt;
        return json_problem{at_, "something follows the end of the text"};
    }

private:
    auto refuse(std::string_view why) -> bool
    {
        why_ = why;
        return false;
    }
    /// Handles the result of an event.
    auto reported(std::string_view refused) -> bool { return refused.empty() || refuse(refused); }
    [[nodiscard]] auto next() const -> char { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space()
    {
        while (at_ < text_.size() && text_[at_] <= ' '
            && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }
    auto take(char c) -> bool
    {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    auto take_word(std::string_view word) -> bool
    {
        for (char const c : word)
            if (!take(c)) return refuse("an unknown word");
        return true;
    }

    auto read(std::size_t level) -> bool
    {
        if (level > levels_) return refuse("values are nested in more than " + std::to_string(levels_) + " levels");
        skip_space();
        if (at_ == text_.size()) return refuse("the text ends too early");
        switch (next()) {
        case '{': return read_object(level);
        case '[': return read_array(level);
        case '"': {
            auto const text = read_string();
            return text && reported(events_.string(*text));
        }
        case 't': return take_word("true") && reported(events_.boolean(true));
        case 'f': return take_word("false") && reported(events_.boolean(false));
        case 'n': return take_word("null") && reported(events_.null());
        default: return read_number();
        }
    }
    auto read_object(std::size_t level) -> bool
    {
        ++at_;
        if (!reported(events_.open(true))) return false;
        skip_space();
        if (take('}')) return reported(events_.close());
        for (;;) {
            skip_space();
            if (next() != '"') return refuse("the name of a member is expected");
            auto const name = read_string();
            if (!name || !reported(events_.name(*name))) return false;
            skip_space();
            if (!take(':')) return refuse("a colon is expected");
            if (!read(level + 1)) return false;
            skip_space();
            if (take('}')) return reported(events_.close());
            if (!take(',')) return refuse("a comma or the end of the object is expected");
        }
    }
    auto read_array(std::size_t level) -> bool
    {
        ++at_;
        if (!reported(events_.open(false))) return false;
        skip_space();
        if (take(']')) return reported(events_.close());
        for (;;) {
            if (!read(level + 1)) return false;
            skip_space();
            if (take(']')) return reported(events_.close());
            if (!take(',')) return refuse("a comma or the end of the array is expected");
        }
    }
    auto read_digits() -> bool
    {
        std::size_t const start = at_;
        while (is_digit(next())) ++at_;
        return at_ > start;
    }
    auto read_number() -> bool
    {
        std::size_t const start = at_;
        take('-');
        bool fine = take('0') || read_digits();
        if (fine && take('.')) fine = read_digits();
        if (fine && (take('e') || take('E'))) {
            if (!take('+')) take('-');
            fine = read_digits();
        }
        if (!fine) return refuse("a value is expected");
        return reported(events_.number(text_.substr(start, at_ - start)));
    }
    [[nodiscard]] auto read_code() -> std::optional<unsigned>
    {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            int const digit = hex_digit(next());
            if (digit < 0) {
                refuse("four hexadecimal digits are expected");
                return std::nullopt;
            }
            code = code * 16 + static_cast<unsigned>(digit);
            ++at_;
        }
        return code;
    }
    auto read_escape(std::string& out) -> bool
    {
        char const c = next();
        static constexpr std::string_view names = "\"\\/bfnrt";
        static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
        if (auto const known = names.find(c); c != '\0' && known != std::string_view::npos) {
            out += meant[known];
            ++at_;
            return true;
        }
        if (!take('u')) return refuse("an unknown escape");
        auto code = read_code();
        if (!code) return false;
        if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
            auto const before = at_;
            at_ += 2;
            auto const low = read_code();
            if (!low) return false;
            if (*low >= 0xDC00 && *low <= 0xDFFF) code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
            else at_ = before;
        }
        // Half of a surrogate pair is not a character.
        if (*code >= 0xD800 && *code <= 0xDFFF) code = 0xFFFD;
        append_utf8(out, static_cast<char32_t>(*code));
        return true;
    }
    /// A string without escapes is a view of the text. Any other string is built in `unescaped_`.
    auto read_string() -> std::optional<std::string_view>
    {
        std::size_t start = ++at_;
        bool escaped = false;
        auto const take_until_here = [&] {
            if (!std::exchange(escaped, true)) unescaped_.clear();
            unescaped_ += text_.substr(start, at_ - start);
        };
        while (at_ < text_.size()) {
            auto const byte = static_cast<unsigned char>(text_[at_]);
            if (means_itself[byte]) {
                ++at_;
            } else if (byte == '"') {
                if (escaped) take_until_here();
                auto const found = escaped ? std::string_view(unescaped_) : text_.substr(start, at_ - start);
                ++at_;
                return found;
            } else if (byte == '\\') {
                take_until_here();
                ++at_;
                if (!read_escape(unescaped_)) return std::nullopt;
                start = at_;
            } else if (byte < 0x20) {
                refuse("a control character in a string");
                return std::nullopt;
            } else {
                std::size_t const length = utf8_length(text_, at_);
                if (length == 0) {
                    refuse("bytes that are not UTF-8");
                    return std::nullopt;
                }
                at_ += length;
            }
        }
        refuse("a string does not end");
        return std::nullopt;
    }

    std::string_view text_;
    json_events& events_;
    std::size_t levels_;
    std::string unescaped_;
    std::size_t at_ = 0;
    std::string why_;
};

}  // namespace

auto read_json(std::string_view text, json_events& events, std::size_t levels) -> std::optional<json_problem>
{
    return json_text_reader(text, events, levels).whole();
}

}  // namespace iacctl
