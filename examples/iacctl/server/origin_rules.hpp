// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_ORIGIN_RULES_HPP
#define IACCTL_SERVER_ORIGIN_RULES_HPP

#include "state_service.hpp"

#include <boost/beast/http/message.hpp>

#include <optional>
#include <string>

namespace iacctl::server {

/// Refuses requests that a web browser sends for a page of another site.
///
/// Such a page can send requests to each address that the browser can reach, also to a loopback address. It can also
/// change the address of its own name to a loopback address (DNS rebinding); `Host` then has the name of the page.
/// \source RFC 9112 3.2 (Host); Fetch (Origin); Fetch Metadata Request Headers (Sec-Fetch-Site)
class origin_rules {
public:
    /// Rules for a server that identifies its clients: any name of it is valid, and links to its pages are.
    origin_rules() = default;
    /// Rules for a server on this machine that does not identify its clients: `Host` must be a loopback address, a name
    /// of one, or the name at which the server listens. \param listen_name  without the port
    explicit origin_rules(std::string const& listen_name);

    /// The refusal of a request by its header; nothing if the request is allowed.
    [[nodiscard]] auto refusal(boost::beast::http::request_header<> const& header) const -> std::optional<reply>;

private:
    [[nodiscard]] auto is_own(std::string const& host) const -> bool;

    std::optional<std::string> own_name_;  // in lower case; nothing: any name is valid
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_ORIGIN_RULES_HPP
