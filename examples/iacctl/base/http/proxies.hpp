// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_PROXIES_HPP
#define IACCTL_BASE_HTTP_PROXIES_HPP

#include "url.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::http {

/// The proxy for one request. If neither member is set, there is none.
class proxy_choice {
public:
    std::string url;
    std::string error;
};

/// The proxies that the environment configures.
///
/// \source Go, golang.org/x/net/http/httpproxy: names and precedence of the variables, forms of NO_PROXY, and that
/// localhost and loopback addresses are always reached without a proxy.
class proxies {
public:
    /// \param no_proxy  hosts to connect to directly: "example.org", ".example.org", "10.0.0.0/8", "*", with or without
    /// port
    /// \param cgi  the variables were set from the headers of an HTTP request (CGI), so that HTTP_PROXY may come from
    /// the client
    proxies(std::string http, std::string https, std::string_view no_proxy, bool cgi);
    /// HTTP_PROXY, HTTPS_PROXY, NO_PROXY, each also in lower case if the upper case one is not set.
    [[nodiscard]] static auto from_environment() -> proxies;

    [[nodiscard]] auto proxy_for(url const& target) const -> proxy_choice;

private:
    // IPv4 addresses are the last four bytes after ::ffff.
    using address = std::array<std::uint8_t, 16>;
    class network {
    public:
        address base{};
        int bits = 128;
        std::string port;
    };
    class domain {
    public:
        std::string suffix;  // with its dot
        bool itself = true;  // the domain, not only what is below it
        std::string port;
    };

    [[nodiscard]] static auto address_of(std::string const& text, address& made) -> bool;
    [[nodiscard]] auto is_direct(url const& target) const -> bool;
    void exclude(std::string_view entry);

    std::string http_;
    std::string https_;
    bool cgi_;
    bool all_direct_ = false;
    std::vector<network> networks_;
    std::vector<domain> domains_;
};

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_PROXIES_HPP
