// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AZURE_CREDENTIALS_HPP
#define IACCTL_STATE_BACKENDS_AZURE_CREDENTIALS_HPP

#include "azure_cloud.hpp"
#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "oauth.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace iacctl::backends {

/// As whom tokens of Microsoft Entra are requested. An empty text is not set.
struct azure_identity {
    std::string tenant_id;
    std::string client_id;
    std::string client_secret;
    std::string client_certificate;  ///< with its key, as PKCS #12
    std::string client_certificate_password;
    bool use_oidc = false;
    std::string oidc_token;
    std::filesystem::path oidc_token_file;  ///< read for each request, as it is replaced before it ends
    std::string oidc_request_url;
    std::string oidc_request_token;
    std::string ado_connection_id;  ///< a service connection of Azure DevOps
    bool use_msi = false;
    std::string msi_endpoint;  ///< of managed identities; empty: the usual one
    bool use_cli = true;
    std::string subscription_id;
};

/// The ways to a token, in the order in which they are tried. The first whose settings are complete is used.
enum class azure_method : std::uint8_t {
    none,
    certificate,
    secret,
    token,  ///< of a federated identity
    devops,  ///< a token that Azure DevOps issues
    request,  ///< a token that a server issues, such as that of GitHub
    managed_identity,
    command_line,
};

[[nodiscard]] auto method_of(azure_identity const& by) -> azure_method;

/// Checks that a client certificate can be read. \return the reason why it cannot; empty: it can
[[nodiscard]] auto certificate_problem(azure_identity const& by) -> std::string;

/// Requests access tokens, and keeps one for each resource until it ends.
///
/// \source Microsoft Entra, "OAuth 2.0 client credentials flow", "Managed identities: how to use an access token"; Azure CLI
class azure_tokens {
public:
    azure_tokens(azure_identity by, azure_cloud in) : identity_(std::move(by)), cloud_(std::move(in)) {}

    /// A token for a resource: "https://storage.azure.com".
    [[nodiscard]] auto token(std::string const& resource) -> expected<std::string>;

private:
    [[nodiscard]] auto fetch(std::string const& resource) -> expected<access_token>;
    [[nodiscard]] auto exchange(std::string const& resource, form_fields proof) -> expected<access_token>;
    [[nodiscard]] auto by_assertion(std::string const& resource, expected<std::string> assertion)
        -> expected<access_token>;
    [[nodiscard]] auto certificate_assertion() const -> expected<std::string>;
    [[nodiscard]] auto federated_token() const -> expected<std::string>;
    [[nodiscard]] auto devops_token() -> expected<std::string>;
    [[nodiscard]] auto requested_token() -> expected<std::string>;
    [[nodiscard]] auto of_managed_identity(std::string const& resource) -> expected<access_token>;
    [[nodiscard]] auto of_command_line(std::string const& resource) const -> expected<access_token>;
    [[nodiscard]] auto token_url() const -> std::string;

    azure_identity identity_;
    azure_cloud cloud_;
    std::map<std::string, access_token> kept_;  // by resource
    http::blocking_client client_;
};

/// The subscription that the command line of Azure uses by default.
[[nodiscard]] auto subscription_of_command_line() -> expected<std::string>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AZURE_CREDENTIALS_HPP
