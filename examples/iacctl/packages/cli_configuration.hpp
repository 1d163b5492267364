// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_CLI_CONFIGURATION_HPP
#define IACCTL_PACKAGES_CLI_CONFIGURATION_HPP

#include "base/expected.hpp"
#include "provider_id.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace infra = strider::infra;

/// A pattern for addresses of providers: "hashicorp/*", "example.com/*/*".
class provider_pattern {
public:
    /// Nothing if the text does not have two or three parts.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<provider_pattern>;
    [[nodiscard]] auto matches(provider_id const& p) const -> bool;
    /// Returns whether the pattern has a wildcard in a part of the address.
    [[nodiscard]] auto leaves_open(std::string provider_id::* part) const -> bool { return parts_.*part == "*"; }

private:
    provider_id parts_;  // with "*" for any
};

/// A source from which providers are installed.
class installation_method {
public:
    /// The references in the template for repositories of an OCI registry: ${hostname} and so on.
    static constexpr std::array<std::pair<std::string_view, std::string provider_id::*>, 3> template_parts{
        {{"hostname", &provider_id::host}, {"namespace", &provider_id::name_space}, {"type", &provider_id::type}}};
    enum class kind_type : std::uint8_t { direct, filesystem_mirror, network_mirror, oci_mirror };

    kind_type kind = kind_type::direct;
    std::string location;  ///< the directory or the URL of a mirror; the template for repositories of an OCI registry
    std::vector<provider_pattern> include;  ///< empty: all
    std::vector<provider_pattern> exclude;

    [[nodiscard]] auto serves(provider_id const& p) const -> bool;
};

/// A program that stores credentials.
class credentials_helper {
public:
    std::string name;
    std::vector<std::string> arguments;
};

/// Credentials for repositories of an OCI registry: a name with a password, a token, or a helper program.
class oci_credentials {
public:
    std::string username;
    std::string password;
    std::string access_token;  ///< sent unchanged
    std::string refresh_token;  ///< exchanged for another token
    std::string helper;  ///< NAME of docker-credential-NAME

    [[nodiscard]] auto is_empty() const noexcept -> bool
    {
        return username.empty() && access_token.empty() && refresh_token.empty() && helper.empty();
    }
};

/// Settings for credentials of OCI registries.
class oci_settings {
public:
    std::map<std::string, oci_credentials> credentials;  ///< by "HOST" and "HOST/PATH"
    bool discovers = true;  ///< in files of other programs
    std::optional<std::vector<std::filesystem::path>> files;  ///< files to read; nothing: those in their default places
    std::string helper;  ///< for all registries; empty: none
};

/// A block `placement`: the types whose work is done on other machines.
class placement_settings {
public:
    std::string executor;  ///< "local" or "slurm"
    std::map<std::string, std::string> places;  ///< labels of nodes, by type
};

/// Settings of the user: Terraform's CLI configuration file with the environment.
class cli_configuration {
public:
    /// Methods of a block `provider_installation`, in their order; nothing: there is no such block.
    std::optional<std::vector<installation_method>> methods;
    std::map<provider_id, std::filesystem::path> development_overrides;
    std::filesystem::path plugin_cache;  ///< empty: none
    bool cache_may_break_lock_file = false;
    std::map<std::string, std::string> tokens;  ///< by host, from blocks `credentials` and from credentials.tfrc.json
    std::optional<credentials_helper> helper;
    std::map<std::string, std::map<std::string, std::string>> services;  ///< by host, of blocks `host`
    oci_settings oci;
    std::optional<placement_settings> placement;

    /// The directory for settings of the user, `~/.terraform.d`; empty if there is no home directory.
    std::filesystem::path directory;
    /// The host to which requests for addresses at the default host are sent; the addresses do not change.
    std::string default_registry;

    /// Reads the file that TF_CLI_CONFIG_FILE names, or `~/.terraformrc` and the files of `~/.terraform.d`; then the
    /// variables TF_PLUGIN_CACHE_DIR, TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE and IACCTL_REGISTRY_HOST.
    [[nodiscard]] static auto load() -> expected<cli_configuration>;
    /// Adds the settings of the text of one file. \param shown  its name in diagnostics
    [[nodiscard]] auto add(std::string const& shown, std::string_view text) -> infra::diagnostics;
};

/// The name of a host as a key of settings: in lower case, without the default port. Nothing if it is invalid.
[[nodiscard]] auto canonical_host(std::string_view host) -> std::optional<std::string>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_CLI_CONFIGURATION_HPP
