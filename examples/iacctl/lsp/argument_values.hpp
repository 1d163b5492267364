// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_ARGUMENT_VALUES_HPP
#define IACCTL_LSP_ARGUMENT_VALUES_HPP

#include "candidates.hpp"
#include "cursor.hpp"
#include "features.hpp"

#include <optional>
#include <string>
#include <vector>

namespace iacctl::lsp {

/// The completions that the argument around a place determines.
struct argument_values {
    std::vector<candidate> items;
    std::optional<language::byte_range>
        word;  ///< the part of a string that they replace; nothing: the word of the place
};

/// Completes arguments that do not have arbitrary expressions: sources of modules, entries of `required_providers`,
/// addresses, keywords. Nothing for another place.
[[nodiscard]] auto values_of_argument(feature_context const& context, document_place const& at, cursor const& where)
    -> std::optional<argument_values>;

/// The entries of `required_providers` for the known providers, as items with the name, the source and the version.
[[nodiscard]] auto provider_entries(feature_context const& context, std::string const& directory)
    -> std::vector<candidate>;
/// An entry of `required_providers` for a local name; without a version if none is installed.
[[nodiscard]] auto provider_entry(feature_context const& context, std::string const& directory, std::string_view name)
    -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_ARGUMENT_VALUES_HPP
