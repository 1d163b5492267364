// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_INSTALLER_HPP
#define IACCTL_PACKAGES_INSTALLER_HPP

#include "base/expected.hpp"
#include "cli_configuration.hpp"
#include "lock_file.hpp"
#include "sources.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace iacctl::packages {

/// The result of an installation.
class installation_result {
public:
    lock_file locks;  ///< the selections; complete only without errors
    std::vector<provider_id> checksums_of_one_platform;  ///< newly installed, without checksums for other platforms
    infra::diagnostics problems;  ///< of the installation directory
    std::map<provider_id, infra::diagnostics> problems_of;  ///< of single providers
};

/// Installs packages of providers below a directory, in Terraform's layout: HOST/NAMESPACE/TYPE/VERSION/OS_ARCH.
///
/// A package is always complete at its place: it is extracted beside it and renamed. A package must match one of the
/// checksums of the lock file, if there are any.
class installer {
public:
    /// \param report  receives lines about the progress
    installer(std::filesystem::path directory, cli_configuration const& settings, provider_sources const& sources,
        std::function<void(std::string const&)> report);

    /// Selects a version of each provider, preferably that of the lock file, and installs it.
    /// \param upgrade  select the newest versions instead
    [[nodiscard]] auto install(requirements const& required, lock_file const& previous, bool upgrade)
        -> installation_result;

private:
    [[nodiscard]] auto select(provider_id const& p, version_constraints const& accepted, locked_provider const* locked,
        bool upgrade) -> expected<version>;
    [[nodiscard]] auto install_one(provider_id const& p, version const& selected, version_constraints const& accepted,
        locked_provider const* locked, installation_result& result) -> infra::diagnostics;
    /// Links the package of the plug-in cache, if it may be used. \return whether it was linked
    [[nodiscard]] auto link_cached(provider_id const& p, std::filesystem::path const& package,
        std::filesystem::path const& place, std::set<std::string> const& accepted) -> expected<bool>;

    std::filesystem::path directory_;
    cli_configuration const* settings_;
    provider_sources const* sources_;
    std::function<void(std::string const&)> report_;
    platform here_ = platform::current();
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_INSTALLER_HPP
