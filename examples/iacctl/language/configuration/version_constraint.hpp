// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP

#include "base/terraform_version.hpp"

#include <optional>
#include <string_view>

namespace iacctl::language {

/// The version of the language that is implemented.
inline constexpr std::string_view language_version = terraform_version;
/// The newest versions whose language is supported, as far as the feature table of docs/language.md states.
inline constexpr std::string_view newest_terraform_version = "1.17.0";
inline constexpr std::string_view newest_opentofu_version = "1.12.6";

/// Returns whether a version satisfies constraints such as ">= 1.2, < 2.0" or "~> 1.3"; nothing if their syntax is
/// wrong.
[[nodiscard]] auto satisfies(std::string_view version, std::string_view constraints) -> std::optional<bool>;

/// True if one of the supported versions of Terraform, or of OpenTofu, fits constraints.
[[nodiscard]] auto fits_terraform(std::string_view constraints) -> bool;
[[nodiscard]] auto fits_opentofu(std::string_view constraints) -> bool;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP
