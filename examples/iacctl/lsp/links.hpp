// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_LINKS_HPP
#define IACCTL_LSP_LINKS_HPP

#include "features.hpp"

#include <string>
#include <vector>

namespace iacctl::lsp {

/// The source of a module that is a directory or is installed.
struct module_link {
    language::byte_range range;  ///< of the text, without quotes
    document const* to = nullptr;  ///< the main file of the module
};
[[nodiscard]] auto module_links(feature_context const& context, document const& in) -> std::vector<module_link>;

/// The JSON of the links in a document: sources of modules, and files that functions such as `templatefile` read.
[[nodiscard]] auto document_links(feature_context const& context, document const& in) -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_LINKS_HPP
