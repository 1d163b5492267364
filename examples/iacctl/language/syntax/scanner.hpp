// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_SCANNER_HPP
#define IACCTL_LANGUAGE_SYNTAX_SCANNER_HPP

#include "diagnostic.hpp"
#include "source.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

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
    bool plain = false;  // a literal part without escapes
    byte_range range;
};

/// Text at `offset` of a file, or the decoded meaning of the text there.
struct excerpt {
    std::string_view text;
    std::uint32_t offset = 0;
};

enum class text_form : std::uint8_t {
    code,
    code_with_comments,  // comments become tokens, which for `#` and `//` include the end of the line
    whole_template,
};

/// Splits a text into tokens, in pieces: the tokens of a large file are never all in memory.
///
/// `end_of_file` comes last. Bytes that belong to no token of the language become `invalid` tokens and diagnostics.
class scanner {
public:
    scanner(source_file const& file, excerpt e, text_form form, diagnostics& found);
    ~scanner();

    /// Writes the next tokens and returns their number, which is 0 only after the last one.
    /// \pre `into` has room for `least_room`.
    [[nodiscard]] auto read(std::span<token> into) -> std::size_t;
    static constexpr std::size_t least_room = 8;

private:
    class implementation;
    std::unique_ptr<implementation> implementation_;
};

/// The length of the identifier that starts `text`, 0 if none does.
[[nodiscard]] auto identifier_length(std::string_view text) noexcept -> std::size_t;
[[nodiscard]] auto is_identifier(std::string_view text) noexcept -> bool;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_SCANNER_HPP
