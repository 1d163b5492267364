// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_HTTP_SERVER_HPP
#define IACCTL_SERVER_HTTP_SERVER_HPP

#include "base/expected.hpp"
#include "providers/catalog.hpp"
#include "state/backend.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::server {

namespace infra = strider::infra;

/// The states of a configuration that the console shows beside those of the server.
struct served_project {
    std::string name;
    std::shared_ptr<state::backend> states;
};

/// Settings of a server.
struct server_options {
    std::string listen;  ///< "HOST:PORT", "[ADDRESS]:PORT" or "unix:PATH"; port 0: any free port
    std::filesystem::path directory;  ///< of the states
    std::filesystem::path users;  ///< a `user_list`; empty: no password is required
    std::filesystem::path tls_certificate;  ///< PEM, with the certificates of authorities behind it; empty: no TLS
    std::filesystem::path tls_key;
    std::filesystem::path
        client_ca;  ///< PEM: clients need a certificate of one of these authorities; empty: they need none
    std::vector<served_project> projects;
    std::shared_ptr<providers::catalog const> known;  ///< the providers whose schemas mark sensitive values; null: none
    bool allow_plain_text = false;  ///< passwords may be sent without TLS over a network

    std::size_t longest_body = std::size_t{256} << 20U;
    std::size_t most_connections = 512;  ///< a further one replaces one of them
    /// Limit for a TLS handshake, and for the first header of a connection.
    std::chrono::milliseconds header_timeout{10'000};
    /// Limit for the header of a further request, with the idle time before it. The limit for a body is longer by a
    /// second per 32 KiB that have been transferred.
    std::chrono::milliseconds timeout{30'000};
    /// Limit for the requests that are in progress when the server is stopped.
    std::chrono::milliseconds grace{10'000};
    /// Receives a line for each change and each refusal, and for errors.
    std::function<void(std::string const&)> log = [](std::string const&) {};
};

/// Serves states over HTTP: a `state_service` and a `console` behind TLS and users.
///
/// A server that is reachable from other machines uses TLS, unless `allow_plain_text`, and requires a password or a
/// certificate. The file of users is read again when it has changed. Requests from web pages of other sites are refused
/// by `origin_rules`.
class http_server {
public:
    /// Opens the states and listens.
    [[nodiscard]] static auto open(server_options options) -> expected<http_server>;

    http_server(http_server&&) noexcept;
    auto operator=(http_server&&) noexcept -> http_server&;
    ~http_server();

    /// The address at which it listens: "https://127.0.0.1:8443", "unix:/run/states".
    [[nodiscard]] auto address() const -> std::string;
    /// Serves until `stop`, SIGTERM or SIGINT. Requests in progress are answered first.
    void run();
    /// Thread-safe.
    void stop();

private:
    class impl;

    explicit http_server(std::unique_ptr<impl> i);

    std::unique_ptr<impl> impl_;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_HTTP_SERVER_HPP
