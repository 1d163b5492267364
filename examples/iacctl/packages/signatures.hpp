// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_SIGNATURES_HPP
#define IACCTL_PACKAGES_SIGNATURES_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::packages {

namespace infra = strider::infra;

/// Checks a detached OpenPGP signature with the program gpgv. A key that has expired is accepted, as Terraform does;
/// one that has been revoked is not.
///
/// \param keys     in ASCII armor; one of them must have made the signature
/// \param scratch  a directory for files of this check
/// \return the id of the key of the signature
[[nodiscard]] auto check_signature(std::string_view document, std::string_view signature,
    std::vector<std::string> const& keys, std::filesystem::path const& scratch) -> expected<std::string>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_SIGNATURES_HPP
