// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_HTTP_CLIENT_HPP
#define IACCTL_PROVIDERS_HTTP_CLIENT_HPP

#include <strider/infra/concepts.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// How often a request is tried again, and after how long: each wait is twice the one before.
class http_retries {
public:
    std::int64_t most = 0;
    std::chrono::milliseconds least_wait{1000};
    std::chrono::milliseconds longest_wait{30'000};
    /// Whether that is harmless when nobody knows if the server has acted on the request.
    bool repeatable = true;
};

/// What is asked of a server.
class http_request {
public:
    std::string method = "GET";
    std::string url;
    std::map<std::string, std::string> headers;
    std::optional<std::string> body;
    std::chrono::milliseconds timeout{0};  ///< of one try; 0: none
    double most_per_second = 0;            ///< of all requests to that host and port that say so; 0: no limit
    bool insecure = false;                 ///< whoever answers is believed to be the server
    std::string trusted_pem;               ///< certificates of authorities; empty: those of the system
    std::string certificate_pem;           ///< with its key, shown to the server
    std::string key_pem;
    http_retries retries;
};

class http_response {
public:
    unsigned status = 0;
    std::map<std::string, std::string> headers;  ///< by name as in "Content-Type"; what comes twice is joined by commas
    std::string body;
};

/// An answer, or why there is none.
class http_outcome {
public:
    std::optional<http_response> response;
    std::string error;
    bool timed_out = false;
    bool cancelled = false;
    bool sent = false;  ///< the server may have got the request
};

/// Sends a request and waits for the answer, without a thread of its own; redirections are followed.
///
/// Tried again are requests that found no server, and those answered with 429 or with 500 and above save 501.
/// A cancellation ends it early. \source hashicorp/go-retryablehttp for what is tried again
[[nodiscard]] auto http_send(http_request request) -> strider::infra::task<http_outcome>;

/// The scheme, host and port of a URL, and what comes after; nothing if it is no URL for HTTP.
class http_url {
public:
    bool secure = false;
    std::string host;  ///< IPv6 addresses without their brackets
    std::string port;
    std::string target;

    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<http_url>;
    /// "example.org", "[::1]:8080": the port only if it is not the scheme's own.
    [[nodiscard]] auto authority() const -> std::string;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_HTTP_CLIENT_HPP
