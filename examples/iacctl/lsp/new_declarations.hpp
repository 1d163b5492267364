// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_NEW_DECLARATIONS_HPP
#define IACCTL_LSP_NEW_DECLARATIONS_HPP

#include "features.hpp"
#include "workspace_edit.hpp"

#include <span>
#include <string>
#include <string_view>

namespace iacctl::lsp {

/// Adds the declaration of an object that does not exist. \param from  the document that names it
/// \param type  of a variable; may be empty \return false: objects of this kind cannot be declared there
[[nodiscard]] auto declare(feature_context const& context, symbol const& missing, document const& from,
    std::string const& type, workspace_edit& edit) -> bool;

/// Adds an entry to `required_providers` of the module of a document, and the blocks around it if they are missing.
void require_provider(feature_context const& context, document const& in, std::string_view name, workspace_edit& edit);

/// Lines for the required ones of the items of a body, each with the indentation and a value of its type.
[[nodiscard]] auto required_lines(std::span<body_item const> items, std::string_view indentation) -> std::string;

/// Adds lines to the end of a block.
void add_to_block(document const& in, language::block const& to, std::string_view lines, workspace_edit& edit);

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_NEW_DECLARATIONS_HPP
