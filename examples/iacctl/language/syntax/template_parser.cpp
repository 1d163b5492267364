// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/formatted.hpp"
#include "base/suggestion.hpp"
#include "base/unicode.hpp"
#include "messages/syntax.hpp"
#include "parser_detail.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace iacctl::language::detail {

namespace {

using syntax::node_kind;

}  // namespace

auto parser::unescaped(token const& literal) -> std::string_view
{
    auto const raw = text(literal);
    bool const quoted = literal.kind == token_kind::quoted_text;
    std::string out;
    out.reserve(raw.size());
    auto const place = [&](std::size_t at, std::size_t length) {
        auto const begin = literal.range.begin + static_cast<std::uint32_t>(at);
        return byte_range{begin, begin + static_cast<std::uint32_t>(length)};
    };
    for (std::size_t i = 0; i < raw.size(); ++i) {
        char const c = raw[i];
        if ((c == '$' || c == '%') && raw.substr(i + 1, 2) == std::string{c, '{'}) {
            out += c;
            out += '{';
            i += 2;
            continue;
        }
        if (c != '\\' || !quoted) {
            out += c;
            continue;
        }
        char const selector = i + 1 < raw.size() ? raw[i + 1] : '\0';
        ++i;
        switch (selector) {
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case '"': out += '"'; break;
        case '\\': out += '\\'; break;
        case 'u':
        case 'U': {
            std::size_t const desired = selector == 'u' ? 4 : 8;
            std::uint32_t code = 0;
            std::size_t digits = 0;
            while (digits < desired && i + 1 + digits < raw.size() && hex_digit(raw[i + 1 + digits]) >= 0)
                code = code * 16 + static_cast<std::uint32_t>(hex_digit(raw[i + 1 + digits++]));
            if (digits < desired) {
                fail(messages::incomplete_unicode_escape, {raw.substr(i, 1), std::to_string(desired)},
                    place(i - 1, 2 + digits));
            } else if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
                fail(messages::escape_of_no_character, {formatted("U+{:04X}", code)}, place(i - 1, 2 + digits));
            } else {
                append_utf8(out, code);
            }
            i += digits;
            break;
        }
        case '\0': fail(messages::lone_backslash, place(i - 1, 1)); break;
        default: {
            auto const symbol = raw.substr(i, utf8_length(raw, i));
            fail(messages::unknown_escape, {symbol}, place(i - 1, 1 + symbol.size()));
            out += selector;
        }
        }
    }
    return out == raw ? raw : tree_.keep(std::string_view(out));
}

auto parser::parse_template() -> parser::node_ptr
{
    token const open = read();
    auto const end = open.kind == token_kind::open_quote ? token_kind::close_quote : token_kind::close_heredoc;
    if (end == token_kind::close_quote) {
        // Most templates are plain strings.
        token const first = peek();
        bool const plain = first.plain && ahead(1).kind == end;
        if (plain || first.kind == end) {
            read();
            if (plain) read();
            auto const content = plain ? text(first) : std::string_view();
            return make(syntax::literal(between(open.range, previous_range()), content));
        }
    }
    template_cursor cursor;
    parse_template_parts(cursor.parts, end, open.range);
    auto const whole = between(open.range, previous_range());
    if (end == token_kind::close_heredoc && text(open).starts_with("<<-")) flush_indent(cursor.parts);
    return template_of(cursor, whole);
}

auto parser::parse_lone_template() -> parser::node_ptr
{
    template_cursor cursor;
    parse_template_parts(cursor.parts, token_kind::end_of_file, {});
    auto const* const root = template_of(cursor, between({}, previous_range()));
    finish();
    return root;
}

auto parser::template_of(template_cursor& cursor, byte_range whole) -> parser::node_ptr
{
    meld_literals(cursor.parts);
    bool const lone = cursor.parts.size() == 2;
    short_list<node_ptr> nodes;
    while (cursor.parts[cursor.at].kind != template_part::part_kind::end) nodes.push_back(build_template(cursor));
    if (lone && nodes.size() == 1 && nodes[0]->kind == node_kind::literal
        && cursor.parts[0].kind == template_part::part_kind::literal) {
        auto constant = syntax::as<syntax::literal>(*nodes[0]);
        constant.range = whole;
        return make(constant);
    }
    if (lone && cursor.parts[0].kind == template_part::part_kind::interpolation)
        return make(syntax::wrap{{node_kind::wrap, whole}, nodes[0]});
    return make(syntax::text{{node_kind::text, whole}, tree_.keep(nodes)});
}

void parser::parse_template_parts(part_list& parts, token_kind end, byte_range open)
{
    using part_kind = template_part::part_kind;
    bool trim_next = false;
    bool can_trim_previous = false;
    newlines const include(*this, true);
    byte_range const start = peek().range;
    byte_range last = open;
    for (;;) {
        token const next = read();
        if (next.kind == end) {
            last = next.range;
            break;
        }
        bool const trim = std::exchange(trim_next, false);
        bool const trim_previous = std::exchange(can_trim_previous, false);
        if (next.kind == token_kind::quoted_text || next.kind == token_kind::heredoc_text) {
            auto content = meaning(next);
            if (trim) content.remove_prefix(leading_white_space(content).size());
            parts.emplace_back(part_kind::literal, next.range, content);
            can_trim_previous = true;
            continue;
        }
        if (next.kind == token_kind::open_interpolation || next.kind == token_kind::open_control) {
            if (trim_previous && text(next).ends_with('~') && !parts.empty() && parts.back().kind == part_kind::literal)
                parts.back().text.remove_suffix(trailing_white_space(parts.back().text).size());
            if (next.kind == token_kind::open_interpolation) parse_interpolation(next, end, start, parts, trim_next);
            else parse_control(next, start, parts, trim_next);
            continue;
        }
        if (next.kind == token_kind::quoted_newline) continue;  // the scanner has reported it
        fail(messages::unclosed_template, next.range, between(start, next.range));
        last = next.kind == token_kind::end_of_file ? next.range : recover(end).range;
        recovering_ = true;
        break;
    }
    if (parts.empty()) parts.emplace_back(part_kind::literal, byte_range{open.end, open.end});
    parts.emplace_back(part_kind::end, last);
}

void parser::parse_interpolation(token const& open, token_kind end, byte_range start, part_list& parts, bool& trim_next)
{
    newlines const ignore(*this, false);
    auto const* const inner = parse_expression();
    token const close = peek();
    parts.emplace_back(
        template_part::part_kind::interpolation, between(open.range, close.range), std::string_view(), inner);
    if (close.kind == token_kind::close_sequence) {
        read();
        trim_next = text(close).starts_with('~');
        return;
    }
    if (close.kind == token_kind::end_of_file) fail(messages::unclosed_interpolation, start);
    else if (close.kind == token_kind::colon)
        fail(messages::colon_in_interpolation, close.range, between(start, close.range));
    else if ((close.kind == token_kind::close_quote || close.kind == token_kind::open_quote)
        && end == token_kind::close_quote)
        fail(messages::unclosed_interpolation_in_string, start);
    else fail(messages::text_after_interpolation, close.range, between(start, close.range));
    recover(token_kind::close_sequence);
}

void parser::parse_control(token const& open, byte_range start, part_list& parts, bool& trim_next)
{
    using part_kind = template_part::part_kind;
    newlines const ignore(*this, false);
    token const keyword = peek();
    if (keyword.kind != token_kind::identifier) {
        fail(messages::missing_template_keyword, keyword.range, between(open.range, keyword.range));
        recover(token_kind::close_sequence);
        return;
    }
    read();
    auto const wrong = [&](messages::message<0> const& m) {
        fail(m, peek().range);
        recover(token_kind::close_sequence);
    };
    auto const word = text(keyword);
    template_part part{part_kind::end, open.range, {}, nullptr, {}, {}};
    if (word == "if") {
        part.kind = part_kind::if_;
        part.inner = parse_expression();
    } else if (word == "else") {
        part.kind = part_kind::else_;
    } else if (word == "endif") {
        part.kind = part_kind::endif;
    } else if (word == "endfor") {
        part.kind = part_kind::endfor;
    } else if (word == "for") {
        part.kind = part_kind::for_;
        if (peek().kind != token_kind::identifier) return wrong(messages::for_directive_without_name);
        part.value_name = text(read());
        if (peek().kind == token_kind::comma) {
            read();
            part.key_name = part.value_name;
            if (peek().kind != token_kind::identifier) return wrong(messages::for_directive_without_second_name);
            part.value_name = text(read());
        }
        if (!is_keyword("in")) return wrong(messages::for_directive_without_in);
        read();
        part.inner = parse_expression();
    } else {
        static constexpr std::array<std::string_view, 5> words{"if", "for", "else", "endif", "endfor"};
        auto const close = name_suggestion(word, words);
        auto const context = between(open.range, keyword.range);
        if (close.empty()) fail(messages::unknown_template_keyword, {word}, keyword.range, context);
        else fail(messages::misspelled_template_keyword, {word, close}, keyword.range, context);
        recover(token_kind::close_sequence);
        return;
    }
    token const close = peek();
    part.range = between(open.range, close.range);
    parts.push_back(part);
    if (close.kind == token_kind::close_sequence) {
        read();
        trim_next = text(close).starts_with('~');
        return;
    }
    fail(messages::text_after_directive, {word}, close.range, between(start, close.range));
    recover(token_kind::close_sequence);
}

auto parser::text_of(std::span<node_ptr const> parts, byte_range if_empty) -> parser::node_ptr
{
    auto const range = parts.empty() ? if_empty : between(parts.front()->range, parts.back()->range);
    return make(syntax::text{{node_kind::text, range}, tree_.keep(parts)});
}

auto parser::build_template(template_cursor& cursor) -> parser::node_ptr
{
    using part_kind = template_part::part_kind;
    auto const& part = cursor.parts[cursor.at];
    nesting const level(*this);
    if (level.too_deep()) {
        cursor.at = cursor.parts.size() - 1;
        return too_deep(part.range);
    }
    switch (part.kind) {
    case part_kind::literal: ++cursor.at; return make(syntax::literal(part.range, part.text));
    case part_kind::interpolation: ++cursor.at; return part.inner;
    case part_kind::if_: return build_if(cursor);
    case part_kind::for_: return build_for(cursor);
    case part_kind::end: return placeholder(part.range);  // callers stop there
    case part_kind::else_:
    case part_kind::endif:
    case part_kind::endfor: break;
    }
    ++cursor.at;
    fail(messages::directive_without_beginning,
        {part.kind == part_kind::else_          ? "else"
                : part.kind == part_kind::endif ? "endif"
                                                : "endfor"},
        part.range);
    return placeholder(part.range);
}

auto parser::build_if(template_cursor& cursor) -> parser::node_ptr
{
    using part_kind = template_part::part_kind;
    auto const open = cursor.parts[cursor.at].range;
    auto const* const condition = cursor.parts[cursor.at++].inner;
    std::vector<node_ptr> branches[2];
    std::size_t branch = 0;
    for (;;) {
        auto const& part = cursor.parts[cursor.at];
        auto const place = [&] { return at(open).text(); };
        switch (part.kind) {
        case part_kind::end:
            fail(messages::if_directive_without_end, {place()}, part.range);
            return placeholder(part.range);
        case part_kind::else_:
            ++cursor.at;
            if (branch++ == 0) continue;
            fail(messages::second_else_directive, {place()}, part.range);
            return placeholder(part.range);
        case part_kind::endfor:
            ++cursor.at;
            fail(messages::endfor_in_if_directive, {place()}, part.range);
            return placeholder(part.range);
        case part_kind::endif: {
            ++cursor.at;
            auto const* const when_true = text_of(branches[0], {open.end, open.end});
            auto const* const when_false = text_of(branches[1], {part.range.begin, part.range.begin});
            return make(syntax::conditional{
                {node_kind::conditional, between(open, part.range)}, condition, when_true, when_false});
        }
        case part_kind::literal:
        case part_kind::interpolation:
        case part_kind::if_:
        case part_kind::for_: branches[branch].push_back(build_template(cursor));
        }
    }
}

auto parser::build_for(template_cursor& cursor) -> parser::node_ptr
{
    using part_kind = template_part::part_kind;
    auto const open = cursor.parts[cursor.at++];
    std::vector<node_ptr> content;
    for (;;) {
        auto const& part = cursor.parts[cursor.at];
        switch (part.kind) {
        case part_kind::end:
            fail(messages::for_directive_without_end, {at(open.range).text()}, part.range);
            return placeholder(part.range);
        case part_kind::else_:
            ++cursor.at;
            fail(messages::else_in_for_directive, part.range);
            return placeholder(part.range);
        case part_kind::endif:
            ++cursor.at;
            fail(messages::endif_in_for_directive, {at(open.range).text()}, part.range);
            return placeholder(part.range);
        case part_kind::endfor: {
            ++cursor.at;
            auto const whole = between(open.range, part.range);
            auto const* const of = text_of(content, {open.range.end, open.range.end});
            auto const* const tuple = make(syntax::for_each{{node_kind::for_each, whole}, open.key_name,
                open.value_name, open.inner, nullptr, of, nullptr, open.range, part.range, false});
            return make(syntax::join{{node_kind::join, whole}, tuple});
        }
        case part_kind::literal:
        case part_kind::interpolation:
        case part_kind::if_:
        case part_kind::for_: content.push_back(build_template(cursor));
        }
    }
}

/// Removes the common indentation from each line of a `<<-` template.
void parser::flush_indent(part_list& parts)
{
    using part_kind = template_part::part_kind;
    auto least = std::numeric_limits<std::size_t>::max();
    bool line_start = true;
    std::vector<template_part*> first_of_line;
    for (auto& part : parts) {
        if (std::exchange(line_start, false) && part.kind != part_kind::end) {
            std::size_t spaces = 0;
            if (part.kind == part_kind::literal) {
                auto const indent = leading_white_space(part.text);
                if (indent.size() == part.text.size() && part.text.ends_with('\n')) {
                    spaces = std::numeric_limits<std::size_t>::max();
                } else {
                    spaces = grapheme_count(indent);
                    first_of_line.push_back(&part);
                }
            }
            least = std::min(least, spaces);
        }
        line_start = part.kind == part_kind::literal && part.text.ends_with('\n');
    }
    for (auto* const part : first_of_line) part->text.remove_prefix(first_graphemes(part->text, least).size());
}

void parser::meld_literals(part_list& parts)
{
    using part_kind = template_part::part_kind;
    auto const both = [](template_part const& a, template_part const& b) {
        return a.kind == part_kind::literal && b.kind == part_kind::literal;
    };
    if (std::ranges::adjacent_find(parts, both) == parts.end()) return;
    part_list melded;
    for (auto part = parts.begin(); part != parts.end();) {
        auto const last =
            std::find_if(part, parts.end(), [](auto const& item) { return item.kind != part_kind::literal; });
        melded.push_back(*part);
        if (last - part < 2) {
            ++part;
            continue;
        }
        std::string joined;
        for (; part != last; ++part) joined += part->text;
        melded.back().text = tree_.keep(std::string_view(joined));
        melded.back().range.end = std::prev(last)->range.end;
    }
    parts = std::move(melded);
}

}  // namespace iacctl::language::detail
