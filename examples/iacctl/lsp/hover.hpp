// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_HOVER_HPP
#define IACCTL_LSP_HOVER_HPP

#include "features.hpp"
#include "language/evaluation/functions.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

/// The JSON of the documentation for a place: types, descriptions, values.
[[nodiscard]] auto hover(feature_context const& context, document_place const& at) -> std::string;

/// A function with its parameters: `trim(str: string, cutset: string) -> string`, and the range of each parameter in
/// that text.
struct function_label {
    std::string text;
    std::vector<language::byte_range> parameters;
    bool is_variadic = false;  ///< the last parameter accepts all further arguments
};
/// \pre `name` is one of `function_names()`
[[nodiscard]] auto label_of_function(std::string_view name) -> function_label;
/// Returns whether this is the name of a function of the language, with or without the prefix `core::`.
[[nodiscard]] auto is_function(std::string_view name) -> bool;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_HOVER_HPP
