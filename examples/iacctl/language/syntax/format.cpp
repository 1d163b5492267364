// SPDX-License-Identifier: BSL-1.0
#include "format.hpp"

#include "base/unicode.hpp"
#include "parser.hpp"
#include "scanner.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace iacctl::language {

namespace {

/// A token with the number of spaces to write before it.
struct piece {
    token_kind kind = token_kind::end_of_file;
    std::string_view text;
    std::size_t spaces = 0;
};

using pieces = std::span<piece>;

struct line {
    pieces lead;
    pieces assign;   // from the equals sign on, if it can be aligned
    pieces comment;  // one at the end of a line
};

/// All tokens of a file that has no mistakes, comments as well.
[[nodiscard]] auto tokens_of(source_file const& file) -> std::vector<token>
{
    diagnostics none;
    scanner source(file, {file.text(), 0}, text_form::code_with_comments, none);
    std::vector<token> all;
    do {
        auto const before = all.size();
        all.resize(before + 1024);
        all.resize(before + source.read(std::span(all).subspan(before)));
    } while (all.back().kind != token_kind::end_of_file);
    return all;
}

/// The end of the sequence in a template that begins with a token: the index after the token that closes it.
[[nodiscard]] auto end_of_sequence(std::vector<token> const& all, std::size_t begin) -> std::size_t
{
    std::size_t depth = 0;
    for (std::size_t i = begin; i < all.size(); ++i) {
        auto const kind = all[i].kind;
        if (kind == token_kind::open_interpolation || kind == token_kind::open_control) ++depth;
        else if (kind == token_kind::close_sequence && --depth == 0) return i + 1;
    }
    return all.size();
}

/// Joins the tokens of each sequence in a heredoc that has several lines. Its lines stay as they are, because their
/// position belongs to the text around them.
[[nodiscard]] auto with_joined_sequences(std::string_view source, std::vector<token> const& all) -> std::vector<token>
{
    std::vector<token> made;
    made.reserve(all.size());
    std::vector<bool> in_heredoc;  // of the open quotes, heredocs and brackets of sequences
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const kind = all[i].kind;
        bool const opens = kind == token_kind::open_interpolation || kind == token_kind::open_control;
        if (opens && !in_heredoc.empty() && in_heredoc.back()) {
            auto const end = end_of_sequence(all, i);
            byte_range const whole{all[i].range.begin, all[end - 1].range.end};
            bool const breaks =
                source.substr(whole.begin, whole.end - whole.begin).find('\n') != std::string_view::npos;
            if (breaks) {
                made.push_back({token_kind::heredoc_text, false, whole});
                i = end - 1;
                continue;
            }
        }
        if (opens || kind == token_kind::open_quote) in_heredoc.push_back(false);
        else if (kind == token_kind::open_heredoc) in_heredoc.push_back(true);
        else if ((kind == token_kind::close_sequence || kind == token_kind::close_quote
                     || kind == token_kind::close_heredoc)
            && !in_heredoc.empty())
            in_heredoc.pop_back();
        made.push_back(all[i]);
    }
    return made;
}

[[nodiscard]] auto ends_line(piece const& p) noexcept -> bool
{
    return p.kind == token_kind::newline || (p.kind == token_kind::comment && p.text.ends_with('\n'));
}

[[nodiscard]] auto bracket_change(piece const& p) noexcept -> int
{
    switch (p.kind) {
    case token_kind::open_brace:
    case token_kind::open_bracket:
    case token_kind::open_parenthesis:
    case token_kind::open_control:
    case token_kind::open_interpolation: return 1;
    case token_kind::close_brace:
    case token_kind::close_bracket:
    case token_kind::close_parenthesis:
    case token_kind::close_sequence: return -1;
    default: return 0;
    }
}

[[nodiscard]] auto net_brackets(pieces p) noexcept -> int
{
    int net = 0;
    for (auto const& one : p) net += bracket_change(one);
    return net;
}

[[nodiscard]] auto columns(pieces p) -> std::size_t
{
    std::size_t count = 0;
    for (auto const& one : p) count += one.spaces + grapheme_count(one.text);
    return count;
}

[[nodiscard]] auto is_literal(token_kind kind) noexcept -> bool
{
    return kind == token_kind::quoted_text || kind == token_kind::heredoc_text;
}

/// Returns whether a minus sign after such a token is the sign of the number after it.
[[nodiscard]] auto makes_sign(token_kind before) noexcept -> bool
{
    switch (before) {
    case token_kind::end_of_file:
    case token_kind::open_parenthesis:
    case token_kind::open_brace:
    case token_kind::open_bracket:
    case token_kind::equals:
    case token_kind::colon:
    case token_kind::comma:
    case token_kind::question:
    case token_kind::plus:
    case token_kind::star:
    case token_kind::slash:
    case token_kind::percent:
    case token_kind::minus:
    case token_kind::equal_equal:
    case token_kind::not_equal:
    case token_kind::greater:
    case token_kind::greater_equal:
    case token_kind::less:
    case token_kind::less_equal:
    case token_kind::logical_and:
    case token_kind::logical_or:
    case token_kind::bang: return true;
    default: return false;
    }
}

/// Returns whether there is a space between two tokens of a line. \param before  the token before both
[[nodiscard]] auto space_between(token_kind before, piece const& left, piece const& right) -> bool
{
    using kind = token_kind;
    auto const l = left.kind;
    auto const r = right.kind;
    if (r == kind::newline) return false;
    if (l == kind::identifier && r == kind::open_parenthesis) return false;
    if ((l == kind::identifier && r == kind::double_colon) || (l == kind::double_colon && r == kind::identifier))
        return false;
    // "5. 0" is a step into 5 and "5.0" is a number; but in "a.5.b" all are steps.
    if (l == kind::number_literal && r == kind::dot && before != kind::dot) return true;
    if (l == kind::dot || r == kind::dot) return false;
    if (r == kind::comma || r == kind::ellipsis) return false;
    if (l == kind::comma) return true;
    if (is_literal(l) || l == kind::open_quote || l == kind::open_heredoc) return false;
    if (is_literal(r) || r == kind::close_quote || r == kind::close_heredoc) return false;
    if (l == kind::identifier && left.text == "in" && before == kind::identifier) return true;
    if (r == kind::open_bracket && (l == kind::identifier || l == kind::number_literal || bracket_change(left) < 0))
        return false;
    if (l == kind::bang) return false;
    if (l == kind::minus) return !makes_sign(before);
    if (l == kind::open_brace || r == kind::close_brace) return !(l == kind::open_brace && r == kind::close_brace);
    bool const opens_template = l == kind::open_interpolation || l == kind::open_control;
    if (opens_template && r == kind::open_brace) return true;
    if (l == kind::close_brace && r == kind::close_sequence) return true;
    if (l == kind::close_sequence && (r == kind::open_interpolation || r == kind::open_control)) return false;
    if (bracket_change(left) > 0 || bracket_change(right) < 0) return false;
    return true;
}

[[nodiscard]] auto lines_of(std::vector<piece>& all) -> std::vector<line>
{
    std::vector<line> lines;
    std::size_t start = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!ends_line(all[i])) continue;
        lines.push_back({pieces(all).subspan(start, i + 1 - start), {}, {}});
        start = i + 1;
    }
    lines.push_back({pieces(all).subspan(start), {}, {}});
    for (auto& one : lines) {
        if (one.lead.size() > 1 && one.lead.back().kind == token_kind::comment) {
            one.comment = one.lead.last(1);
            one.lead = one.lead.first(one.lead.size() - 1);
        }
        for (std::size_t i = 1; i < one.lead.size(); ++i) {
            if (one.lead[i].kind != token_kind::equals) continue;
            if (net_brackets(one.lead.subspan(i)) == 0) {
                one.assign = one.lead.subspan(i);
                one.lead = one.lead.first(i);
            }
            break;
        }
    }
    return lines;
}

void indent(std::vector<line> const& lines)
{
    std::vector<int> open;
    for (auto const& one : lines) {
        if (one.lead.empty()) continue;
        if (one.lead[0].kind == token_kind::newline) {
            one.lead[0].spaces = 0;
            continue;
        }
        int net = 0;
        for (auto const& each : one.lead) {
            net += bracket_change(each);
            if (each.kind == token_kind::open_heredoc) break;
        }
        net += net_brackets(one.assign);
        int closed = net < 0 ? -net : 0;
        while (closed > 0 && !open.empty()) {
            auto const taken = std::min(closed, open.back());
            closed -= taken;
            open.back() -= taken;
            if (open.back() == 0) open.pop_back();
        }
        one.lead[0].spaces = 2 * open.size();
        if (net > 0) open.push_back(net);
    }
}

void space_out(pieces p)
{
    for (std::size_t i = 0; i + 1 < p.size(); ++i) {
        auto const before = i > 0 ? p[i - 1].kind : token_kind::end_of_file;
        p[i + 1].spaces = space_between(before, p[i], p[i + 1]) ? 1 : 0;
    }
}

/// Aligns the pieces of consecutive lines in one column.
void align(std::vector<line>& lines, pieces line::* member)
{
    auto const width = [&](line const& l) {
        return columns(l.lead) + (member == &line::comment ? columns(l.assign) : 0);
    };
    for (std::size_t i = 0; i < lines.size();) {
        auto end = i;
        std::size_t widest = 0;
        for (; end < lines.size() && !(lines[end].*member).empty(); ++end) widest = std::max(widest, width(lines[end]));
        for (auto j = i; j < end; ++j) (lines[j].*member)[0].spaces = widest - width(lines[j]) + 1;
        i = std::max(end, i + 1);
    }
}

/// The changes other than white space.
class rewriter {
public:
    rewriter(std::string_view source, std::vector<token> const& tokens) : source_(source), tokens_(tokens) {}

    [[nodiscard]] auto run(body const& file) -> std::vector<piece>
    {
        visit(file, {});
        std::vector<piece> made;
        for (std::size_t i = 0; i < tokens_.size();) {
            auto const changed = changes_.find(i);
            if (changed == changes_.end()) {
                if (tokens_[i].kind != token_kind::end_of_file) made.push_back(piece_of(i));
                ++i;
                continue;
            }
            made.insert(made.end(), changed->second.with.begin(), changed->second.with.end());
            i = changed->second.end;
        }
        return made;
    }

private:
    struct change {
        std::size_t end;
        std::vector<piece> with;
    };

    [[nodiscard]] auto piece_of(std::size_t at) const -> piece
    {
        auto const& range = tokens_[at].range;
        return {tokens_[at].kind, source_.substr(range.begin, range.end - range.begin), 0};
    }
    [[nodiscard]] auto first_at(std::uint32_t offset) const -> std::size_t
    {
        auto const found = std::ranges::lower_bound(tokens_, offset, {}, [](token const& t) { return t.range.begin; });
        return static_cast<std::size_t>(found - tokens_.begin());
    }

    void visit(body const& b, std::string_view outer)
    {
        for (auto const& one : b.attributes) {
            if (outer == "variable" && one.name == "type") visit_type(one.of.node().range);
            else visit_value(one.of.node().range);
        }
        for (auto const& one : b.blocks) {
            for (auto const& label : one.labels) visit_label(label);
            // Only arguments directly in a variable block are special.
            visit(one.content, outer.empty() ? one.type : "-");
        }
    }

    void visit_label(label const& l)
    {
        auto const first = first_at(l.range.bytes.begin);
        if (tokens_[first].kind != token_kind::identifier) return;
        kept_.push_back(std::make_unique<std::string>(piece_of(first).text));
        changes_[first] = {first + 1,
            {{token_kind::open_quote, "\"", 0}, {token_kind::quoted_text, *kept_.back(), 0},
                {token_kind::close_quote, "\"", 0}}};
    }

    void visit_value(byte_range range)
    {
        auto begin = first_at(range.begin);
        auto end = first_at(range.end);
        if (end - begin < 5) return;
        auto const kind = [&](std::size_t at) { return tokens_[at].kind; };
        if (kind(begin) != token_kind::open_quote || kind(begin + 1) != token_kind::open_interpolation
            || kind(end - 2) != token_kind::close_sequence || kind(end - 1) != token_kind::close_quote)
            return;
        int quotes = 0;
        for (auto i = begin + 2; i < end - 2; ++i) {
            if (kind(i) == token_kind::open_quote) ++quotes;
            else if (kind(i) == token_kind::close_quote) --quotes;
            else if (quotes > 0) continue;
            else if (kind(i) == token_kind::open_interpolation || kind(i) == token_kind::close_sequence
                || kind(i) == token_kind::quoted_text)
                return;
        }
        auto first = begin + 2;
        auto last = end - 2;
        while (first < last && kind(first) == token_kind::newline) ++first;
        while (last > first && kind(last - 1) == token_kind::newline) --last;
        bool several = false;
        change made{end, {}};
        for (auto i = first; i < last; ++i) {
            made.with.push_back(piece_of(i));
            several = several || ends_line(made.with.back());
        }
        bool const wrapped = first < last && kind(first) == token_kind::open_parenthesis
            && kind(last - 1) == token_kind::close_parenthesis;
        if (several && !wrapped) {
            made.with.insert(made.with.begin(), {token_kind::open_parenthesis, "(", 0});
            made.with.push_back({token_kind::close_parenthesis, ")", 0});
        }
        changes_[begin] = std::move(made);
    }

    void visit_type(byte_range range)
    {
        auto const begin = first_at(range.begin);
        auto const end = first_at(range.end);
        auto const replace = [&](std::string_view word, std::string_view inner) {
            change made{end, {{token_kind::identifier, word, 0}}};
            if (!inner.empty()) {
                made.with.push_back({token_kind::open_parenthesis, "(", 0});
                made.with.push_back({token_kind::identifier, inner, 0});
                made.with.push_back({token_kind::close_parenthesis, ")", 0});
            }
            changes_[begin] = std::move(made);
        };
        if (end - begin == 1 && tokens_[begin].kind == token_kind::identifier) {
            auto const word = piece_of(begin).text;
            if (word == "list" || word == "map" || word == "set") replace(word, "any");
        } else if (end - begin == 3 && tokens_[begin].kind == token_kind::open_quote
            && tokens_[begin + 1].kind == token_kind::quoted_text) {
            auto const word = piece_of(begin + 1).text;
            if (word == "string") replace(word, {});
            if (word == "list" || word == "map") replace(word, "string");
        }
    }

    std::string_view source_;
    std::vector<token> const& tokens_;
    std::map<std::size_t, change> changes_;
    std::vector<std::unique_ptr<std::string>> kept_;

public:
    /// Texts of pieces that are not in a file.
    [[nodiscard]] auto kept() const noexcept -> std::vector<std::unique_ptr<std::string>> const& { return kept_; }
};

}  // namespace

auto format(std::string name, std::string text, format_rules rules, diagnostics& found) -> formatted_text
{
    auto const before = found.error_count();
    auto tree = parse_file(std::move(name), std::move(text), found);
    auto const source = tree->file().text();
    if (found.error_count() > before) return {std::string(source), std::move(tree)};
    auto const tokens = with_joined_sequences(source, tokens_of(tree->file()));
    rewriter changes(source, tokens);
    static body const nothing;
    auto all = changes.run(rules == format_rules::conventions ? tree->root() : nothing);
    auto lines = lines_of(all);
    indent(lines);
    for (auto const& one : lines) {
        space_out(one.lead);
        space_out(one.assign);
    }
    align(lines, &line::assign);
    align(lines, &line::comment);
    std::string out;
    out.reserve(source.size() + source.size() / 16);
    for (auto const& one : all) out.append(one.spaces, ' ').append(one.text);
    // HashiCorp's formatter keeps spaces at the end of the file.
    if (tokens.size() > 1) out.append(source.size() - tokens.end()[-2].range.end, ' ');
    return {std::move(out), std::move(tree)};
}

}  // namespace iacctl::language
