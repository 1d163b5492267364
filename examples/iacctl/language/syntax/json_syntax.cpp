// SPDX-License-Identifier: BSL-1.0
#include "json_syntax.hpp"

#include "base/characters.hpp"
#include "base/name_lookup.hpp"
#include "base/suggestion.hpp"
#include "base/unicode.hpp"
#include "messages/syntax.hpp"
#include "parser.hpp"
#include "parser_detail.hpp"
#include "scanner.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

using json::json_kind;
using syntax::node;
using syntax::node_kind;

enum class token_type : std::uint8_t {
    open_brace,
    close_brace,
    open_bracket,
    close_bracket,
    comma,
    colon,
    equals,
    string,
    number,
    keyword,
    invalid,
    end,
};

struct json_token {
    token_type type = token_type::end;
    byte_range range;
};

[[nodiscard]] auto start_of(json::value const& v) noexcept -> byte_range
{
    return v.kind == json_kind::object || v.kind == json_kind::array ? v.open : v.range;
}

class json_parser {
public:
    json_parser(syntax_tree& tree, diagnostics& found) : tree_(tree), text_(tree.file().text()), found_(found)
    {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        next_ = scan();
    }

    [[nodiscard]] auto parse_root() -> json::value const*
    {
        auto const before = found_.error_count();
        auto const* const root = parse_value();
        if (found_.error_count() == before && next_.type != token_type::end)
            fail(messages::json_text_after_value, next_.range);
        if (root->kind == json_kind::object || root->kind == json_kind::array) return root;
        fail(messages::json_root_not_object, start_of(*root));
        return nullptr;
    }

private:
    static constexpr std::size_t deepest = 300;

    void fail(messages::message<0> const& m, byte_range subject, byte_range context = {})
    {
        if (gave_up_) return;
        found_.add(error(m, place(subject), context == byte_range{} ? source_range{} : place(context)));
    }
    template <std::size_t N>
    void fail(messages::message<N> const& m, messages::arguments<N> a, byte_range subject)
    {
        if (!gave_up_) found_.add(error(m, a, place(subject)));
    }
    [[nodiscard]] auto place(byte_range range) const -> source_range { return {&tree_.file(), range}; }

    [[nodiscard]] auto scan() -> json_token
    {
        while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != std::string_view::npos) ++at_;
        auto const begin = at_;
        auto const made = [&](token_type type) {
            return json_token{type, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}};
        };
        if (at_ >= text_.size()) return made(token_type::end);
        char const c = text_[at_++];
        switch (c) {
        case '{': return made(token_type::open_brace);
        case '}': return made(token_type::close_brace);
        case '[': return made(token_type::open_bracket);
        case ']': return made(token_type::close_bracket);
        case ',': return made(token_type::comma);
        case ':': return made(token_type::colon);
        case '=': return made(token_type::equals);
        case '"':
            for (bool escaped = false; at_ < text_.size(); ++at_) {
                char const in = text_[at_];
                if (static_cast<unsigned char>(in) < 0x20) break;
                if (in == '"' && !escaped) {
                    ++at_;
                    break;
                }
                escaped = in == '\\' && !escaped;
            }
            return made(token_type::string);
        default: break;
        }
        if (is_digit(c) || c == '-' || c == '+' || c == '.') {
            while (at_ < text_.size()
                && (is_digit(text_[at_]) || std::string_view("-+.eE").find(text_[at_]) != std::string_view::npos))
                ++at_;
            return made(token_type::number);
        }
        if (is_letter(c)) {
            while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '_')) ++at_;
            return made(token_type::keyword);
        }
        auto const invalid = made(token_type::invalid);
        // The rest cannot be parsed.
        at_ = text_.size();
        return invalid;
    }

    auto read() -> json_token { return std::exchange(next_, next_.type == token_type::end ? next_ : scan()); }

    [[nodiscard]] auto text(byte_range range) const -> std::string_view { return tree_.file().text(range); }

    [[nodiscard]] auto keep(json::value v) -> json::value const* { return tree_.make(v); }

    [[nodiscard]] auto parse_value() -> json::value const*
    {
        auto const first = next_;
        json::value const* made = nullptr;
        ++depth_;
        if (depth_ > deepest) {
            fail(messages::json_nested_too_deeply, {std::to_string(deepest)}, first.range);
            // The enclosing value is incomplete, which is not an error of its own.
            gave_up_ = true;
            at_ = text_.size();
            next_ = scan();
        } else {
            switch (first.type) {
            case token_type::open_brace: made = parse_object(); break;
            case token_type::open_bracket: made = parse_array(); break;
            case token_type::number: made = parse_number(); break;
            case token_type::string: made = parse_string(); break;
            case token_type::keyword: made = parse_keyword(); break;
            case token_type::close_brace: fail(messages::json_missing_value, first.range); break;
            case token_type::close_bracket: fail(messages::json_missing_element, first.range); break;
            case token_type::end: fail(messages::json_ends_before_value, first.range); break;
            default: fail(messages::json_invalid_value, first.range); break;
            }
        }
        --depth_;
        if (made) return made;
        json::value invalid;
        invalid.range = first.range;
        invalid.expression = tree_.make(syntax::literal(first.range, tree_.keep(language::value::unknown())));
        return keep(invalid);
    }

    /// Skips to the bracket that closes the open one.
    void recover(json_token from, token_type opens, token_type closes)
    {
        for (std::size_t open = 1;; from = read()) {
            if (from.type == opens) ++open;
            if (from.type == token_type::end || (from.type == closes && --open <= 1)) return;
        }
    }

    [[nodiscard]] auto parse_object() -> json::value const*
    {
        auto const open = read();
        std::vector<json::member> members;
        auto const skip = [&](json_token from) { recover(from, token_type::open_brace, token_type::close_brace); };
        while (next_.type != token_type::close_brace) {
            auto const* const key = parse_value();
            if (key->kind != json_kind::string) {
                fail(messages::json_name_not_string, start_of(*key));
                return nullptr;
            }
            auto const colon = read();
            if (colon.type != token_type::colon) {
                skip(colon);
                bool const ends = colon.type == token_type::close_brace || colon.type == token_type::comma;
                fail(ends                                  ? messages::json_property_without_value
                        : colon.type == token_type::equals ? messages::json_equals_for_colon
                                                           : messages::json_missing_colon,
                    colon.range);
                return nullptr;
            }
            auto const* const of = parse_value();
            members.push_back({key->constant->as_string(), key, of});
            if (next_.type == token_type::comma) {
                auto const comma = read();
                if (next_.type != token_type::close_brace) continue;
                fail(messages::json_trailing_comma_in_object, comma.range);
                return nullptr;
            }
            if (next_.type == token_type::close_brace) break;
            if (next_.type == token_type::end) {
                fail(messages::json_unclosed_object, open.range);
            } else if (next_.type == token_type::close_bracket) {
                read();
                fail(messages::json_object_closed_by_bracket, next_.range);
            } else {
                skip(read());
                fail(messages::json_missing_comma_in_object, next_.range);
            }
            return nullptr;
        }
        auto const close = read();
        json::value made;
        made.kind = json_kind::object;
        made.open = open.range;
        made.close = close.range;
        made.range = between(open.range, close.range);
        made.members = tree_.keep(members);
        std::vector<syntax::object_item> items;
        for (auto const& one : made.members) items.push_back({one.key->expression, one.of->expression, true});
        made.expression = tree_.make(syntax::object{{node_kind::object, made.range}, open.range, tree_.keep(items)});
        return keep(made);
    }

    [[nodiscard]] auto parse_array() -> json::value const*
    {
        auto const open = read();
        std::vector<json::value const*> elements;
        auto const skip = [&] { recover(read(), token_type::open_bracket, token_type::close_bracket); };
        while (next_.type != token_type::close_bracket) {
            elements.push_back(parse_value());
            if (next_.type == token_type::comma) {
                auto const comma = read();
                if (next_.type != token_type::close_bracket) continue;
                fail(messages::json_trailing_comma_in_array, comma.range);
                return nullptr;
            }
            if (next_.type == token_type::close_bracket) break;
            auto const wrong = next_.type;
            skip();
            if (wrong == token_type::colon) fail(messages::json_colon_in_array, next_.range);
            else if (wrong == token_type::end) fail(messages::json_unclosed_array, open.range);
            else if (wrong == token_type::close_brace) fail(messages::json_array_closed_by_brace, next_.range);
            else fail(messages::json_missing_comma_in_array, next_.range);
            return nullptr;
        }
        auto const close = read();
        json::value made;
        made.kind = json_kind::array;
        made.open = open.range;
        made.close = close.range;
        made.range = between(open.range, close.range);
        made.elements = tree_.keep(elements);
        std::vector<node const*> nodes;
        for (auto const* const one : elements) nodes.push_back(one->expression);
        made.expression = tree_.make(syntax::tuple{{node_kind::tuple, made.range}, tree_.keep(nodes)});
        return keep(made);
    }

    [[nodiscard]] auto literal(json_kind kind, byte_range range, language::value v) -> json::value const*
    {
        json::value made;
        made.kind = kind;
        made.range = range;
        made.constant = tree_.keep(std::move(v));
        made.expression = tree_.make(syntax::literal(range, made.constant));
        return keep(made);
    }

    /// Returns whether it is a number of JSON; the scanner accepts more.
    [[nodiscard]] static auto is_number(std::string_view text) -> bool
    {
        auto const digits = [&] {
            std::size_t count = 0;
            for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) ++count;
            return count;
        };
        if (text.starts_with('-')) text.remove_prefix(1);
        bool const zero = text.starts_with('0');
        auto const whole = digits();
        if (whole == 0 || (zero && whole > 1)) return false;
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            if (digits() == 0) return false;
        }
        if (text.starts_with('e') || text.starts_with('E')) {
            text.remove_prefix(1);
            if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
            if (digits() == 0) return false;
        }
        return text.empty();
    }

    [[nodiscard]] auto parse_number() -> json::value const*
    {
        auto const token = read();
        auto const written = text(token.range);
        auto const made = is_number(written) ? number::parse(written) : std::nullopt;
        if (made) return literal(json_kind::number, token.range, language::value(*made));
        fail(messages::json_invalid_number, token.range);
        return nullptr;
    }

    [[nodiscard]] auto parse_keyword() -> json::value const*
    {
        auto const token = read();
        std::string const word(text(token.range));
        if (word == "true" || word == "false")
            return literal(json_kind::boolean, token.range, language::value(word == "true"));
        if (word == "null") return literal(json_kind::null, token.range, language::value());
        if (word == "undefined" || word == "NaN" || word == "Infinity") {
            fail(messages::json_javascript_word, {word}, token.range);
            return nullptr;
        }
        static constexpr std::array<std::string_view, 3> known{"true", "false", "null"};
        auto const close = name_suggestion(word, known);
        if (close.empty()) fail(messages::json_unknown_word, {word}, token.range);
        else fail(messages::json_misspelled_word, {word, close}, token.range);
        return nullptr;
    }

    [[nodiscard]] auto parse_string() -> json::value const*
    {
        auto const token = read();
        auto const raw = text(token.range);
        std::size_t wrong = 0;
        auto const content = unescaped(raw, wrong);
        if (!content) {
            auto const begin = token.range.begin + static_cast<std::uint32_t>(wrong);
            fail(is_closed(raw) ? messages::json_unknown_escape : messages::json_unclosed_string, {begin, begin + 1},
                token.range);
            return nullptr;
        }
        if (!is_utf8(*content)) {
            fail(messages::json_string_not_utf8, {std::to_string(utf8_prefix(*content) + 1)}, token.range);
            return nullptr;
        }
        json::value made;
        made.kind = json_kind::string;
        made.range = token.range;
        made.constant = tree_.keep(language::value(*content));
        bool const templated = content->find("${") != std::string::npos || content->find("%{") != std::string::npos;
        if (templated) {
            auto problems = std::make_unique<diagnostics>();
            auto const* const inner =
                detail::parse_template_in(tree_, tree_.keep(*content), token.range.begin + 1, *problems);
            made.expression = tree_.make(syntax::json_string{
                {node_kind::json_string, token.range}, made.constant, inner, tree_.keep(std::move(problems))});
        } else {
            made.expression = tree_.make(syntax::literal(token.range, made.constant));
        }
        return keep(made);
    }

    /// True if text that begins with a quote ends with another one.
    [[nodiscard]] static auto is_closed(std::string_view raw) -> bool
    {
        if (raw.size() < 2 || raw.back() != '"') return false;
        auto const last = raw.size() - 2;
        return (last - raw.find_last_not_of('\\', last)) % 2 == 0;
    }

    /// \param wrong  the offset after the first byte that is invalid
    [[nodiscard]] static auto unescaped(std::string_view raw, std::size_t& wrong) -> std::optional<std::string>
    {
        std::string out;
        std::size_t at = 0;
        wrong = raw.size();
        if (raw.size() < 2 || raw.back() != '"') return std::nullopt;
        auto const hex = [&](std::size_t from) -> std::optional<std::uint32_t> {
            std::uint32_t code = 0;
            for (std::size_t i = from; i < from + 4; ++i) {
                wrong = i + 1;
                int const digit = i < raw.size() ? hex_digit(raw[i]) : -1;
                if (digit < 0) return std::nullopt;
                code = code * 16 + static_cast<std::uint32_t>(digit);
            }
            return code;
        };
        for (at = 1; at + 1 < raw.size(); ++at) {
            if (raw[at] != '\\') {
                out += raw[at];
                continue;
            }
            if (++at + 1 >= raw.size()) return std::nullopt;
            wrong = at + 1;
            switch (raw[at]) {
            case '"': out += '"'; break;
            case '\\': out += '\\'; break;
            case '/': out += '/'; break;
            case 'b': out += '\b'; break;
            case 'f': out += '\f'; break;
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 't': out += '\t'; break;
            case 'u': {
                auto code = hex(at + 1);
                if (!code) return std::nullopt;
                at += 4;
                if (*code >= 0xD800 && *code < 0xE000) {
                    // Half of a surrogate pair, which is invalid alone.
                    auto const low = *code < 0xDC00 && raw.substr(at + 1, 2) == "\\u" ? hex(at + 3) : std::nullopt;
                    if (low && *low >= 0xDC00 && *low < 0xE000) {
                        code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
                        at += 6;
                    } else {
                        code = 0xFFFD;
                    }
                }
                append_utf8(out, *code);
                break;
            }
            default: return std::nullopt;
            }
        }
        return out;
    }

    syntax_tree& tree_;
    std::string_view text_;
    diagnostics& found_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    bool gave_up_ = false;
    json_token next_;
};

/// Converts JSON into a body.
class shaper {
public:
    shaper(source_file const* file, diagnostics& found) : file_(file), found_(found) {}

    [[nodiscard]] auto run(json::value const& v, body_shape const& shape) -> body
    {
        body made;
        made.json = true;
        made.range = at(v.range);
        made.missing = v.kind == json_kind::object ? at(v.close) : at(start_of(v));
        name_lookup names;
        for (auto const* const one : members_of(v, nullptr)) add(*one, shape, made, names);
        return made;
    }

    /// \param names  looks up the arguments of `into`
    void add(json::member const& m, body_shape const& shape, body& into, name_lookup& names)
    {
        if (m.name == "//") return;
        auto const block_shape = std::ranges::find(shape.blocks, m.name, &body_shape::nested::type);
        if (block_shape != shape.blocks.end()) {
            std::vector<label> labels;
            unpack(*m.of, *block_shape, m, 0, labels, into);
            return;
        }
        auto const whole = at(between(m.key->range, m.of->range));
        if (auto const* const existing = names.find(std::span<attribute const>(into.attributes), m.name)) {
            // If all names are allowed, Terraform has another message.
            found_.add(
                error(shape.arguments.empty() ? messages::json_attribute_repeated : messages::json_argument_repeated,
                    {m.name, existing->range.text()}, at(m.key->range), whole));
            return;
        }
        into.attributes.push_back({m.name, expression(m.of->expression, file_), whole, &m});
    }

private:
    [[nodiscard]] auto at(byte_range range) const noexcept -> source_range { return {file_, range}; }

    /// The members of an object, or of all objects of an array.
    [[nodiscard]] auto members_of(json::value const& v, std::string_view const* label)
        -> std::vector<json::member const*>
    {
        std::vector<json::member const*> all;
        auto const take = [&](json::value const& object) {
            for (auto const& one : object.members) all.push_back(&one);
        };
        if (v.kind == json_kind::object) {
            take(v);
        } else if (v.kind == json_kind::array) {
            for (auto const* const one : v.elements) {
                if (one->kind == json_kind::object) take(*one);
                else if (label)
                    found_.add(error(messages::json_label_element_not_object, {*label}, at(start_of(*one))));
                else found_.add(error(messages::json_body_element_not_object, at(start_of(*one))));
            }
        } else if (v.kind != json_kind::null && v.kind != json_kind::invalid) {
            if (label) found_.add(error(messages::json_label_not_object, {*label}, at(start_of(v))));
            else found_.add(error(messages::json_body_not_object, at(start_of(v))));
        }
        return all;
    }

    void unpack(json::value const& v, body_shape::nested const& desired, json::member const& type, std::size_t depth,
        std::vector<label>& labels, body& into)
    {
        if (depth < desired.labels.size()) {
            auto const all = members_of(v, &desired.labels[depth]);
            if (all.empty())
                found_.add(error(messages::json_missing_label, {desired.type, desired.labels[depth]}, at(start_of(v))));
            for (auto const* const one : all) {
                labels.push_back({std::string(one->name), at(one->key->range)});
                unpack(*one->of, desired, type, depth + 1, labels, into);
                labels.pop_back();
            }
            return;
        }
        static body_shape const anything;
        auto const put = [&](json::value const& content, byte_range definition) {
            block made;
            made.type = desired.type;
            made.labels.assign(labels.begin(), labels.end());
            made.type_range = at(type.key->range);
            made.open_range = at(definition);
            made.close_range = at(content.close);
            made.json = true;
            made.content = run(content, desired.content ? *desired.content : anything);
            into.blocks.push_back(std::move(made));
        };
        if (v.kind == json_kind::object) put(v, v.open);
        else if (v.kind == json_kind::array)
            for (auto const* const one : v.elements) put(*one, v.open);
        else if (v.kind != json_kind::null && v.kind != json_kind::invalid)
            found_.add(error(messages::json_block_not_object, {desired.type}, at(start_of(v))));
    }

    source_file const* file_;
    diagnostics& found_;
};

}  // namespace

auto parse_json_file(std::string name, std::string text, body_shape const& shape, diagnostics& found)
    -> std::shared_ptr<syntax_tree>
{
    auto tree = std::make_shared<syntax_tree>(std::make_unique<source_file>(std::move(name), std::move(text)));
    tree->file().set_json();
    auto const* const root = json_parser(*tree, found).parse_root();
    if (root) tree->set_root(shaper(&tree->file(), found).run(*root, shape));
    return tree;
}

auto as_shaped(body const& b, body_shape const& shape, diagnostics& found) -> body
{
    if (!b.json) return b;
    body made;
    made.json = true;
    made.range = b.range;
    made.missing = b.missing;
    made.blocks = b.blocks;
    name_lookup names;
    for (auto const& one : b.attributes) {
        // An override may be in the other syntax.
        if (one.json) shaper(one.range.file, found).add(*one.json, shape, made, names);
        else made.attributes.push_back(one);
    }
    return made;
}

}  // namespace iacctl::language
