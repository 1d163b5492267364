// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_UNUSED_HPP
#define IACCTL_LSP_UNUSED_HPP

#include "documents.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

/// A declaration that can be removed without any effect.
struct unused_declaration {
    std::string_view what;  ///< "variable"
    std::string_view name;
    language::byte_range name_range;
    language::byte_range range;
};

/// The variables, local values, data sources, aliases of providers and entries of `required_providers` of a file that
/// nothing refers to. Empty while a file of the module has syntax errors, which may hide a reference.
[[nodiscard]] auto unused_declarations(documents& files, document const& in) -> std::vector<unused_declaration>;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_UNUSED_HPP
