// SPDX-License-Identifier: BSL-1.0
#include "outline.hpp"

#include "base/characters.hpp"
#include "base/json_writer.hpp"
#include "language/syntax/format.hpp"
#include "language/syntax/scanner.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace iacctl::lsp {

namespace {

using language::byte_range;
using language::token;
using language::token_kind;

constexpr std::size_t most_symbols = 1000;

// \source Language Server Protocol 3.17, SymbolKind
enum class outline_kind : int {
    module = 2,
    namespace_kind = 3,
    method = 6,
    property = 7,
    variable = 13,
    constant = 14,
    object = 19,
    structure = 23
};

auto kind_of(std::string_view block) -> outline_kind
{
    if (block == "module" || block == "provider") return outline_kind::module;
    if (block == "terraform" || block == "locals") return outline_kind::namespace_kind;
    if (block == "variable") return outline_kind::variable;
    if (block == "output") return outline_kind::constant;
    if (block == "resource" || block == "data" || block == "ephemeral" || block == "action" || block == "list")
        return outline_kind::object;
    if (block == "run") return outline_kind::method;
    return outline_kind::structure;
}

auto kind_of(symbol_kind kind) -> outline_kind
{
    switch (kind) {
    case symbol_kind::resource:
    case symbol_kind::data:
    case symbol_kind::ephemeral:
    case symbol_kind::list:
    case symbol_kind::action: return outline_kind::object;
    case symbol_kind::run: return outline_kind::method;
    case symbol_kind::variable:
    case symbol_kind::local: return outline_kind::variable;
    case symbol_kind::module:
    case symbol_kind::provider: return outline_kind::module;
    case symbol_kind::output: return outline_kind::constant;
    case symbol_kind::check: break;
    }
    return outline_kind::structure;
}

auto title_of(language::block const& b) -> std::string
{
    std::string title(b.type);
    for (auto const& one : b.labels) title += " \"" + one.text + '"';
    return title;
}

class symbol_writer {
public:
    symbol_writer(feature_context const& context, document const& in) : with_(context), in_(in) {}

    auto hierarchy() -> std::string { return children_of(in_.tree().root(), true); }

    auto list() -> std::string
    {
        json_array all;
        for (auto const& one : in_.tree().root().blocks) {
            json_object place;
            place.text("uri", in_.uri()).raw("range", with_.range_text(in_, whole_range(one)));
            all.raw(json_object()
                    .text("name", title_of(one))
                    .raw("kind", std::to_string(static_cast<int>(kind_of(one.type))))
                    .raw("location", place.done())
                    .done());
        }
        return all.done();
    }

private:
    auto symbol(std::string const& name, outline_kind kind, byte_range whole, byte_range selected,
        std::string const& children) -> std::string
    {
        json_object made;
        made.text("name", name).raw("kind", std::to_string(static_cast<int>(kind)));
        made.raw("range", with_.range_text(in_, whole)).raw("selectionRange", with_.range_text(in_, selected));
        if (children != "[]") made.raw("children", children);
        return made.done();
    }

    auto children_of(language::body const& b, bool top) -> std::string
    {
        struct item {
            std::uint32_t begin;
            std::string text;
        };
        std::vector<item> items;
        for (auto const& one : b.attributes) {
            auto const kind = top ? outline_kind::variable : outline_kind::property;
            items.push_back({one.range.bytes.begin,
                symbol(std::string(one.name), kind, one.range.bytes, one.name_range().bytes, "[]")});
        }
        for (auto const& one : b.blocks)
            items.push_back({one.type_range.bytes.begin,
                symbol(title_of(one), top ? kind_of(one.type) : outline_kind::structure, whole_range(one),
                    one.header_range().bytes, children_of(one.content, false))});
        std::ranges::sort(items, {}, &item::begin);
        json_array all;
        for (auto const& one : items) all.raw(one.text);
        return all.done();
    }

    feature_context const& with_;
    document const& in_;
};

// Calls `use` with the tokens of a document.
void for_each_token(document const& in, std::function<void(token const&)> const& use)
{
    infra::diagnostics ignored;
    auto const& file = in.tree().file();
    language::scanner scanner(file, {file.text(), 0}, language::text_form::code_with_comments, ignored);
    std::array<token, 256> tokens;
    while (auto const count = scanner.read(tokens))
        for (token const& one : std::span(tokens).first(count)) use(one);
}

auto matches(std::string_view name, std::string_view query) -> bool
{
    std::size_t at = 0;
    for (char const c : name)
        if (at < query.size() && ascii_lower_case(c) == ascii_lower_case(query[at])) ++at;
    return at == query.size();
}

}  // namespace

auto document_symbols(feature_context const& context, document const& in) -> std::string
{
    if (!in.is_native()) return "[]";
    symbol_writer writer(context, in);
    return context.client.hierarchical_symbols ? writer.hierarchy() : writer.list();
}

auto workspace_symbols(feature_context const& context, std::string_view query) -> std::string
{
    json_array all;
    std::size_t count = 0;
    for (auto const& [directory, files] : context.files.modules())
        for (auto const& [path, file] : files)
            for (auto const& one : file.symbols().declarations) {
                if (count == most_symbols || !matches(one.key, query)) continue;
                ++count;
                json_object place;
                place.text("uri", file.uri()).raw("range", context.range_text(file, one.name_range));
                all.raw(json_object()
                        .text("name", one.key)
                        .raw("kind", std::to_string(static_cast<int>(kind_of(one.kind))))
                        .raw("location", place.done())
                        .text("containerName", directory)
                        .done());
            }
    return all.done();
}

auto folding_ranges(feature_context const& context, document const& in) -> std::string
{
    if (!in.is_native()) return "[]";
    json_array all;
    auto const& lines = in.lines();
    auto const line_of = [&](std::uint32_t offset) { return lines.position_of(offset, context.client.encoding).line; };
    auto const add = [&](std::uint32_t first, std::uint32_t last, std::string_view kind) {
        if (last <= first) return;
        json_object one;
        one.raw("startLine", std::to_string(first)).raw("endLine", std::to_string(last));
        all.raw(one.text_if("kind", kind).done());
    };
    std::vector<std::uint32_t> open;
    std::uint32_t first_comment = 0;
    std::uint32_t next_comment = 0;  // the line after the last one of a run of comments; 0: there is none
    for_each_token(in, [&](token const& t) {
        switch (t.kind) {
        case token_kind::open_brace:
        case token_kind::open_bracket:
        case token_kind::open_parenthesis:
        case token_kind::open_heredoc: open.push_back(line_of(t.range.begin)); break;
        case token_kind::close_brace:
        case token_kind::close_bracket:
        case token_kind::close_parenthesis:
        case token_kind::close_heredoc:
            if (open.empty()) break;
            // The line of the closing bracket remains visible.
            if (auto const last = line_of(t.range.begin); last > 0) add(open.back(), last - 1, {});
            open.pop_back();
            break;
        case token_kind::comment: {
            auto const first = line_of(t.range.begin);
            auto const begin = lines.offset_of({first, 0}, context.client.encoding);
            bool const alone =
                in.text().substr(begin, t.range.begin - begin).find_first_not_of(" \t") == std::string_view::npos;
            if (!alone) break;
            if (next_comment != first || next_comment == 0) {
                if (next_comment > 0) add(first_comment, next_comment - 1, "comment");
                first_comment = first;
            }
            next_comment = line_of(t.range.end - 1) + 1;
            break;
        }
        default: break;
        }
    });
    if (next_comment > 0) add(first_comment, next_comment - 1, "comment");
    return all.done();
}

auto formatting(feature_context const& context, document const& in) -> std::string
{
    if (!in.is_native()) return "null";
    infra::diagnostics found;
    auto const made = language::format(in.path(), std::string(in.text()), language::format_rules::conventions, found);
    if (found.has_errors()) return "null";
    std::string_view before = in.text();
    std::string_view after = made.text;
    if (before == after) return "[]";
    // Replaces only the lines from the first to the last difference.
    auto const same = std::ranges::mismatch(before, after).in1 - before.begin();
    auto const begin = before.rfind('\n', static_cast<std::size_t>(same) == 0 ? 0 : static_cast<std::size_t>(same) - 1);
    auto const first = same == 0 || begin == std::string_view::npos ? 0 : begin + 1;
    std::size_t last = 0;
    std::size_t whole = 0;
    while (last < before.size() - first && last < after.size() - first
        && before[before.size() - 1 - last] == after[after.size() - 1 - last]) {
        ++last;
        if (before[before.size() - last] == '\n') whole = last - 1;
    }
    byte_range const changed{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(before.size() - whole)};
    json_object edit;
    edit.raw("range", context.range_text(in, changed))
        .text("newText", after.substr(first, after.size() - whole - first));
    return json_array().raw(edit.done()).done();
}

namespace {

constexpr int no_type = -1;

auto index_of(std::string_view name) -> int
{
    return static_cast<int>(std::ranges::find(semantic_token_types, name) - semantic_token_types.begin());
}

// Collects ranges whose type follows from the tree: types of blocks, names of arguments.
void add_names(language::body const& b, std::vector<std::pair<byte_range, int>>& names)
{
    for (auto const& one : b.attributes) names.emplace_back(one.name_range().bytes, index_of("property"));
    for (auto const& one : b.blocks) {
        names.emplace_back(one.type_range.bytes, index_of("keyword"));
        for (auto const& label : one.labels) names.emplace_back(label.range.bytes, index_of("type"));
        add_names(one.content, names);
    }
}

auto type_of(token_kind kind, std::string_view text) -> int
{
    switch (kind) {
    case token_kind::identifier: {
        static constexpr std::array<std::string_view, 6> words{"false", "for", "if", "in", "null", "true"};
        return index_of(std::ranges::find(words, text) == words.end() ? "variable" : "keyword");
    }
    case token_kind::number_literal: return index_of("number");
    case token_kind::open_quote:
    case token_kind::close_quote:
    case token_kind::quoted_text:
    case token_kind::open_heredoc:
    case token_kind::heredoc_text:
    case token_kind::close_heredoc: return index_of("string");
    case token_kind::comment: return index_of("comment");
    case token_kind::plus:
    case token_kind::minus:
    case token_kind::star:
    case token_kind::slash:
    case token_kind::percent:
    case token_kind::equal_equal:
    case token_kind::not_equal:
    case token_kind::less:
    case token_kind::less_equal:
    case token_kind::greater:
    case token_kind::greater_equal:
    case token_kind::logical_and:
    case token_kind::logical_or:
    case token_kind::bang:
    case token_kind::question: return index_of("operator");
    default: return no_type;
    }
}

}  // namespace

auto semantic_tokens(feature_context const& context, document const& in) -> std::string
{
    json_array data;
    if (!in.is_native()) return json_object().raw("data", data.done()).done();
    std::vector<std::pair<byte_range, int>> names;
    add_names(in.tree().root(), names);
    std::ranges::sort(names, {}, [](auto const& item) { return item.first.begin; });
    auto named = names.begin();
    position last;
    auto const add = [&](byte_range bytes, int type) {
        auto const text = in.text();
        // A token of several lines is split into one per line.
        while (bytes.begin < bytes.end) {
            auto const newline = text.substr(0, bytes.end).find('\n', bytes.begin);
            auto end = newline == std::string_view::npos ? bytes.end : static_cast<std::uint32_t>(newline);
            auto const next = newline == std::string_view::npos ? bytes.end : end + 1;
            if (end > bytes.begin && text[end - 1] == '\r') --end;
            if (end > bytes.begin) {
                auto const place = context.range_of(in, {bytes.begin, end});
                auto const line = place.start.line - last.line;
                auto const character = line == 0 ? place.start.character - last.character : place.start.character;
                data.raw(std::to_string(line) + ',' + std::to_string(character) + ','
                    + std::to_string(place.end.character - place.start.character) + ',' + std::to_string(type) + ",0");
                last = place.start;
            }
            bytes.begin = next;
        }
    };
    token before;
    int before_type = no_type;
    for_each_token(in, [&](token const& t) {
        // A name before a parenthesis is that of a function.
        if (before_type == index_of("variable") && t.kind == token_kind::open_parenthesis)
            before_type = index_of("function");
        if (before_type != no_type) add(before.range, before_type);
        while (named != names.end() && named->first.end <= t.range.begin) ++named;
        bool const in_name = named != names.end() && named->first.begin <= t.range.begin;
        before = t;
        before_type =
            in_name ? named->second : type_of(t.kind, in.text().substr(t.range.begin, t.range.end - t.range.begin));
    });
    return json_object().raw("data", data.done()).done();
}

}  // namespace iacctl::lsp
