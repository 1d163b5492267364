// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_TLS_HPP
#define IACCTL_SERVER_TLS_HPP

#include "base/expected.hpp"
#include "http_server.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace iacctl::server {

/// TLS 1.2 and later with the certificate of the options. \pre `tls_certificate` is not empty
[[nodiscard]] auto make_tls_context(server_options const& options) -> expected<boost::asio::ssl::context>;

/// The common name in the certificate of a client; empty: it has none.
[[nodiscard]] auto certificate_name(SSL* connection) -> std::string;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_TLS_HPP
