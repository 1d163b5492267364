// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_CANDIDATES_HPP
#define IACCTL_LSP_CANDIDATES_HPP

#include <string>
#include <string_view>

namespace iacctl::lsp {

/// The kinds of completion items.
/// \source Language Server Protocol 3.17, CompletionItemKind
enum class item_kind : int {
    function = 3,
    field = 5,
    variable = 6,
    type = 7,
    module = 9,
    property = 10,
    value = 12,
    keyword = 14,
    folder = 19,
    constant = 21,
    structure = 22,
};

/// A completion.
struct candidate {
    std::string label;
    item_kind kind = item_kind::value;
    std::string detail = {};
    std::string documentation = {};
    std::string snippet = {};  ///< empty: the label
    bool deprecated = false;
    int order = 1;  ///< items are sorted by it in ascending order
};

/// Escapes the characters of a text that have a meaning in snippets.
[[nodiscard]] inline auto escaped(std::string_view text) -> std::string
{
    std::string made;
    for (char const c : text) {
        if (c == '$' || c == '}' || c == '\\') made += '\\';
        made += c;
    }
    return made;
}

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_CANDIDATES_HPP
