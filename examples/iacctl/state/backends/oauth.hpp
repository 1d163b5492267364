// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OAUTH_HPP
#define IACCTL_STATE_BACKENDS_OAUTH_HPP

#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/client.hpp"
#include "base/json.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends {

/// A token that authorizes requests for some time.
struct access_token {
    using clock = std::chrono::steady_clock;

    std::string text;
    clock::time_point end = clock::time_point::max();

    /// A token that ends so many seconds from now.
    [[nodiscard]] static auto for_seconds(std::string text, std::int64_t seconds) -> access_token
    {
        return {std::move(text), clock::now() + std::chrono::seconds(seconds)};
    }
    /// Returns whether requests can use it for another five minutes, so that it does not end under way.
    [[nodiscard]] auto is_usable() const -> bool
    {
        return !text.empty() && clock::now() + std::chrono::minutes(5) < end;
    }
};

using form_fields = std::vector<std::pair<std::string_view, std::string>>;

/// Fields as application/x-www-form-urlencoded.
[[nodiscard]] auto form_text(form_fields const& fields) -> std::string;

/// A request that posts a form, is sent again if it is lost, and is not redirected to other servers.
[[nodiscard]] auto form_request(std::string url, form_fields const& fields) -> http::request;
/// The same with a JSON text.
[[nodiscard]] auto json_request(std::string url, std::string json) -> http::request;
/// A request that reads a token.
[[nodiscard]] auto token_get(std::string url) -> http::request;

/// Sends a request for a token, or for what leads to one, and returns the JSON object that it is answered with.
/// \param backend  the type of the backend, for messages
[[nodiscard]] auto fetch_json(http::blocking_client& client, http::request r, std::string_view backend)
    -> expected<json>;
/// The same, for a response with the members "access_token" and "expires_in" of OAuth 2.
[[nodiscard]] auto fetch_token(http::blocking_client& client, http::request r, std::string_view backend)
    -> expected<access_token>;

/// The failure for a response of a token server that lacks a member.
[[nodiscard]] auto token_failure(std::string_view backend, std::string_view url, std::string_view why)
    -> strider::infra::failure;

/// The message of an error that a web service reports as JSON, or as a line of plain text; empty if there is none.
[[nodiscard]] auto reported_error(http::response const& from) -> std::string;

/// A JSON web token with an RSA signature (RS256).
/// \param key_pem  the private key; nothing is returned if it is not an RSA key in PEM
/// \source RFC 7515
[[nodiscard]] auto signed_web_token(std::string_view header, std::string_view claims, std::string const& key_pem)
    -> std::optional<std::string>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OAUTH_HPP
