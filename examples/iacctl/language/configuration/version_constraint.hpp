// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP

#include "base/terraform_version.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language {

/// Releases of a program, from the oldest up to all patch releases of the newest minor version. Patch numbers are not
/// compared with those that were published.
struct version_range {
    std::string_view oldest;
    std::string_view newest;  ///< the first release of its minor version
};

/// The releases of Terraform and OpenTofu with which this program is compatible, as far as the feature table of
/// docs/language.md states. OpenTofu 1.8.0 is the first one that reads `.tofu` files.
inline constexpr version_range terraform_versions{terraform_version, "1.17.0"};
inline constexpr version_range opentofu_versions{"1.8.0", "1.13.0"};

/// The version of the language that is implemented.
inline constexpr std::string_view language_version = terraform_version;

/// Returns whether a version satisfies constraints such as ">= 1.2, < 2.0" or "~> 1.3"; nothing if their syntax is
/// wrong.
[[nodiscard]] auto satisfies(std::string_view version, std::string_view constraints) -> std::optional<bool>;

/// Returns whether a version of the range satisfies constraints; true if their syntax is wrong.
[[nodiscard]] auto fits(version_range const& range, std::string_view constraints) -> bool;

/// The range for messages: "1.11.4 to 1.17.x".
[[nodiscard]] auto text_of(version_range const& range) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_VERSION_CONSTRAINT_HPP
