// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SCANNER_HPP
#define IACCTL_LANGUAGE_SCANNER_HPP

#include "diagnostic.hpp"
#include "source.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace iacctl::language {

enum class token_kind : std::uint8_t {
    end_of_file,
    newline,
    identifier,
    number_literal,
    open_brace,
    close_brace,
    open_bracket,
    close_bracket,
    open_parenthesis,
    close_parenthesis,
    open_quote,
    close_quote,
    open_heredoc,
    close_heredoc,
    quoted_text,
    heredoc_text,         // literal parts of templates
    open_interpolation,
    open_control,  // ${ %{
    close_sequence,                    // the } of either
    plus,
    minus,
    star,
    slash,
    percent,
    equals,
    equal_equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    bang,
    question,
    colon,
    double_colon,
    comma,
    dot,
    ellipsis,
    fat_arrow,
    quoted_newline,
    comment,
    invalid,
};

struct token {
    token_kind kind = token_kind::end_of_file;
    byte_range range;
};

/// All tokens of a file, comments left out, with `end_of_file` at the end. Bytes that belong to no token
/// of the language become `invalid` tokens and diagnostics.
[[nodiscard]] std::vector<token> scan(source_file const& file, diagnostics& found);
/// The same with comments, which for `#` and `//` include the end of the line. Nothing is told.
[[nodiscard]] std::vector<token> scan_all(source_file const& file);

/// Text that stands at `offset` of a file, or means what stands there.
struct excerpt {
    std::string_view text;
    std::uint32_t offset = 0;
};
[[nodiscard]] std::vector<token> scan(source_file const& file, excerpt of, diagnostics& found);
/// The same for text that is a template as a whole.
[[nodiscard]] std::vector<token> scan_template(source_file const& file, excerpt of, diagnostics& found);

/// The length of the identifier that starts `text`, 0 if none does.
[[nodiscard]] std::size_t identifier_length(std::string_view text) noexcept;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SCANNER_HPP
