// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_MODULES_PACKAGES_HPP
#define IACCTL_PACKAGES_MODULES_PACKAGES_HPP

#include "base/expected.hpp"
#include "base/version.hpp"
#include "language/configuration/module_source.hpp"
#include "packages/services.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>

namespace iacctl::packages {

namespace infra = strider::infra;

/// A package of modules on this machine.
class module_package {
public:
    std::filesystem::path directory;
    std::string subdirectory;  ///< from the address, or from the server instead
    bool elsewhere = false;    ///< a directory of this machine, which is used in place
};

/// Fetches packages of modules: git repositories, archives over HTTP, repositories of OCI registries, and directories.
class package_fetcher {
public:
    explicit package_fetcher(packages::service_client& client) : client_(&client) {}

    /// Fetches the package of a remote address. \param scratch  an empty directory
    [[nodiscard]] auto fetch(language::module_source const& from, std::filesystem::path const& scratch)
        -> expected<module_package>;

    /// The newest version of a module in a registry that satisfies constraints.
    [[nodiscard]] auto select(language::module_source const& from, version_constraints const& accepted)
        -> expected<version>;
    /// The remote address of a version of a module in a registry.
    [[nodiscard]] auto locate(language::module_source const& from, version const& selected)
        -> expected<language::module_source>;

private:
    [[nodiscard]] auto fetch(language::module_source const& from, std::filesystem::path const& scratch,
        unsigned redirections) -> expected<module_package>;
    [[nodiscard]] auto fetch_archive(std::string const& url, std::filesystem::path const& scratch)
        -> infra::diagnostics;
    [[nodiscard]] auto fetch_from_registry(std::string url, std::filesystem::path const& scratch) -> infra::diagnostics;
    [[nodiscard]] auto follow(std::string const& url) -> expected<language::module_source>;
    [[nodiscard]] auto registry_url(language::module_source const& from) -> expected<std::string>;
    [[nodiscard]] static auto read_address(std::string const& text, std::string const& base)
        -> expected<language::module_source>;

    packages::service_client* client_;
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_MODULES_PACKAGES_HPP
