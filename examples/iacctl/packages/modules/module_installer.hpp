// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_MODULES_MODULE_INSTALLER_HPP
#define IACCTL_PACKAGES_MODULES_MODULE_INSTALLER_HPP

#include "base/expected.hpp"
#include "language/configuration/configuration.hpp"
#include "packages.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace iacctl::packages {

/// Installs modules below DATA_DIRECTORY/modules while a configuration is loaded, as Terraform does.
class module_installer final : public language::module_finder {
public:
    /// \param directory  of the root module
    /// \param data       ".terraform", or that of TF_DATA_DIR; a relative one is below `directory`
    /// \param update     installs again what is installed
    /// \param report     receives lines about the progress
    module_installer(std::filesystem::path directory, std::filesystem::path data, packages::service_client& client,
        bool update, std::function<void(std::string const&)> report);

    [[nodiscard]] auto find(std::vector<std::string> const& path, language::module_call const& call,
        language::module_source const& source, infra::diagnostics& found)
        -> std::optional<language::installed_module> override;

    /// Writes the list of the modules of a configuration that this installer was requested to find.
    [[nodiscard]] auto write_manifest(language::configuration const& c) const -> infra::diagnostics;

private:
    [[nodiscard]] auto install(std::string const& key, language::module_source const& source,
        std::string const& constraints) -> expected<language::installed_module>;

    std::filesystem::path directory_;
    std::filesystem::path data_;
    package_fetcher fetcher_;
    bool update_;
    std::function<void(std::string const&)> report_;
    language::module_manifest previous_;
    std::map<std::string, language::installed_module> made_;
    std::map<std::string, module_package> fetched_;  // in this run, by address
};

/// Copies a module from an address into a directory without configuration: "init -from-module".
[[nodiscard]] auto copy_module(std::string const& address, std::filesystem::path const& directory,
    packages::service_client& client) -> infra::diagnostics;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_MODULES_MODULE_INSTALLER_HPP
