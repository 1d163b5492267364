// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_GOOGLE_CREDENTIALS_HPP
#define IACCTL_STATE_BACKENDS_GOOGLE_CREDENTIALS_HPP

#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "base/json.hpp"
#include "oauth.hpp"

#include <optional>
#include <string>
#include <vector>

namespace iacctl::backends {

/// As whom requests to Google Cloud are made.
struct google_identity {
    bool is_anonymous = false;  ///< requests have no token, as for an emulator
    std::string access_token;  ///< used as it is; empty: none
    std::optional<json> credentials;  ///< a JSON file of credentials; nothing: those of the metadata server
    std::string impersonated;  ///< the service account on whose behalf requests are made; empty: none
    std::vector<std::string> delegates;  ///< the service accounts that may grant it, in order
    std::string universe_domain = "googleapis.com";
};

/// The reason why credentials cannot be used, as a sentence.
struct credentials_problem {
    std::string why;
};

/// Reads the text of a file of credentials, and checks that its kind is one that `google_tokens` can use.
[[nodiscard]] auto read_google_credentials(std::string const& text) -> strider::result<json, credentials_problem>;

/// Requests access tokens, and keeps each until it ends.
///
/// \source Google, "How Application Default Credentials works"; AIP-4110 to 4117: service accounts, users, workload identity
/// federation with a file or a URL, the metadata server, impersonation
class google_tokens {
public:
    explicit google_tokens(google_identity of) : identity_(std::move(of)) {}

    /// A token for access to storage; empty if requests need none.
    [[nodiscard]] auto token() -> expected<std::string>;

private:
    [[nodiscard]] auto fetch() -> expected<access_token>;
    [[nodiscard]] auto of_credentials(json const& from, std::string const& scope) -> expected<access_token>;
    [[nodiscard]] auto of_service_account(json const& from, std::string const& scope) -> expected<access_token>;
    [[nodiscard]] auto of_user(json const& from) -> expected<access_token>;
    [[nodiscard]] auto of_federation(json const& from, std::string const& scope) -> expected<access_token>;
    [[nodiscard]] auto subject_token(json const& source) -> expected<std::string>;
    [[nodiscard]] auto of_metadata_server(std::string const& scope) -> expected<access_token>;
    [[nodiscard]] auto impersonate(access_token const& by, std::string url, std::vector<std::string> const& delegates,
        std::string const& scope) -> expected<access_token>;
    [[nodiscard]] auto token_url(json const& from) const -> std::string;

    google_identity identity_;
    access_token kept_;
    http::blocking_client client_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_GOOGLE_CREDENTIALS_HPP
