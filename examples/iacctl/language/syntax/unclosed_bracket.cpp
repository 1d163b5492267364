// SPDX-License-Identifier: BSL-1.0
#include "unclosed_bracket.hpp"

#include "diagnostic.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace iacctl::language {

namespace {

struct open_bracket {
    byte_range range;
    std::size_t line = 0;
    std::size_t indentation = 0;  // of its line
    bool is_indented = false;  // a line inside of it is indented
};

[[nodiscard]] auto opens(token_kind kind) noexcept -> bool
{
    return kind == token_kind::open_brace || kind == token_kind::open_bracket || kind == token_kind::open_parenthesis;
}
[[nodiscard]] auto closes(token_kind kind) noexcept -> bool
{
    return kind == token_kind::close_brace || kind == token_kind::close_bracket
        || kind == token_kind::close_parenthesis;
}

// The open brackets at each token of a file.
class brackets {
public:
    explicit brackets(source_file const& file) : file_(file) {}

    void add(token const& next)
    {
        if (!opens(next.kind) && !closes(next.kind) && next.kind != token_kind::identifier) return;
        auto const line = file_.line_of(next.range.begin);
        auto const text = file_.text(file_.line_range(line));
        auto const indentation = std::min(text.find_first_not_of(" \t"), text.size());
        bool const is_first = next.range.begin == file_.line_range(line).begin + indentation;
        if (is_first && !open_.empty() && line != open_.back().line) check(next, line, indentation);
        if (opens(next.kind)) open_.push_back({next.range, line, indentation});
        else if (closes(next.kind) && !open_.empty()) open_.pop_back();
    }

    [[nodiscard]] auto suspect() const -> std::optional<unclosed_bracket>
    {
        return open_.empty() ? std::nullopt : suspect_;
    }

private:
    void check(token const& next, std::size_t line, std::size_t indentation)
    {
        auto& last = open_.back();
        if (indentation > last.indentation) last.is_indented = true;
        if (suspect_) return;
        bool const is_outside = closes(next.kind)
            ? indentation < last.indentation
            : indentation < last.indentation || (last.is_indented && indentation == last.indentation);
        if (is_outside) suspect_ = unclosed_bracket{last.range, line};
    }

    source_file const& file_;
    std::vector<open_bracket> open_;
    std::optional<unclosed_bracket> suspect_;  // the first one
};

}  // namespace

auto find_unclosed_bracket(source_file const& file, excerpt e) -> std::optional<unclosed_bracket>
{
    diagnostics mistakes;
    scanner tokens(file, e, text_form::code, mistakes);
    brackets all(file);
    std::array<token, 512> some;
    while (auto const count = tokens.read(some))
        for (token const& next : std::span(some).first(count)) all.add(next);
    return mistakes.has_errors() ? std::nullopt : all.suspect();
}

}  // namespace iacctl::language
