// SPDX-License-Identifier: BSL-1.0
#include "origin_rules.hpp"

#include "base/characters.hpp"
#include "base/http/url.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <string_view>

namespace iacctl::server {

namespace {

namespace beast = boost::beast;
using beast::http::field;

constexpr std::string_view foreign_page = "This server does not accept requests from web pages of other sites.";

// "example.org:8080" of "https://example.org:8080".
auto authority_of(std::string_view origin) -> std::string
{
    auto const scheme = origin.find("://");
    return scheme == origin.npos ? std::string() : ascii_lower_case(origin.substr(scheme + 3));
}

// The user has followed a link: the page with the link cannot read the reply, and GET does not change anything.
auto is_navigation(beast::http::request_header<> const& header) -> bool
{
    return header.method() == beast::http::verb::get && header["Sec-Fetch-Mode"] == "navigate"
        && header["Sec-Fetch-Dest"] == "document";
}

auto is_loopback(std::string const& host) -> bool
{
    if (host == "localhost" || host.ends_with(".localhost")) return true;  // \source RFC 6761 6.3
    boost::system::error_code error;
    auto const address = boost::asio::ip::make_address(host, error);
    return !error && address.is_loopback();
}

auto without_final_dot(std::string host) -> std::string
{
    if (host.ends_with('.')) host.pop_back();
    return host;
}

}  // namespace

origin_rules::origin_rules(std::string const& listen_name) : own_name_(without_final_dot(ascii_lower_case(listen_name)))
{}

auto origin_rules::is_own(std::string const& host) const -> bool
{
    if (!own_name_) return true;
    auto const parsed = http::url::parse("http://" + host);
    if (!parsed || !parsed->user_info.empty() || parsed->target != "/") return false;
    std::string const name = without_final_dot(parsed->host);
    return name == *own_name_ || is_loopback(name);
}

auto origin_rules::refusal(beast::http::request_header<> const& header) const -> std::optional<reply>
{
    auto const hosts = header.count(field::host);
    if (hosts > 1 || (hosts == 0 && header.version() >= 11))
        return error_reply(400, "The request is not valid: it must have one header Host.");
    std::string const host(header[field::host]);
    if (hosts != 0 && !is_own(host))
        return error_reply(403,
            "This server asks for no user name and password, so it only answers requests to a loopback address, to "
            "\"localhost\", and to the name in its option -listen. The header Host of this request has another name.");
    auto const [first, last] = header.equal_range(field::origin);
    bool const is_foreign = std::any_of(first, last,
        [&](auto const& item) { return authority_of(std::string(item.value())) != ascii_lower_case(host); });
    if (is_foreign) return error_reply(403, foreign_page);
    auto const site = header["Sec-Fetch-Site"];
    bool const is_link = !own_name_ && is_navigation(header);
    if (!site.empty() && site != "same-origin" && site != "none" && !is_link) return error_reply(403, foreign_page);
    return std::nullopt;
}

}  // namespace iacctl::server
