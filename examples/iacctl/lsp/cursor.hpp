// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_CURSOR_HPP
#define IACCTL_LSP_CURSOR_HPP

#include "language/syntax/source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

/// A block, a pair of brackets or a string around a place.
struct frame {
    enum class kind : std::uint8_t { file, block, object, list, parentheses, call, index, interpolation, string };

    kind of = kind::file;
    std::string_view name;  ///< the type of a block, the name of a function
    std::vector<std::string> labels;  ///< of a block
    std::string_view attribute;  ///< of a block or object: the argument whose value surrounds the place
    std::vector<std::string_view> written;  ///< of a block or object: its arguments before and after the place
    std::size_t argument = 0;  ///< of a call: the index of the argument at the place
    std::uint32_t begin = 0;
};

/// The surroundings of a place in a text of native syntax. They are determined from tokens alone, as the text may be
/// incomplete.
struct cursor {
    enum class place : std::uint8_t {
        none,  ///< in a comment, or where there is nothing to complete
        item,  ///< the name of an argument or block
        label,  ///< the text of a label
        key,  ///< a key of an object
        value,  ///< an expression
        text,  ///< a string, outside of interpolations
    };

    place where = place::none;
    std::vector<frame>
        frames;  ///< from the file to the innermost; the innermost block or object with all its arguments
    std::vector<std::string> steps;  ///< names before the word in a reference: "aws_vpc", "main"; "*" for an index
    language::byte_range word;  ///< the name at the place, perhaps empty
    bool is_call = false;  ///< a parenthesis follows the word

    /// The blocks around the place, from the outermost on.
    [[nodiscard]] auto blocks() const -> std::vector<frame const*>;
    /// The innermost block, or the file.
    [[nodiscard]] auto block() const -> frame const&;
};

/// \pre offset <= text.size()
[[nodiscard]] auto cursor_at(language::source_file const& file, std::uint32_t offset) -> cursor;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_CURSOR_HPP
