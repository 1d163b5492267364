// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_CHECKSUMS_HPP
#define IACCTL_PACKAGES_CHECKSUMS_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace iacctl::packages {

namespace infra = strider::infra;

/// A package of a provider on this machine: a directory, or a zip archive.
class local_package {
public:
    std::filesystem::path path;
    bool archive = false;
};

/// The checksum of the files of a package: "h1:" and base64. It is the same for a directory and its archive.
/// \source golang.org/x/mod/sumdb/dirhash, Hash1
[[nodiscard]] auto content_checksum(local_package const& package) -> expected<std::string>;

/// The checksum of an archive as a file: "zh:" and hexadecimal digits.
[[nodiscard]] auto archive_checksum(std::filesystem::path const& archive) -> expected<std::string>;

/// Returns whether a package has one of these checksums. Checksums of unknown schemes never match.
[[nodiscard]] auto matches_any(local_package const& package, std::set<std::string> const& checksums) -> expected<bool>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_CHECKSUMS_HPP
