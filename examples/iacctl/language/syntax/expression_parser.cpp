// SPDX-License-Identifier: BSL-1.0
#include "messages/syntax.hpp"
#include "parser_detail.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace iacctl::language::detail {

namespace {

using syntax::node_kind;
using syntax::operation;

struct binary_operator {
    operation op = operation::add;
    int level = 0;  // the precedence, from 1; 0: not an operator
};

constexpr auto operators = [] {
    std::array<binary_operator, static_cast<std::size_t>(token_kind::invalid) + 1> made{};
    auto const add = [&](token_kind kind, operation op, int level) {
        made[static_cast<std::size_t>(kind)] = {op, level};
    };
    add(token_kind::logical_or, operation::logical_or, 1);
    add(token_kind::logical_and, operation::logical_and, 2);
    add(token_kind::equal_equal, operation::equal, 3);
    add(token_kind::not_equal, operation::not_equal, 3);
    add(token_kind::greater, operation::greater, 4);
    add(token_kind::greater_equal, operation::greater_equal, 4);
    add(token_kind::less, operation::less, 4);
    add(token_kind::less_equal, operation::less_equal, 4);
    add(token_kind::plus, operation::add, 5);
    add(token_kind::minus, operation::subtract, 5);
    add(token_kind::star, operation::multiply, 6);
    add(token_kind::slash, operation::divide, 6);
    add(token_kind::percent, operation::modulo, 6);
    return made;
}();

/// Returns whether an expression continues after an operand. Most consist of a single operand.
constexpr auto continues = [] {
    std::array<bool, operators.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = operators[i].level > 0;
    made[static_cast<std::size_t>(token_kind::question)] = true;
    return made;
}();

}  // namespace

auto parser::parse_expression() -> parser::node_ptr
{
    nesting const level(*this);
    if (level.too_deep()) return too_deep(peek().range);
    auto const before = mistakes();
    auto const failed = [&] { return recovering_ && mistakes() > before; };
    auto const* const first = parse_operand();
    if (failed() || !continues[static_cast<std::size_t>(peek().kind)]) return first;
    auto const* const condition = parse_binary(first, 1);
    if (failed() || peek().kind != token_kind::question) return condition;
    read();
    auto const* const when_true = parse_expression();
    if (failed()) return condition;
    token const colon = peek();
    if (colon.kind != token_kind::colon) {
        fail(messages::conditional_without_else, colon.range, between(condition->range, colon.range));
        recovering_ = true;
        return condition;
    }
    read();
    auto const* const when_false = parse_expression();
    if (failed()) return condition;
    return make(syntax::conditional{
        {node_kind::conditional, between(condition->range, when_false->range)}, condition, when_true, when_false});
}

auto parser::parse_binary(node_ptr left, int least) -> parser::node_ptr
{
    auto const before = mistakes();
    std::size_t chained = 0;
    auto const failed = [&] { return recovering_ && mistakes() > before; };
    for (;;) {
        if (failed()) return left;
        auto const next = operators[static_cast<std::size_t>(peek().kind)];
        if (next.level == 0 || next.level < least) return left;
        if (++chained > longest_chain) return too_deep(left->range);
        read();
        auto const* right = parse_operand();
        if (!failed()) right = parse_binary(right, next.level + 1);
        left = make(syntax::binary{{node_kind::binary, between(left->range, right->range)}, next.op, left, right});
    }
}

auto parser::parse_operand() -> parser::node_ptr
{
    auto const* const term = parse_term();
    auto const next = peek().kind;
    return next == token_kind::dot || next == token_kind::open_bracket ? parse_steps(term) : term;
}

auto parser::with_steps(node_ptr from, step_list& steps) -> parser::node_ptr
{
    if (steps.empty()) return from;
    auto const range = between(from->range, steps.back().range);
    auto const kept = tree_.keep(steps);
    steps.clear();
    if (from == steps.from_name) {
        auto& longer = *std::exchange(steps.from_name, nullptr);
        longer.steps = kept;
        longer.range = range;
        return from;
    }
    return make(syntax::relative{{node_kind::relative, range}, from, kept});
}

auto parser::parse_steps(node_ptr from) -> parser::node_ptr
{
    step_list steps;
    steps.from_name = std::exchange(last_name_, nullptr);
    std::size_t chained = 0;
    for (;;) {
        if (++chained > longest_chain) return too_deep(from->range);
        token const next = peek();
        if (next.kind == token_kind::open_bracket) {
            from = parse_index(from, steps);
            continue;
        }
        if (next.kind != token_kind::dot) return with_steps(from, steps);
        token const dot = read();
        token const name = peek();
        if (name.kind == token_kind::identifier) {
            read();
            steps.add(text(name), nullptr, between(dot.range, name.range));
        } else if (name.kind == token_kind::number_literal) {
            read();
            auto const digits = text(name);
            if (auto const point = digits.find('.'); point != std::string_view::npos)
                fail(messages::chained_legacy_index, {digits.substr(0, point), digits.substr(point + 1)}, name.range);
            auto const index = number::parse(digits);
            steps.add({}, tree_.keep(index ? value(*index) : value::unknown()), between(dot.range, name.range));
        } else if (name.kind == token_kind::star) {
            from = with_steps(from, steps);
            bool stop = false;
            from = parse_attribute_splat(from, dot, stop);
            if (stop) return from;
        } else {
            fail(messages::attribute_name_expected, name.range);
            recovering_ = true;
            return with_steps(from, steps);
        }
    }
}

auto parser::parse_attribute_splat(node_ptr from, token const& dot, bool& stop) -> parser::node_ptr
{
    token const star = read();
    auto const marker = between(dot.range, star.range);
    auto const* const item = make(syntax::node{node_kind::item, marker});
    step_list steps;
    while (peek().kind == token_kind::dot) {
        token const inner_dot = read();
        token const name = peek();
        if (name.kind == token_kind::identifier) {
            read();
            steps.add(text(name), nullptr, between(inner_dot.range, name.range));
            continue;
        }
        if (name.kind == token_kind::number_literal) {
            read();
            auto const digits = text(name);
            if (auto const point = digits.find('.'); point != std::string_view::npos)
                fail(messages::chained_legacy_index_in_splat, {digits.substr(0, point), digits.substr(point + 1)},
                    name.range);
            auto const index = number::parse(digits);
            steps.add({}, tree_.keep(index ? value(*index) : value::unknown()), between(inner_dot.range, name.range));
            continue;
        }
        fail(name.kind == token_kind::star ? messages::nested_attribute_splat : messages::attribute_name_expected,
            name.range);
        recovering_ = true;
        stop = true;
        break;
    }
    auto const* const each = with_steps(item, steps);
    return make(syntax::splat{{node_kind::splat, between(from->range, each->range)}, from, each, item, marker});
}

auto parser::parse_index(node_ptr from, step_list& steps) -> parser::node_ptr
{
    token const open = read();
    if (peek().kind == token_kind::star) {
        from = with_steps(from, steps);
        read();
        token close = read();
        if (close.kind != token_kind::close_bracket) {
            close = fail_at_end(messages::unclosed_splat_index, token_kind::close_bracket);
        }
        auto const marker = between(open.range, close.range);
        auto const* const item = make(syntax::node{node_kind::item, marker});
        nesting const level(*this);
        auto const* const each = level.too_deep() ? too_deep(marker) : parse_steps(item);
        return make(syntax::splat{{node_kind::splat, between(from->range, each->range)}, from, each, item, marker});
    }
    token close;
    node_ptr key = nullptr;
    {
        newlines const ignore(*this, false);
        auto const before = mistakes();
        key = parse_expression();
        if (recovering_ && mistakes() > before) {
            close = recover(token_kind::close_bracket);
        } else {
            close = read();
            if (close.kind != token_kind::close_bracket) {
                close = fail_at_end(messages::unclosed_index, token_kind::close_bracket);
            }
        }
    }
    auto const brackets = between(open.range, close.range);
    if (key->kind == node_kind::literal) {
        steps.add({}, tree_.keep(syntax::as<syntax::literal>(*key).constant()), brackets);
        return from;
    }
    from = with_steps(from, steps);
    return make(syntax::index{{node_kind::index, between(from->range, brackets)}, from, key, brackets});
}

auto parser::parse_parentheses() -> parser::node_ptr
{
    token const open = read();
    auto const before = mistakes();
    newlines const ignore(*this, false);
    auto const* const inner = parse_expression();
    if (mistakes() > before) {
        recover(token_kind::close_parenthesis);
        return inner;
    }
    token const close = peek();
    if (close.kind != token_kind::close_parenthesis) {
        fail(messages::unbalanced_parentheses, close.range, between(open.range, close.range));
        recovering_ = true;
    }
    read();
    return make(syntax::parentheses{{node_kind::parentheses, between(open.range, close.range)}, inner});
}

auto parser::parse_number() -> parser::node_ptr
{
    token const literal = read();
    auto const written = text(literal);
    if (written.size() <= std::numeric_limits<std::int64_t>::digits10) {
        std::int64_t small = 0;
        std::size_t digits = 0;
        for (; digits < written.size() && written[digits] >= '0' && written[digits] <= '9'; ++digits)
            small = small * 10 + (written[digits] - '0');
        if (digits == written.size()) return make(syntax::literal(literal.range, small));
    }
    auto const parsed = number::parse(written);
    if (auto const whole = parsed ? parsed->as_int64() : std::nullopt)
        return make(syntax::literal(literal.range, *whole));
    if (!parsed) fail(messages::invalid_number_literal, literal.range);
    return make(syntax::literal(literal.range, tree_.keep(parsed ? value(*parsed) : value::unknown(type::number()))));
}

auto parser::parse_term() -> parser::node_ptr
{
    token const start = peek();
    switch (start.kind) {
    case token_kind::open_parenthesis: return parse_parentheses();
    case token_kind::number_literal: return parse_number();
    case token_kind::open_quote:
    case token_kind::open_heredoc: return parse_template();
    case token_kind::open_bracket: return parse_tuple();
    case token_kind::open_brace: return parse_object();
    case token_kind::minus:
    case token_kind::bang: {
        nesting const level(*this);
        if (level.too_deep()) return too_deep(start.range);
        read();
        auto const* const operand = parse_operand();
        return make(syntax::unary{{node_kind::unary, between(start.range, operand->range)},
            start.kind == token_kind::minus ? operation::negate : operation::logical_not, start.range, operand});
    }
    case token_kind::identifier: {
        read();
        auto const next = peek().kind;
        if (next == token_kind::open_parenthesis || next == token_kind::double_colon) return parse_call(start);
        auto const name = text(start);
        static value const yes(true);
        static value const no(false);
        static value const null;
        auto const first = name.front();
        if (first == 't' && name == "true") return make(syntax::literal(start.range, &yes));
        if (first == 'f' && name == "false") return make(syntax::literal(start.range, &no));
        if (first == 'n' && name == "null") return make(syntax::literal(start.range, &null));
        return last_name_ = tree_.make(syntax::traversal{{node_kind::traversal, start.range}, name, {}});
    }
    default: break;
    }
    fail(start.kind == token_kind::end_of_file ? messages::missing_expression : messages::invalid_expression,
        start.range);
    recovering_ = true;
    return placeholder(start.range);
}

auto parser::parse_call(token const& name) -> parser::node_ptr
{
    token open = read();
    auto name_range = name.range;
    while (open.kind == token_kind::double_colon) {
        token const part = read();
        if (part.kind != token_kind::identifier) {
            fail(messages::function_name_expected, part.range, between(name.range, part.range));
            recovering_ = true;
            return placeholder(between(name.range, part.range));
        }
        name_range = between(name_range, part.range);
        open = read();
    }
    if (open.kind != token_kind::open_parenthesis) {
        fail(messages::call_without_parenthesis, open.range, between(name.range, open.range));
        recovering_ = true;
        return placeholder(between(name.range, open.range));
    }
    short_list<node_ptr> arguments;
    bool expand = false;
    token close;
    newlines const ignore(*this, false);
    for (;;) {
        if (peek().kind == token_kind::close_parenthesis) {
            close = read();
            break;
        }
        auto const before = mistakes();
        arguments.push_back(parse_expression());
        if (recovering_ && mistakes() > before) {
            close = recover(token_kind::close_parenthesis);
            break;
        }
        token const separator = read();
        if (separator.kind == token_kind::close_parenthesis) {
            close = separator;
            break;
        }
        if (separator.kind == token_kind::ellipsis) {
            expand = true;
            if (peek().kind == token_kind::close_parenthesis) {
                close = read();
                break;
            }
            fail(messages::argument_after_expansion, separator.range, between(name.range, separator.range));
            close = recover(token_kind::close_parenthesis);
            break;
        }
        if (separator.kind == token_kind::comma) continue;
        if (separator.kind == token_kind::end_of_file) fail(messages::unclosed_call, between(name.range, open.range));
        else fail(messages::missing_argument_separator, separator.range, between(name.range, separator.range));
        close = recover(token_kind::close_parenthesis);
        break;
    }
    // A name with several parts may contain spaces, which are removed.
    auto called = text(name_range);
    if (name_range != name.range && called.find_first_of(" \t\n\r/#") != std::string_view::npos) {
        std::string joined;
        for (char const c : called)
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') joined += c;
        called = tree_.keep(std::string_view(joined));
    }
    return make(syntax::call{{node_kind::call, between(name.range, close.range)}, called, name_range, close.range,
        tree_.keep(arguments), expand});
}

auto parser::parse_tuple() -> parser::node_ptr
{
    token const open = read();
    newlines const ignore(*this, false);
    if (is_keyword("for")) return parse_for(open);
    short_list<node_ptr> elements;
    token close;
    for (;;) {
        if (peek().kind == token_kind::close_bracket) {
            close = read();
            break;
        }
        auto const before = mistakes();
        elements.push_back(parse_expression());
        if (recovering_ && mistakes() > before) {
            close = recover(token_kind::close_bracket);
            break;
        }
        token const next = peek();
        if (next.kind == token_kind::close_bracket) {
            close = read();
            break;
        }
        if (next.kind == token_kind::comma) {
            read();
            continue;
        }
        if (next.kind == token_kind::end_of_file) fail(messages::unclosed_tuple, open.range);
        else fail(messages::missing_item_separator, next.range, between(open.range, next.range));
        close = recover(token_kind::close_bracket);
        break;
    }
    return make(syntax::tuple{{node_kind::tuple, between(open.range, close.range)}, tree_.keep(elements)});
}

auto parser::parse_object() -> parser::node_ptr
{
    token const open = read();
    if (auto const next = after_newlines(); next.kind == token_kind::identifier && text(next) == "for")
        return parse_for(open);
    newlines const include(*this, true);
    short_list<syntax::object_item> items;
    token close;
    for (;;) {
        token next = peek();
        if (next.kind == token_kind::newline) {
            read();
            continue;
        }
        if (next.kind == token_kind::close_brace) {
            close = read();
            break;
        }
        bool const computed = next.kind == token_kind::open_parenthesis;
        auto const before = mistakes();
        auto const* const key = parse_expression();
        if (recovering_ && mistakes() > before) {
            close = recover(token_kind::close_brace);
            break;
        }
        next = peek();
        if (next.kind != token_kind::equals && next.kind != token_kind::colon) {
            auto const context = between(open.range, next.range);
            if (next.kind == token_kind::newline || next.kind == token_kind::comma)
                fail(messages::attribute_without_value, next.range, context);
            else if (next.kind == token_kind::identifier) fail(messages::unquoted_object_key, next.range, context);
            else if (next.kind == token_kind::end_of_file) fail(messages::unclosed_object, open.range);
            else fail(messages::missing_key_value_separator, next.range, context);
            close = recover(token_kind::close_brace);
            break;
        }
        read();
        auto const* const of = parse_expression();
        if (recovering_ && mistakes() > before) {
            close = recover(token_kind::close_brace);
            break;
        }
        items.emplace_back(key, of, computed);
        next = peek();
        if (next.kind == token_kind::close_brace) {
            close = read();
            break;
        }
        if (next.kind != token_kind::comma && next.kind != token_kind::newline) {
            if (next.kind == token_kind::end_of_file) fail(messages::unclosed_object, open.range);
            else fail(messages::missing_attribute_separator, next.range, between(open.range, next.range));
            close = recover(token_kind::close_brace);
            break;
        }
        read();
    }
    return make(syntax::object{{node_kind::object, between(open.range, close.range)}, open.range, tree_.keep(items)});
}

auto parser::parse_for(token const& open) -> parser::node_ptr
{
    newlines const ignore(*this, false);
    bool const makes_object = open.kind == token_kind::open_brace;
    auto const closer = makes_object ? token_kind::close_brace : token_kind::close_bracket;
    auto const before = mistakes();
    auto const give_up = [&] {
        token const end = recover(closer);
        return placeholder(between(open.range, end.range));
    };
    auto const wrong = [&](messages::message<0> const& m) {
        token const next = peek();
        fail(m, next.range, between(open.range, next.range));
        return give_up();
    };
    auto const failed = [&] { return recovering_ && mistakes() > before; };
    read();
    syntax::for_each made{
        {node_kind::for_each, open.range}, {}, {}, nullptr, nullptr, nullptr, nullptr, open.range, {}, false};
    if (peek().kind != token_kind::identifier) return wrong(messages::for_expression_without_name);
    made.value_name = text(read());
    if (peek().kind == token_kind::comma) {
        read();
        made.key_name = made.value_name;
        if (peek().kind != token_kind::identifier) return wrong(messages::for_expression_without_second_name);
        made.value_name = text(read());
    }
    if (!is_keyword("in")) return wrong(messages::for_expression_without_in);
    read();
    made.collection = parse_expression();
    if (failed()) return give_up();
    if (peek().kind != token_kind::colon) return wrong(messages::for_expression_without_colon);
    read();
    made.of = parse_expression();
    if (failed()) return give_up();
    if (peek().kind == token_kind::fat_arrow) {
        read();
        made.key = made.of;
        made.of = parse_expression();
        if (failed()) return give_up();
    }
    byte_range ellipsis;
    if (peek().kind == token_kind::ellipsis) {
        ellipsis = read().range;
        made.group = true;
    }
    if (is_keyword("if")) {
        read();
        made.condition = parse_expression();
        if (failed()) return give_up();
    }
    token close = peek();
    if (close.kind == closer) {
        read();
    } else {
        fail(messages::text_after_for_expression, close.range, between(open.range, close.range));
        close = recover(closer);
    }
    made.close = close.range;
    made.range = between(open.range, close.range);
    if (!makes_object && made.key) fail(messages::key_in_tuple_for, made.key->range, made.range);
    if (!makes_object && made.group) fail(messages::grouping_in_tuple_for, ellipsis, made.range);
    if (makes_object && !made.key) fail(messages::object_for_without_key, made.of->range, made.range);
    if (makes_object != (made.key != nullptr)) return placeholder(made.range);
    return make(made);
}

}  // namespace iacctl::language::detail
