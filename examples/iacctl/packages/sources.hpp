// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_SOURCES_HPP
#define IACCTL_PACKAGES_SOURCES_HPP

#include "base/expected.hpp"
#include "checksums.hpp"
#include "cli_configuration.hpp"
#include "provider_id.hpp"
#include "services.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace iacctl::packages {

/// Evidence that a package was published by its provider.
enum class authentication : std::uint8_t {
    none,
    checksum,  ///< its source lists its checksum
    signature,  ///< its checksum is in a document that is signed with a key of the registry
};

/// A verified package on this machine, with the data from its source.
class fetched_package {
public:
    local_package content;
    authentication by = authentication::none;
    std::string signer;  ///< the id of the key
    std::set<std::string> signed_checksums;  ///< of this version, for all platforms
    std::string url;  ///< the URL of the download; empty: it is in a directory of this machine

    /// "unauthenticated", "checksum verified", "signed, key ID 34365D9472D7468F"
    [[nodiscard]] auto authentication_text() const -> std::string;
};

/// A source of packages of providers.
class package_source {
public:
    package_source() = default;
    package_source(package_source const&) = delete;
    auto operator=(package_source const&) -> package_source& = delete;
    virtual ~package_source() = default;

    /// The versions of a provider; nothing if the source does not have the provider.
    [[nodiscard]] virtual auto versions(provider_id const& p) -> expected<std::optional<std::vector<version>>> = 0;
    /// Fetches a package and verifies it as far as the source allows. \param scratch  a directory for downloads
    [[nodiscard]] virtual auto fetch(provider_id const& p, version const& selected, platform const& target,
        std::filesystem::path const& scratch) -> expected<fetched_package> = 0;
};

/// A directory of packages, in Terraform's packed and unpacked layouts.
[[nodiscard]] auto make_filesystem_mirror(std::filesystem::path directory) -> std::unique_ptr<package_source>;
/// A server with the provider network mirror protocol.
[[nodiscard]] auto make_network_mirror(service_client& client, std::string url) -> std::unique_ptr<package_source>;
/// Repositories of OCI registries. \param pattern  of their addresses: "example.com/providers/${namespace}/${type}"
[[nodiscard]] auto make_oci_mirror(service_client& client, std::string pattern) -> std::unique_ptr<package_source>;
/// The registry at the host of each provider, with the provider registry protocol.
[[nodiscard]] auto make_registry(service_client& client) -> std::unique_ptr<package_source>;

/// All sources of packages, in order of preference.
class provider_sources {
public:
    /// The sources in `provider_installation`. Without that block: the implied local mirrors, and the registry for
    /// other providers.
    /// \param working_directory  `terraform.d/plugins` below it is an implied mirror
    provider_sources(
        service_client& client, cli_configuration const& from, std::filesystem::path const& working_directory);
    /// Only directories: -plugin-dir, -fs-mirror.
    explicit provider_sources(std::vector<std::filesystem::path> const& directories);
    /// Only one network mirror: -net-mirror.
    provider_sources(service_client& client, std::string const& mirror);

    /// The versions of all sources, sorted. An error if no source has the provider.
    [[nodiscard]] auto versions(provider_id const& p) const -> expected<std::vector<version>>;
    /// The package of the first source that has the version.
    [[nodiscard]] auto fetch(provider_id const& p, version const& selected, platform const& target,
        std::filesystem::path const& scratch) const -> expected<fetched_package>;
    /// Returns whether a directory of this machine has the provider.
    [[nodiscard]] auto has_locally(provider_id const& p) const -> bool;

private:
    class entry {
    public:
        installation_method method;
        std::unique_ptr<package_source> source;
        bool implied = false;  ///< the registry is not used for providers that it has
    };

    void add_directory(std::filesystem::path const& directory, bool implied);
    [[nodiscard]] auto serving(provider_id const& p) const -> std::vector<entry const*>;

    std::vector<entry> entries_;
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_SOURCES_HPP
