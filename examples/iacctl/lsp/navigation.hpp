// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_NAVIGATION_HPP
#define IACCTL_LSP_NAVIGATION_HPP

#include "features.hpp"
#include "protocol.hpp"

#include <optional>
#include <string>
#include <variant>

namespace iacctl::lsp {

// Each returns the JSON of a result.
[[nodiscard]] auto definition(feature_context const& context, document_place const& at) -> std::string;
/// The declaration of a name in its module: for a name of another module the block that calls that module, for a provider
/// its entry in `required_providers`; otherwise the definition.
[[nodiscard]] auto declaration_of(feature_context const& context, document_place const& at) -> std::string;
[[nodiscard]] auto references(feature_context const& context, document_place const& at, bool with_declaration)
    -> std::string;
[[nodiscard]] auto document_highlight(feature_context const& context, document_place const& at) -> std::string;

/// A rename that was made, for the code action that adds a `moved` block.
struct renamed_object {
    symbol now;
    std::string before;  ///< the address
};

[[nodiscard]] auto prepare_rename(feature_context const& context, document_place const& at) -> std::string;
/// The edits for all occurrences, or the reason why there are none. \param renamed  receives a rename that requires a
/// `moved` block
[[nodiscard]] auto rename(feature_context const& context, document_place const& at, std::string const& name,
    std::optional<renamed_object>& renamed) -> std::variant<std::string, request_error>;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_NAVIGATION_HPP
