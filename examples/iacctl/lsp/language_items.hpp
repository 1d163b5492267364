// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_LANGUAGE_ITEMS_HPP
#define IACCTL_LSP_LANGUAGE_ITEMS_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

struct body_item;

/// The documentation of an argument or block that is part of the language; empty if there is none.
/// \param owner  the type of the block that contains it; empty: the file
[[nodiscard]] auto language_documentation(std::string_view owner, std::string_view name) -> std::string_view;

/// The same as an item for `body_description`.
[[nodiscard]] auto language_item(std::string_view owner, std::string_view name, bool is_block, std::size_t labels)
    -> body_item;
/// All arguments of a block that has no `body_shape`.
[[nodiscard]] auto language_items(std::string_view owner) -> std::vector<body_item>;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_LANGUAGE_ITEMS_HPP
