// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AZURE_ACCOUNT_HPP
#define IACCTL_STATE_BACKENDS_AZURE_ACCOUNT_HPP

#include "azure_cloud.hpp"
#include "azure_credentials.hpp"
#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/client.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// A storage account of Azure, and the right to use it. Of `access_key`, `sas_token` and `use_azuread_auth`, the first that is
/// set is used; if none is, the access key is requested from the resource manager.
struct azure_access {
    std::string account;
    std::string access_key;  ///< as bytes; empty: none
    std::string sas_token;  ///< without a question mark; empty: none
    bool use_azuread_auth = false;
    bool lookup_blob_endpoint = false;  ///< the resource manager is asked for the address of the account
    std::string resource_group;
    azure_cloud cloud;
    std::string metadata_host;  ///< the service that knows the cloud; empty: it is `cloud`
    azure_identity identity;
};

/// Signs a request with the key of an account: adds the header Authorization.
///
/// \pre The request has the headers x-ms-date and x-ms-version; the path and the query of its URL are encoded.
/// \source Azure Storage, "Authorize with Shared Key"
void sign_shared_key(http::request& r, std::string_view account, std::string_view key);

/// Authorizes requests to an account. Asks other services only when a request needs it.
class azure_account {
public:
    explicit azure_account(azure_access with) : with_(std::move(with)) {}

    /// The URL below which the containers are, without a slash at its end.
    [[nodiscard]] auto endpoint() -> expected<std::string>;
    /// Adds what authorizes a request: headers, or a signature in its URL.
    [[nodiscard]] auto authorize(http::request& r) -> expected<void>;

private:
    [[nodiscard]] auto connect() -> expected<void>;
    [[nodiscard]] auto needs_manager() const noexcept -> bool;
    [[nodiscard]] auto look_up() -> expected<void>;
    [[nodiscard]] auto ask_manager(std::string const& method, std::string const& path) -> expected<json>;

    azure_access with_;
    std::string endpoint_;  // empty: not connected yet
    std::unique_ptr<azure_tokens> tokens_;
    http::blocking_client client_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AZURE_ACCOUNT_HPP
