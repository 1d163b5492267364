// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_INSTALLED_HPP
#define IACCTL_PACKAGES_INSTALLED_HPP

#include "base/expected.hpp"
#include "lock_file.hpp"
#include "provider_id.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace iacctl::packages {

namespace infra = strider::infra;

/// A plug-in that a directory uses.
class installed_provider {
public:
    std::string version;  ///< empty: a development override
    std::filesystem::path executable;  ///< empty: selected by the lock file, but not installed
    std::filesystem::path package;  ///< its directory
    std::set<std::string> checksums;  ///< from the lock file
    bool development = false;

    /// Compares the package with the checksums of the lock file, which must match before it runs. A development
    /// override has no checksums.
    [[nodiscard]] auto verify() const -> infra::diagnostics;
};

/// The plug-ins of a configuration, by the address of the provider: those of the lock file, replaced by development
/// overrides. Providers that are not in the result are built in or missing.
///
/// \param directory       contains the lock file
/// \param data_directory  ".terraform", or that of TF_DATA_DIR; a relative one is below `directory`
[[nodiscard]] auto installed_providers(std::filesystem::path const& directory,
    std::filesystem::path const& data_directory = ".terraform") -> expected<std::map<std::string, installed_provider>>;

/// The program in a package; empty: there is none.
[[nodiscard]] auto executable_in(std::filesystem::path const& package, provider_id const& p) -> std::filesystem::path;

/// The directory of a package below that of all packages.
[[nodiscard]] auto package_directory(provider_id const& p, version const& selected, platform const& target)
    -> std::filesystem::path;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_INSTALLED_HPP
