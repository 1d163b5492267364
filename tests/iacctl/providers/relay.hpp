// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PROVIDERS_RELAY_HPP
#define STRIDER_TESTS_IACCTL_PROVIDERS_RELAY_HPP

#include "support.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace providers_test {

/// A program in front of a server on this machine, which forwards bytes.
class relay {
public:
    /// A relay with TLS.
    /// \param certificate  the certificate with its key
    /// \param clients_of  the authority that must have issued the certificates of clients; empty: clients need none
    [[nodiscard]] static auto tls(std::string const& url, std::string const& certificate, std::string const& clients_of)
        -> relay;
    /// A proxy for CONNECT and SOCKS 5. It connects to that server, whatever destination the client requests.
    [[nodiscard]] static auto proxy(std::string const& url) -> relay;
    relay(relay const&) = delete;
    auto operator=(relay const&) -> relay& = delete;
    ~relay();

    /// "localhost:43210"
    [[nodiscard]] auto authority() const -> std::string { return "localhost:" + port_; }
    /// Ends the relay.
    /// \return the events: "handshake", "resumed", "CONNECT example.org:443 (Basic dTpw)" or "SOCKS example.org:443"
    [[nodiscard]] auto log() -> std::vector<std::string>;

private:
    relay(std::string const& url, std::string const& certificate, std::string const& clients_of);
    [[nodiscard]] auto line() -> std::string;

    scratch_directory scratch_;
    std::FILE* output_ = nullptr;
    int input_ = -1;
    int child_ = -1;
    std::string port_;
};

}  // namespace providers_test

#endif  // STRIDER_TESTS_IACCTL_PROVIDERS_RELAY_HPP
