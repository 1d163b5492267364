// SPDX-License-Identifier: BSL-1.0
#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace iacctl::state {

namespace {

constexpr unsigned deepest = 1000;

// Length of the UTF-8 sequence at `at`; 0 if there is none. Overlong forms and surrogates are none.
auto utf8_length(std::string_view text, std::size_t at) noexcept -> std::size_t
{
    auto const byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    auto const follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    unsigned const first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        bool const overlong = first == 0xE0 && byte(1) < 0xA0;
        bool const surrogate = first == 0xED && byte(1) >= 0xA0;
        return !overlong && !surrogate && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        bool const overlong = first == 0xF0 && byte(1) < 0x90;
        bool const beyond = first == 0xF4 && byte(1) >= 0x90;
        return !overlong && !beyond && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

void append_utf8(std::string& out, unsigned code)
{
    auto const put = [&out](unsigned byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

auto digit_of(char c) noexcept -> int
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

class reader {
public:
    explicit reader(std::string_view text) : text_(text) {}

    auto whole() -> std::optional<json>
    {
        auto value = read(0);
        if (!value) return std::nullopt;
        skip_space();
        if (at_ != text_.size()) return refuse("something follows the end of the text");
        return value;
    }
    [[nodiscard]] auto why() const -> std::string
    {
        auto const line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
        return "line " + std::to_string(line) + ": " + why_;
    }

private:
    auto refuse(char const* why) -> std::nullopt_t
    {
        if (why_.empty()) why_ = why;
        return std::nullopt;
    }
    auto no(char const* why) -> bool
    {
        refuse(why);
        return false;
    }
    [[nodiscard]] auto next() const -> char { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space()
    {
        while (at_ < text_.size() && (next() == ' ' || next() == '\n' || next() == '\r' || next() == '\t')) ++at_;
    }
    auto take(std::string_view word) -> bool
    {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    auto read(unsigned level) -> std::optional<json>
    {
        if (level > deepest) return refuse("values are nested too deeply");
        skip_space();
        if (at_ == text_.size()) return refuse("the text ends too early");
        switch (next()) {
        case '{': return read_object(level);
        case '[': return read_array(level);
        case '"': {
            auto text = read_string();
            if (!text) return std::nullopt;
            return json(std::move(*text));
        }
        case 't': return take("true") ? std::optional(json(true)) : refuse("an unknown word");
        case 'f': return take("false") ? std::optional(json(false)) : refuse("an unknown word");
        case 'n': return take("null") ? std::optional(json()) : refuse("an unknown word");
        default: return read_number();
        }
    }
    auto read_object(unsigned level) -> std::optional<json>
    {
        json::object members;
        ++at_;
        skip_space();
        if (take("}")) return json(std::move(members));
        for (;;) {
            skip_space();
            if (next() != '"') return refuse("the name of a member is expected");
            auto name = read_string();
            if (!name) return std::nullopt;
            skip_space();
            if (!take(":")) return refuse("a colon is expected");
            auto value = read(level + 1);
            if (!value) return std::nullopt;
            members.push_back({std::move(*name), std::move(*value)});
            skip_space();
            if (take("}")) break;
            if (!take(",")) return refuse("a comma or the end of the object is expected");
        }
        json result(std::move(members));
        auto const same = [](json::member const& a, json::member const& b) { return a.name == b.name; };
        auto const& sorted = *result.members();
        if (std::adjacent_find(sorted.begin(), sorted.end(), same) != sorted.end())
            return refuse("a name stands twice in one object");
        return result;
    }
    auto read_array(unsigned level) -> std::optional<json>
    {
        json::array elements;
        ++at_;
        skip_space();
        if (take("]")) return json(std::move(elements));
        for (;;) {
            auto value = read(level + 1);
            if (!value) return std::nullopt;
            elements.push_back(std::move(*value));
            skip_space();
            if (take("]")) return json(std::move(elements));
            if (!take(",")) return refuse("a comma or the end of the array is expected");
        }
    }
    auto read_digits() -> bool
    {
        std::size_t const start = at_;
        while (next() >= '0' && next() <= '9') ++at_;
        return at_ > start;
    }
    auto read_number() -> std::optional<json>
    {
        std::size_t const start = at_;
        take("-");
        bool fine = take("0") || read_digits();
        if (fine && take(".")) fine = read_digits();
        if (fine && (take("e") || take("E"))) {
            if (!take("+")) take("-");
            fine = read_digits();
        }
        if (!fine) return refuse("a value is expected");
        return json(json::number{std::string(text_.substr(start, at_ - start))});
    }
    auto read_code() -> std::optional<unsigned>
    {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            int const digit = digit_of(next());
            if (digit < 0) return refuse("four hexadecimal digits are expected");
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
        if (!take("u")) return no("an unknown escape");
        auto code = read_code();
        if (!code) return false;
        if (*code >= 0xD800 && *code < 0xDC00 && take("\\u")) {
            auto const low = read_code();
            if (!low) return false;
            if (*low < 0xDC00 || *low > 0xDFFF) return no("half of a surrogate pair");
            code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
        }
        if (*code >= 0xD800 && *code <= 0xDFFF) return no("half of a surrogate pair");
        append_utf8(out, *code);
        return true;
    }
    auto read_string() -> std::optional<std::string>
    {
        std::string text;
        ++at_;
        while (at_ < text_.size()) {
            char const c = next();
            if (c == '"') {
                ++at_;
                return text;
            }
            if (c == '\\') {
                ++at_;
                if (!read_escape(text)) return std::nullopt;
                continue;
            }
            if (static_cast<unsigned char>(c) < 0x20) return refuse("a control character in a string");
            std::size_t const length = utf8_length(text_, at_);
            if (length == 0) return refuse("bytes that are no UTF-8");
            text += text_.substr(at_, length);
            at_ += length;
        }
        return refuse("a string does not end");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string why_;
};

void new_line(std::string& out, unsigned level)
{
    out += '\n';
    out.append(std::size_t{2} * level, ' ');
}

}  // namespace

json::json() noexcept = default;
json::json(bool value) : value_(value) {}
json::json(number value) : value_(std::move(value)) {}
json::json(std::string value) : value_(std::move(value)) {}
json::json(array value) : value_(std::move(value)) {}
json::json(json const&) = default;
json::json(json&&) noexcept = default;
auto json::operator=(json const&) -> json& = default;
auto json::operator=(json&&) noexcept -> json& = default;
json::~json() = default;

json::json(object value) : value_(std::move(value))
{
    auto& members = std::get<object>(value_);
    auto const before = [](member const& a, member const& b) { return a.name < b.name; };
    if (!std::is_sorted(members.begin(), members.end(), before)) std::sort(members.begin(), members.end(), before);
}

auto json::find(std::string_view name) const noexcept -> json const*
{
    auto const* const all = members();
    if (all == nullptr) return nullptr;
    auto const at = std::lower_bound(
        all->begin(), all->end(), name, [](member const& m, std::string_view wanted) { return m.name < wanted; });
    return at == all->end() || at->name != name ? nullptr : &at->value;
}

auto json::integer() const noexcept -> std::optional<std::int64_t>
{
    number const* const n = numeric();
    if (n == nullptr) return std::nullopt;
    std::int64_t value = 0;
    char const* const end = n->text.data() + n->text.size();
    auto const read = std::from_chars(n->text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

auto json::natural() const noexcept -> std::optional<std::uint64_t>
{
    number const* const n = numeric();
    if (n == nullptr) return std::nullopt;
    std::uint64_t value = 0;
    char const* const end = n->text.data() + n->text.size();
    auto const read = std::from_chars(n->text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

auto parse_json(std::string_view text, std::string& why) -> std::optional<json>
{
    reader in(text);
    auto value = in.whole();
    if (!value) why = in.why();
    return value;
}

void append_compact(std::string& out, json const& value)
{
    if (value.is_null()) {
        out += "null";
    } else if (auto const* b = value.boolean()) {
        out += *b ? "true" : "false";
    } else if (auto const* n = value.numeric()) {
        out += n->text;
    } else if (auto const* s = value.text()) {
        append_json_string(out, *s);
    } else if (auto const* a = value.elements()) {
        char before = '[';
        if (a->empty()) out += '[';
        for (json const& element : *a) {
            out += before;
            before = ',';
            append_compact(out, element);
        }
        out += ']';
    } else {
        auto const& members = *value.members();
        char before = '{';
        if (members.empty()) out += '{';
        for (json::member const& m : members) {
            out += before;
            before = ',';
            append_json_string(out, m.name);
            out += ':';
            append_compact(out, m.value);
        }
        out += '}';
    }
}

void append_indented(std::string& out, json const& value, unsigned level)
{
    if (auto const* a = value.elements(); a != nullptr && !a->empty()) {
        char before = '[';
        for (json const& element : *a) {
            out += before;
            before = ',';
            new_line(out, level + 1);
            append_indented(out, element, level + 1);
        }
        new_line(out, level);
        out += ']';
        return;
    }
    if (auto const* o = value.members(); o != nullptr && !o->empty()) {
        char before = '{';
        for (json::member const& m : *o) {
            out += before;
            before = ',';
            new_line(out, level + 1);
            append_json_string(out, m.name);
            out += ": ";
            append_indented(out, m.value, level + 1);
        }
        new_line(out, level);
        out += '}';
        return;
    }
    append_compact(out, value);
}

auto is_utf8(std::string_view text) noexcept -> bool
{
    for (std::size_t at = 0; at < text.size();) {
        bool const ascii = static_cast<unsigned char>(text[at]) < 0x80;
        std::size_t const length = ascii ? 1 : utf8_length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace iacctl::state
