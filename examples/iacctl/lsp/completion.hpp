// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_COMPLETION_HPP
#define IACCTL_LSP_COMPLETION_HPP

#include "features.hpp"

#include <string>

namespace iacctl::lsp {

/// The JSON of all completions at a place: blocks, arguments, references, functions.
[[nodiscard]] auto completion(feature_context const& context, document_place const& at) -> std::string;

/// The JSON of the signature of the function whose call surrounds a place.
[[nodiscard]] auto signature_help(feature_context const& context, document_place const& at) -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_COMPLETION_HPP
