// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_CODE_ACTIONS_HPP
#define IACCTL_LSP_CODE_ACTIONS_HPP

#include "features.hpp"
#include "navigation.hpp"

#include <optional>
#include <string>

namespace iacctl::lsp {

/// The part of a document for which an editor requests actions.
struct action_request {
    document const& in;
    language::byte_range selected;
    json const* context = nullptr;  ///< the member of the request, with the diagnostics of the editor; may be null
    std::optional<renamed_object> const& renamed;
};

/// The JSON of the actions: corrections of misspelt names, declarations that are missing, arguments that are missing,
/// removal of what is unused, entries of `required_providers`, blocks `moved` for objects with a new name.
[[nodiscard]] auto code_actions(feature_context const& context, action_request const& request) -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_CODE_ACTIONS_HPP
