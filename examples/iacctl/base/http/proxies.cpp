// SPDX-License-Identifier: BSL-1.0
#include "proxies.hpp"

#include "base/characters.hpp"
#include "base/environment.hpp"
#include "base/trimmed.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace iacctl::http {

namespace {

auto variable(char const* upper, char const* lower) -> std::string
{
    std::string set = environment_variable(upper);
    return set.empty() ? environment_variable(lower) : set;
}

// A proxy in libcurl's format: with a port, and with names resolved by the proxy if the scheme supports that.
auto normalized(std::string const& given) -> std::optional<std::string>
{
    auto const end = given.find("://");
    std::string const scheme = end == std::string::npos ? "http" : ascii_lower_case(given.substr(0, end));
    bool const socks = scheme == "socks5" || scheme == "socks5h";
    if (!socks && scheme != "http" && scheme != "https") return std::nullopt;
    std::string_view const rest = std::string_view(given).substr(end == std::string::npos ? 0 : end + 3);
    auto const parsed = url::parse("http://" + std::string(rest));
    if (!parsed) return std::nullopt;
    bool const names_port = parsed->port == url::parse("https://" + std::string(rest))->port;
    std::string const port = names_port ? parsed->port : socks ? "1080" : scheme == "https" ? "443" : "80";
    std::string const host = parsed->host.find(':') == std::string::npos ? parsed->host : "[" + parsed->host + "]";
    std::string const user = parsed->user_info.empty() ? "" : parsed->user_info + "@";
    return (socks ? "socks5h" : scheme) + "://" + user + host + ":" + port;
}

}  // namespace

proxies::proxies(std::string http, std::string https, std::string_view no_proxy, bool cgi)
    : http_(std::move(http)),
      https_(std::move(https)),
      cgi_(cgi)
{
    while (!no_proxy.empty()) {
        auto const end = std::min(no_proxy.find(','), no_proxy.size());
        exclude(trimmed(no_proxy.substr(0, end)));
        no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
    }
}

auto proxies::from_environment() -> proxies
{
    return {variable("HTTP_PROXY", "http_proxy"), variable("HTTPS_PROXY", "https_proxy"),
        variable("NO_PROXY", "no_proxy"), !variable("REQUEST_METHOD", "REQUEST_METHOD").empty()};
}

auto proxies::proxy_for(url const& target) const -> proxy_choice
{
    std::string const& given = target.secure ? https_ : http_;
    if (given.empty() || is_direct(target)) return {};
    if (!target.secure && cgi_)
        return {
            {}, "HTTP_PROXY is not used because REQUEST_METHOD is set: in a CGI program, a client can set HTTP_PROXY"};
    auto made = normalized(given);
    std::string const name = target.secure ? "HTTPS_PROXY" : "HTTP_PROXY";
    if (!made) return {{}, "the value of " + name + " is not the URL of a proxy with the scheme http, https or socks5"};
    return {std::move(*made), {}};
}

auto proxies::address_of(std::string const& text, address& made) -> bool
{
    made = {};
    made[10] = made[11] = 0xFF;
    return ::inet_pton(AF_INET, text.c_str(), &made[12]) == 1 || ::inet_pton(AF_INET6, text.c_str(), made.data()) == 1;
}

void proxies::exclude(std::string_view entry)
{
    std::string name = ascii_lower_case(entry);
    if (name.empty()) return;
    if (name == "*") all_direct_ = true;
    network of;
    if (auto const slash = name.find('/'); slash != std::string::npos) {
        char const* const end = name.data() + name.size();
        auto const [last, error] = std::from_chars(name.data() + slash + 1, end, of.bits);
        bool const short_form = name.find(':') == std::string::npos;
        if (error != std::errc() || last != end || !address_of(name.substr(0, slash), of.base)) return;
        if (of.bits < 0 || of.bits > (short_form ? 32 : 128)) return;
        if (short_form) of.bits += 96;
        networks_.push_back(std::move(of));
        return;
    }
    std::string port;
    bool const bracketed = name.starts_with('[');
    auto const colon = name.rfind(':');
    if (bracketed || (colon != std::string::npos && name.find(':') == colon)) {
        auto const close = bracketed ? name.find(']') : colon;
        if (close == std::string::npos) return;
        if (colon != std::string::npos && colon >= close) port = name.substr(colon + 1);
        name = name.substr(bracketed ? 1 : 0, close - (bracketed ? 1 : 0));
    }
    if (address_of(name, of.base)) {
        of.port = port;
        networks_.push_back(std::move(of));
        return;
    }
    if (name.starts_with("*.")) name.erase(0, 1);
    if (name.empty()) return;
    bool const itself = !name.starts_with('.');
    domains_.push_back({itself ? "." + name : name, itself, std::move(port)});
}

auto proxies::is_direct(url const& target) const -> bool
{
    if (all_direct_ || target.host == "localhost") return true;
    auto const same_port = [&](auto const& item) { return item.port.empty() || item.port == target.port; };
    address host{};
    if (address_of(target.host, host)) {
        auto const within = [&](network const& n) {
            for (int bit = 0; bit < n.bits; bit += 8) {
                auto const at = static_cast<std::size_t>(bit / 8);
                int const rest = std::min(n.bits - bit, 8);
                auto const mask = static_cast<std::uint8_t>(0xFF00U >> static_cast<unsigned>(rest));
                if (((host[at] ^ n.base[at]) & mask) != 0) return false;
            }
            return same_port(n);
        };
        network loopback;
        (void)address_of("127.0.0.0", loopback.base);
        loopback.bits = 104;
        network loopback6;
        loopback6.base[15] = 1;
        return within(loopback) || within(loopback6) || std::ranges::any_of(networks_, within);
    }
    return std::ranges::any_of(domains_, [&](domain const& d) {
        std::string_view const suffix = d.suffix;
        return (target.host.ends_with(suffix) || (d.itself && target.host == suffix.substr(1))) && same_port(d);
    });
}

}  // namespace iacctl::http
