// SPDX-License-Identifier: BSL-1.0
#include "settings_syntax.hpp"

#include "base/characters.hpp"
#include "base/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace iacctl::packages {

namespace {

class settings_parser {
public:
    explicit settings_parser(std::string_view text) : text_(text) {}

    auto file() -> setting
    {
        skip();
        bool const json = peek() == '{';
        if (json) return value(0);
        auto made = object(0, '\0');
        return made;
    }

    [[nodiscard]] auto line() const -> std::size_t
    {
        return 1 + static_cast<std::size_t>(std::ranges::count(text_.substr(0, at_), '\n'));
    }

    void expect_end()
    {
        skip();
        if (at_ < text_.size()) fail("there is more text after the end");
    }

private:
    static constexpr unsigned deepest = 100;

    [[noreturn]] static void fail(char const* why) { throw std::runtime_error(why); }
    [[nodiscard]] auto peek() const -> char { return at_ < text_.size() ? text_[at_] : '\0'; }

    // Skips blanks and comments.
    void skip()
    {
        for (;;) {
            auto const rest = text_.substr(at_);
            if (rest.starts_with('#') || rest.starts_with("//")) at_ += std::min(rest.find('\n'), rest.size());
            else if (rest.starts_with("/*")) {
                auto const end = rest.find("*/", 2);
                if (end == std::string_view::npos) fail("a comment has no end");
                at_ += end + 2;
            } else if (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n'))
                ++at_;
            else if (at_ == 0 && rest.starts_with("\xEF\xBB\xBF")) at_ += 3;
            else return;
        }
    }

    auto quoted() -> std::string
    {
        std::string made;
        for (++at_;; ++at_) {
            char const c = peek();
            if (at_ >= text_.size() || c == '\n') fail("a string has no end");
            if (c == '"') {
                ++at_;
                return made;
            }
            if (c != '\\') {
                made += c;
                continue;
            }
            ++at_;
            switch (peek()) {
            case 'n': made += '\n'; break;
            case 't': made += '\t'; break;
            case 'r': made += '\r'; break;
            case '"': made += '"'; break;
            case '\\': made += '\\'; break;
            case '/': made += '/'; break;
            case 'u': append_escaped(made); break;
            default: fail("a string has an unknown escape sequence");
            }
        }
    }

    void append_escaped(std::string& to)
    {
        char32_t code = 0;
        for (int i = 0; i < 4; ++i) {
            ++at_;
            int const digit = hex_digit(peek());
            if (digit < 0) fail("a string has an unknown escape sequence");
            code = code * 16 + static_cast<char32_t>(digit);
        }
        append_utf8(to, code);
    }

    auto bare() -> std::string
    {
        auto const begin = at_;
        while (is_alphanumeric(peek()) || peek() == '_' || peek() == '-' || peek() == '.' || peek() == '+') ++at_;
        if (at_ == begin) fail("a name or a value is expected");
        return std::string(text_.substr(begin, at_ - begin));
    }

    auto word() -> std::string { return peek() == '"' ? quoted() : bare(); }

    // A value that is neither a list nor an object: a string in quotes, a number, true or false. The language has no
    // variables and no functions.
    auto literal() -> std::string
    {
        if (peek() == '"') return quoted();
        auto const before = at_;
        auto text = bare();
        if (text == "true" || text == "false" || is_number(text)) return text;
        at_ = before;
        fail("a value must be a string in quotes, a number, true, false, a list or an object");
    }

    static auto is_number(std::string_view text) -> bool
    {
        if (text.starts_with('-')) text.remove_prefix(1);
        if (text.starts_with("0x") || text.starts_with("0X"))
            return text.size() > 2 && std::ranges::all_of(text.substr(2), [](char c) { return hex_digit(c) >= 0; });
        double parsed = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
        return error == std::errc() && end == text.data() + text.size() && is_digit(text.front());
    }

    // Parses items up to a closing brace, or to the end of the file.
    auto object(unsigned depth, char end) -> setting
    {
        setting made;
        made.kind = setting::kind_type::object;
        for (;;) {
            skip();
            if (at_ >= text_.size() && end == '\0') return made;
            if (end != '\0' && peek() == end) {
                ++at_;
                return made;
            }
            item(made, depth);
            skip();
            if (peek() == ',') ++at_;
        }
    }

    void item(setting& to, unsigned depth)
    {
        setting* at = &to;
        auto name = word();
        for (;;) {
            skip();
            if (peek() == '=' || peek() == ':') {
                ++at_;
                skip();
                break;
            }
            if (peek() == '{') break;
            // A label: the preceding item becomes an object with one member.
            setting& one = at->elements.emplace_back();
            one.kind = setting::kind_type::object;
            one.name = std::move(name);
            at = &one;
            name = word();
        }
        auto of = value(depth);
        of.name = std::move(name);
        at->elements.push_back(std::move(of));
    }

    auto value(unsigned depth) -> setting
    {
        if (depth >= deepest) fail("values are nested too deeply");
        setting made;
        if (peek() == '{') {
            ++at_;
            return object(depth + 1, '}');
        }
        if (peek() != '[') {
            made.text = literal();
            return made;
        }
        made.kind = setting::kind_type::list;
        ++at_;
        for (;;) {
            skip();
            if (peek() == ']') {
                ++at_;
                return made;
            }
            made.elements.push_back(value(depth + 1));
            skip();
            if (peek() == ',') ++at_;
            else if (peek() != ']') fail("a comma or \"]\" is expected");
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// Appends an object, or the objects in a list.
void add_objects(setting const& s, std::vector<setting const*>& to)
{
    if (s.kind == setting::kind_type::object) to.push_back(&s);
    if (s.kind == setting::kind_type::list)
        for (setting const& element : s.elements) add_objects(element, to);
}

}  // namespace

auto setting::objects(std::string_view desired) const -> std::vector<setting const*>
{
    std::vector<setting const*> found;
    for (setting const& one : elements)
        if (one.name == desired) add_objects(one, found);
    return found;
}

auto setting::labelled(std::string_view desired) const -> std::vector<std::pair<std::string, setting const*>>
{
    std::vector<std::pair<std::string, setting const*>> found;
    for (setting const* const one : objects(desired))
        for (setting const& labelled : one->elements) {
            std::vector<setting const*> below;
            add_objects(labelled, below);
            for (setting const* const object : below) found.emplace_back(labelled.name, object);
        }
    return found;
}

auto setting::text_of(std::string_view desired) const -> std::optional<std::string>
{
    std::optional<std::string> found;
    for (setting const& one : elements)
        if (one.name == desired && one.kind == kind_type::text) found = one.text;
    return found;
}

auto setting::texts_of(std::string_view desired) const -> std::optional<std::vector<std::string>>
{
    std::optional<std::vector<std::string>> found;
    for (setting const& one : elements) {
        if (one.name != desired || one.kind != kind_type::list) continue;
        found.emplace();
        for (setting const& element : one.elements) found->push_back(element.text);
    }
    return found;
}

auto parse_settings(std::string_view text, setting_error& error) -> std::optional<setting>
{
    settings_parser of(text);
    try {
        auto made = of.file();
        of.expect_end();
        return made;
    } catch (std::runtime_error const& e) {
        error = {of.line(), e.what()};
        return std::nullopt;
    }
}

}  // namespace iacctl::packages
