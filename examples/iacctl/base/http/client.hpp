// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_CLIENT_HPP
#define IACCTL_BASE_HTTP_CLIENT_HPP

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace iacctl::http {

/// The number of retries of a request, and the delays. Each delay is twice the one before it, or as long as the server
/// requests with Retry-After, but at most `longest_wait`.
class retry_policy {
public:
    std::int64_t most = 0;
    std::chrono::milliseconds least_wait{1000};
    std::chrono::milliseconds longest_wait{30'000};
    /// True if it may be sent again when the server may have processed it already.
    bool repeatable = true;
};

/// The redirections that are followed. If one is not, the response is that of the server: status 301 to 308.
enum class redirections : std::uint8_t {
    all,  ///< 301, 302 and 303 turn other methods than GET and HEAD into GET
    secure,  ///< the same, except from https to http: for data whose origin matters
    same_origin,  ///< 307 and 308 to the same scheme, host and port: for requests that write or have secrets in the body
    none,
};

class proxies;

class request {
public:
    std::string method = "GET";
    std::string url;  ///< a user and password in it are sent as basic authentication
    std::map<std::string, std::string> headers;
    std::optional<std::string> body;

    /// Limit for name resolution, connection, TLS and proxy handshakes.
    std::chrono::milliseconds connect_timeout{30'000};
    /// Limit for one attempt with all its redirections, from its start to the last byte of the response; 0: none.
    std::chrono::milliseconds timeout{120'000};
    std::size_t longest_body = std::size_t{256} << 20U;  ///< of the response
    double most_per_second = 0;  ///< for all requests to the same host and port that have a limit; 0: no limit
    retry_policy retries;
    redirections follows = redirections::all;
    std::shared_ptr<proxies const> via;  ///< null: the proxies of the environment

    bool insecure = false;  ///< the certificate of the server is not verified
    std::string trusted_pem;  ///< certificates of authorities; empty: those of the system, or SSL_CERT_FILE
    std::string certificate_pem;  ///< with its key, shown to the server
    std::string key_pem;
};

enum class failure_kind : std::uint8_t {
    none,
    refused,  ///< the request or the server breaks a rule: a retry would fail, too
    lost,  ///< there is no connection, or it ended too early
    timed_out,
    cancelled,
};

/// The response of a server, or the reason why there is none.
class response {
public:
    unsigned status = 0;  ///< 0: there is none
    std::map<std::string, std::string> headers;  ///< by name as in "Content-Type"; repeated ones are joined by commas
    std::string body;
    std::chrono::seconds retry_after{0};

    failure_kind failure = failure_kind::none;
    std::string error;  ///< "GET https://example.org/a: …", without passwords; empty if there is a response
    bool sent = false;  ///< a server may have received the request
    std::string url;  ///< of the last request, after redirections, without user information; empty: it is invalid

    [[nodiscard]] explicit operator bool() const noexcept { return status != 0; }
    /// The error without the method and the URL, for messages that name the URL.
    [[nodiscard]] auto reason() const -> std::string
    {
        auto const colon = error.find(": ");
        return colon == std::string::npos ? error : error.substr(colon + 2);
    }
};

/// Sends a request and waits for the response, without a thread of its own. Connections are kept for later requests
/// from the same execution context.
///
/// At most ten redirections are followed, if `follows` permits them. On a redirection to another scheme, host or port, no credentials are sent:
/// only the headers Accept, Accept-*, Content-* and User-Agent, no client certificate, no user and password of the URL.
/// Requests are retried, as configured in `retries`, if they were lost or timed out, or were answered with 429, or with
/// 500 and above except 501.
///
/// \par Cancellation
/// Terminal cancellation ends the request at once.
/// \source hashicorp/go-retryablehttp for what is sent again; Go, net/http, for redirections and proxies
[[nodiscard]] auto send(request r) -> boost::asio::awaitable<response>;

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_CLIENT_HPP
