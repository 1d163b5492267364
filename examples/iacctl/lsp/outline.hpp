// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_OUTLINE_HPP
#define IACCTL_LSP_OUTLINE_HPP

#include "features.hpp"

#include <array>
#include <string>
#include <string_view>

namespace iacctl::lsp {

// Each returns the JSON of a result.
[[nodiscard]] auto document_symbols(feature_context const& context, document const& in) -> std::string;
/// The declarations of all modules whose names contain the characters of a query in their order.
[[nodiscard]] auto workspace_symbols(feature_context const& context, std::string_view query) -> std::string;
[[nodiscard]] auto folding_ranges(feature_context const& context, document const& in) -> std::string;
/// The edits that format a document as `iacctl fmt` does; null if it has syntax errors.
[[nodiscard]] auto formatting(feature_context const& context, document const& in) -> std::string;

/// The legend of semantic tokens.
inline constexpr std::array<std::string_view, 9> semantic_token_types{
    "keyword", "type", "property", "variable", "function", "string", "number", "operator", "comment"};
[[nodiscard]] auto semantic_tokens(feature_context const& context, document const& in) -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_OUTLINE_HPP
