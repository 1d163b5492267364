// SPDX-License-Identifier: BSL-1.0
#include "parser.hpp"

#include "messages/syntax.hpp"
#include "parser_detail.hpp"
#include "unclosed_bracket.hpp"

#include <algorithm>
#include <iterator>

namespace iacctl::language {

namespace detail {

namespace {

[[nodiscard]] auto opposite(token_kind kind) noexcept -> token_kind
{
    switch (kind) {
    case token_kind::close_brace: return token_kind::open_brace;
    case token_kind::close_bracket: return token_kind::open_bracket;
    case token_kind::close_parenthesis: return token_kind::open_parenthesis;
    case token_kind::close_quote: return token_kind::open_quote;
    case token_kind::close_heredoc: return token_kind::open_heredoc;
    case token_kind::close_sequence: return token_kind::open_interpolation;
    default: return token_kind::end_of_file;
    }
}

[[nodiscard]] auto opens(token_kind kind) noexcept -> bool
{
    return kind == token_kind::open_brace || kind == token_kind::open_bracket || kind == token_kind::open_parenthesis
        || kind == token_kind::open_quote || kind == token_kind::open_heredoc || kind == token_kind::open_interpolation
        || kind == token_kind::open_control;
}

/// A label in Go's `%q`, for the names of blocks in messages.
[[nodiscard]] auto label_text(std::string_view text) -> std::string
{
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\r') out += "\\r";
        else out += c;
    }
    return out + '"';
}

[[nodiscard]] auto header_of(block const& b) -> std::string
{
    std::string header(b.type);
    for (auto const& one : b.labels) header += ' ' + label_text(one.text);
    return header;
}

/// Returns whether a header is written exactly as in messages, as most are: then only quotes and a space join a label.
[[nodiscard]] auto is_header(block const& b, std::string_view written) -> bool
{
    std::size_t length = b.type.size();
    for (auto const& one : b.labels) {
        bool const quoted = one.range.bytes.end - one.range.bytes.begin == one.text.size() + 2;
        if (!quoted || length >= written.size() || written[length] != ' ') return false;
        length += one.text.size() + 3;
    }
    return written.size() == length;
}

}  // namespace

void parser::finish()
{
    while (next_->kind != token_kind::end_of_file) advance();
    // Blocks have names after they have been read.
    auto const name_region = [this](diagnostic& problem) {
        problem.source.context = file_.region_at(problem.source.byte);
    };
    found_by_scanner_.update(name_region);
    found_.update(name_region);
    reported_.add(std::move(found_by_scanner_));
    reported_.add(std::move(found_));
}

void parser::refill()
{
    auto const waiting = static_cast<std::size_t>(std::copy(next_, end_, tokens_.data()) - tokens_.data());
    if (tokens_.size() - waiting < scanner::least_room) tokens_.resize(tokens_.size() * 2);
    next_ = tokens_.data();
    end_ = next_ + waiting + scanner_.read(std::span(tokens_).subspan(waiting));
}

auto parser::is_keyword(std::string_view word) -> bool
{
    auto const next = peek();
    return next.kind == token_kind::identifier && text(next) == word;
}

void parser::report(messages::message_text const& text, std::span<std::string_view const> arguments, byte_range subject,
    byte_range context)
{
    ++mistakes_;
    if (recovering_) return;
    found_.add(make_diagnostic(
        severity::error, text, arguments, at(subject), context == byte_range{} ? source_range{} : at(context)));
}

auto parser::placeholder(byte_range range) -> parser::node_ptr
{
    return make(syntax::literal(range, tree_.keep(value::unknown())));
}

auto parser::too_deep(byte_range range) -> parser::node_ptr
{
    fail(messages::expression_nested_too_deeply, range);
    recovering_ = true;
    return placeholder(range);
}

auto parser::recover(token_kind end) -> token
{
    recovering_ = true;
    auto const start = opposite(end);
    // The end of the block or template around them closes open brackets.
    bool const in_brackets = end == token_kind::close_parenthesis || end == token_kind::close_bracket;
    std::size_t nested = 0;
    std::size_t braces = 0;
    std::size_t sequences = 0;
    for (;;) {
        if (in_brackets) {
            token const next = peek();
            if (next.kind == token_kind::open_brace) ++braces;
            if (next.kind == token_kind::open_interpolation || next.kind == token_kind::open_control) ++sequences;
            if (next.kind == token_kind::close_brace && braces-- == 0) return next;
            if (next.kind == token_kind::close_sequence && sequences-- == 0) return next;
        }
        token const next = read();
        auto kind = next.kind;
        if (end == token_kind::close_sequence && kind == token_kind::open_control)
            kind = token_kind::open_interpolation;
        if (kind == token_kind::end_of_file) return next;
        if (kind == end) {
            if (nested == 0) return next;
            --nested;
        } else if (kind == start) {
            ++nested;
        }
    }
}

auto parser::fail_at_end(messages::message<0> const& m, token_kind end) -> token
{
    bool const quiet = recovering_;
    auto const last = recover(end);
    recovering_ = quiet;
    fail(m, last.range);
    recovering_ = true;
    return last;
}

void parser::recover_after_item()
{
    newlines const include(*this, true);
    std::vector<token_kind> open;
    for (;;) {
        // The brace that closes the block is not part of the item.
        if (depth_ > 1 && open.empty() && peek().kind == token_kind::close_brace) break;
        token const next = read();
        if (next.kind == token_kind::end_of_file) return;
        if (next.kind == token_kind::newline && open.empty()) break;
        if (opens(next.kind)) {
            open.push_back(next.kind == token_kind::open_control ? token_kind::open_interpolation : next.kind);
        } else if (auto const opener = opposite(next.kind); opener != token_kind::end_of_file) {
            while (!open.empty() && open.back() != opener) open.pop_back();
            if (!open.empty()) open.pop_back();
        }
    }
    // Tokens that do not begin an item belong to the error.
    auto const after = after_newlines().kind;
    recovering_ = after != token_kind::identifier && after != token_kind::close_brace;
}

void parser::recover_in_line()
{
    newlines const include(*this, true);
    std::size_t nested = 0;
    recovering_ = true;
    for (;;) {
        auto const kind = peek().kind;
        if (kind == token_kind::end_of_file || kind == token_kind::newline) return;
        if (kind == token_kind::close_brace && nested-- == 0) return;
        if (kind == token_kind::open_brace) ++nested;
        read();
    }
}

void parser::parse_root()
{
    tree_.set_root(parse_body(token_kind::end_of_file, true));
    if (found_.has_errors()) prefer_unclosed_bracket();
    finish();
}

// Errors after an unclosed bracket are consequences of it.
void parser::prefer_unclosed_bracket()
{
    auto const one = find_unclosed_bracket(file_, source_);
    if (!one) return;
    diagnostics kept;
    for (diagnostic const& found : found_) {
        bool const is_same = found.code == messages::unclosed_block.code && found.source.byte == one->range.begin;
        if (is_same) return;
        // An unclosed block is noticed at the end of the file.
        bool const is_consequence = found.source.byte > one->range.begin || found.code == messages::unclosed_block.code;
        if (!is_consequence) kept.add(found);
    }
    kept.add(
        error(messages::unclosed_bracket, {file_.text(one->range), std::to_string(one->next_line)}, at(one->range)));
    found_ = std::move(kept);
}

auto parser::parse_lone_expression() -> parser::node_ptr
{
    include_newlines_ = false;
    auto const* const root = parse_expression();
    auto const after = peek();
    if (after.kind != token_kind::end_of_file) fail(messages::text_after_expression, after.range);
    finish();
    return root;
}

auto parser::parse_body(token_kind end, bool top) -> body
{
    auto since = marks();
    byte_range const start = top ? byte_range{} : previous_range();
    nesting const level(*this);
    for (;;) {
        auto const next = peek();
        if (next.kind == end) {
            read();
            break;
        }
        if (next.kind == token_kind::newline) {
            read();
            continue;
        }
        if (next.kind == token_kind::identifier && !level.too_deep()) {
            parse_item(since, top);
            continue;
        }
        token const bad = read();
        if (bad.kind == token_kind::end_of_file) {
            fail(messages::unclosed_block, start);
            if (!top) return unclosed_body(since, start);
            recovering_ = true;
            break;
        }
        if (level.too_deep()) {
            fail(messages::block_nested_too_deeply, bad.range);
            recover(end);
            recovering_ = true;
            break;
        }
        fail(bad.kind == token_kind::open_quote ? messages::quoted_argument_name : messages::item_expected, bad.range);
        recovering_ = true;
        if (bad.kind == token_kind::open_brace) recover(token_kind::close_brace);
        recover_after_item();
    }
    return body_of(since, between(start, previous_range()));
}

auto parser::unclosed_body(item_marks const& since, byte_range open) -> body
{
    recovering_ = true;
    auto const indentation = [&](std::uint32_t offset) {
        auto const before = source_.text.substr(0, offset - source_.offset);
        auto const line = source_.text.substr(before.rfind('\n') + 1);
        return std::min(line.find_first_not_of(" \t"), line.size());
    };
    auto const own = indentation(open.begin);
    auto const first = std::find_if(blocks_.begin() + static_cast<std::ptrdiff_t>(since.blocks), blocks_.end(),
        [&](block const& b) { return indentation(b.type_range.bytes.begin) <= own; });
    std::vector<block> outside{std::move_iterator(first), std::move_iterator(blocks_.end())};
    blocks_.erase(first, blocks_.end());
    auto const end = outside.empty() ? previous_range().end : outside.front().type_range.bytes.begin;
    auto made = body_of(since, {open.begin, end});
    std::ranges::move(outside, std::back_inserter(blocks_));
    return made;
}

auto parser::body_of(item_marks const& since, byte_range range) -> body
{
    auto const attributes = attributes_.begin() + static_cast<std::ptrdiff_t>(since.attributes);
    auto const blocks = blocks_.begin() + static_cast<std::ptrdiff_t>(since.blocks);
    body made{{attributes, attributes_.end(), tree_.memory()},
        {std::move_iterator(blocks), std::move_iterator(blocks_.end()), tree_.memory()}, at(range), {}, false};
    attributes_.erase(attributes, attributes_.end());
    blocks_.erase(blocks, blocks_.end());
    return made;
}

void parser::parse_item(item_marks& marks, bool top)
{
    token const name = read();
    switch (peek().kind) {
    case token_kind::equals: return parse_attribute(name, marks, false);
    case token_kind::open_quote:
    case token_kind::open_brace:
    case token_kind::identifier: return parse_block(name, top);
    default: fail(messages::incomplete_item, {text(name)}, name.range); recover_after_item();
    }
}

void parser::parse_attribute(token const& name, item_marks& marks, bool single_line)
{
    read();
    auto const before = mistakes();
    auto const* const written = parse_expression();
    byte_range const end = previous_range();
    if (mistakes() > before && recovering_) {
        if (single_line) recover_in_line();
        else recover_after_item();
    } else if (!single_line) {
        token const after = peek();
        if (after.kind != token_kind::newline && after.kind != token_kind::end_of_file) {
            if (after.kind == token_kind::comma)
                fail(messages::comma_after_argument, after.range, between(name.range, after.range));
            else fail(messages::missing_newline_after_argument, after.range, between(name.range, after.range));
            recover_after_item();
        } else {
            read();
        }
    }
    auto const name_text = text(name);
    auto const letter = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)); };
    auto const bit =
        std::uint64_t{1} << ((name_text.size() * 8 + letter(name_text.front()) * 5 + letter(name_text.back())) % 64);
    attribute const* existing = nullptr;
    if ((std::exchange(marks.names, marks.names | bit) & bit) != 0)
        existing = marks.lookup.find(std::span<attribute const>(attributes_).subspan(marks.attributes), name_text);
    if (existing) {
        // Reported even while recovering, since the error is independent.
        found_.add(error(messages::attribute_redefined, {name_text, existing->name_range().text()}, at(name.range)));
        return;
    }
    auto& made = attributes_.emplace_back();
    made.name = name_text;
    made.of = expression(written, &file_);
    made.range = at(between(name.range, end));
}

void parser::parse_block(token const& type, bool top)
{
    block made{text(type), std::pmr::vector<label>(tree_.memory()), body_of(marks(), type.range), at(type.range),
        at(type.range), at(type.range), false};
    short_list<label> labels;
    auto const keep_labels = [&] {
        made.labels.assign(std::move_iterator(labels.begin()), std::move_iterator(labels.end()));
    };
    token open;
    for (;;) {
        token const next = peek();
        if (next.kind == token_kind::open_brace) {
            open = read();
            break;
        }
        if (next.kind == token_kind::open_quote) {
            labels.push_back(parse_quoted_label());
            continue;
        }
        if (next.kind == token_kind::identifier) {
            read();
            labels.push_back({std::string(text(next)), at(next.range)});
            continue;
        }
        auto const header = between(type.range, next.range);
        fail(next.kind == token_kind::equals       ? messages::equals_in_block_header
                : next.kind == token_kind::newline ? messages::block_header_without_brace
                                                   : messages::unexpected_in_block_header,
            next.range, header);
        recover_after_item();
        keep_labels();
        blocks_.push_back(std::move(made));
        return;
    }
    keep_labels();
    made.open_range = at(open.range);
    auto const kind = peek().kind;
    bool const multi_line =
        kind == token_kind::newline || kind == token_kind::end_of_file || kind == token_kind::close_brace;
    auto const own = static_cast<std::ptrdiff_t>(blocks_.size());
    made.content = multi_line ? parse_body(token_kind::close_brace, false) : parse_single_line_body(type, open);
    made.close_range = at(previous_range());
    auto const outside = blocks_.begin() + own;
    if (outside != blocks_.end()) made.close_range = at({made.content.range.bytes.end, made.content.range.bytes.end});
    if (top) {
        name_region(made);
        for (auto one = outside; one != blocks_.end(); ++one) name_region(*one);
    }
    token const after = peek();
    if (after.kind == token_kind::newline || after.kind == token_kind::end_of_file) {
        read();
        if (after.kind == token_kind::newline) recovering_ = false;
    } else {
        fail(messages::missing_newline_after_block, after.range, between(type.range, after.range));
        recover_after_item();
    }
    blocks_.insert(blocks_.begin() + own, std::move(made));
}

void parser::name_region(block const& b)
{
    auto const whole = between(b.type_range.bytes, b.close_range.bytes);
    auto const written = b.header_range().bytes;
    if (is_header(b, text(written))) file_.add_region(whole, written);
    else file_.add_region(whole, header_of(b));
}

auto parser::parse_single_line_body(token const& type, token const& open) -> body
{
    auto since = marks();
    token const name = read();
    auto const next = peek();
    if (name.kind != token_kind::identifier) {
        fail(messages::item_expected, name.range);
        recover_in_line();
    } else if (next.kind == token_kind::equals) {
        parse_attribute(name, since, true);
    } else if (next.kind == token_kind::open_quote || next.kind == token_kind::open_brace
        || next.kind == token_kind::identifier) {
        fail(messages::block_in_single_line_block, {text(name)}, between(name.range, next.range));
        recover_in_line();
    } else {
        fail(messages::incomplete_item, {text(name)}, name.range);
        recover_in_line();
    }
    token const after = peek();
    if (after.kind == token_kind::close_brace) {
        read();
        return body_of(since, name.range);  // starts at the name; the body of a longer block starts at its brace
    }
    if (after.kind == token_kind::comma) fail(messages::second_argument_in_single_line_block, after.range);
    else if (after.kind == token_kind::newline) fail(messages::single_line_block_goes_on, after.range);
    else if (after.kind == token_kind::end_of_file)
        fail(messages::unclosed_block, open.range, between(type.range, open.range));
    else fail(messages::unexpected_in_single_line_block, after.range);
    recover(token_kind::close_brace);
    return body_of(since, name.range);
}

auto parser::parse_quoted_label() -> label
{
    token const open = read();
    if (token const first = peek(); first.plain && ahead(1).kind == token_kind::close_quote) {
        read();
        return {std::string(text(first)), at(between(open.range, read().range))};
    }
    std::string content;
    for (;;) {
        token const next = read();
        auto const whole = between(open.range, next.range);
        switch (next.kind) {
        case token_kind::close_quote: return {std::move(content), at(whole)};
        case token_kind::quoted_text: content += meaning(next); break;
        case token_kind::open_interpolation:
        case token_kind::open_control: {
            std::string const sign(text(next).substr(0, 1));
            fail(messages::template_in_label, {sign}, next.range, whole);
            content += sign + "{ ... }";
            recover(token_kind::close_sequence);
            break;
        }
        case token_kind::end_of_file:
            fail(messages::unclosed_label, next.range, whole);
            return {std::move(content), at(whole)};
        default:
            fail(messages::unexpected_in_label, next.range, whole);
            recover(token_kind::close_quote);
            return {std::move(content), at(whole)};
        }
    }
}

auto parse_expression_in(syntax_tree& tree, std::string_view text, std::uint32_t offset, diagnostics& found)
    -> syntax::node const*
{
    return parser(tree, {text, offset}, text_form::code, found).parse_lone_expression();
}

auto parse_template_in(syntax_tree& tree, std::string_view text, std::uint32_t offset, diagnostics& found)
    -> syntax::node const*
{
    return parser(tree, {text, offset}, text_form::whole_template, found).parse_lone_template();
}

}  // namespace detail

auto body::find(std::string_view name) const noexcept -> attribute const*
{
    auto const found = std::ranges::find(attributes, name, &attribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

auto parse_file(std::string name, std::string text, diagnostics& found) -> std::shared_ptr<syntax_tree>
{
    auto tree = std::make_shared<syntax_tree>(std::make_unique<source_file>(std::move(name), std::move(text)));
    std::string_view code = tree->file().text();
    if (code.starts_with("\xFF\xFE") || code.starts_with("\xFE\xFF")) {
        // One error instead of one per character.
        found.add(error(messages::source_utf16, {}, {&tree->file(), {0, 2}}));
        code = {};
    }
    detail::parser(*tree, {code, 0}, text_form::code, found).parse_root();
    return tree;
}

auto parse_expression(std::string name, std::string text, diagnostics& found) -> parsed_expression
{
    auto tree = std::make_shared<syntax_tree>(std::make_unique<source_file>(std::move(name), std::move(text)));
    auto const* const root = detail::parse_expression_in(*tree, tree->file().text(), 0, found);
    expression const whole(root, &tree->file());
    return {std::move(tree), whole};
}

auto parse_template(std::string name, std::string text, diagnostics& found) -> parsed_expression
{
    auto tree = std::make_shared<syntax_tree>(std::make_unique<source_file>(std::move(name), std::move(text)));
    auto const* const root = detail::parse_template_in(*tree, tree->file().text(), 0, found);
    expression const whole(root, &tree->file());
    return {std::move(tree), whole};
}

}  // namespace iacctl::language
