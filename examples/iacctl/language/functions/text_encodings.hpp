// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FUNCTIONS_TEXT_ENCODINGS_HPP
#define IACCTL_LANGUAGE_FUNCTIONS_TEXT_ENCODINGS_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language::detail {

/// The name by which the C library knows a text encoding; nothing if Terraform does not accept the given name. Upper and
/// lower case are equal.
[[nodiscard]] auto text_encoding(std::string_view name) -> std::optional<std::string>;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_TEXT_ENCODINGS_HPP
