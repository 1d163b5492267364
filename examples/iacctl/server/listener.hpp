// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_LISTENER_HPP
#define IACCTL_SERVER_LISTENER_HPP

#include "base/expected.hpp"
#include "http_server.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <string>

namespace iacctl::server {

using boost::asio::generic::stream_protocol;

/// A socket that accepts TCP or local connections.
struct listener {
    boost::asio::basic_socket_acceptor<stream_protocol> acceptor;
    bool is_private = false;  ///< other machines cannot connect
    std::string address;  ///< "127.0.0.1:8080", or "unix:PATH"
    std::string host;  ///< the name or address in the option; empty for a local socket
    std::filesystem::path socket;  ///< the file to remove at the end; empty: there is none

    /// Binds to an address as in `server_options::listen`. A local socket is accessible to its owner only, and replaces
    /// one without a listener.
    [[nodiscard]] static auto open(boost::asio::io_context& context, std::string const& where) -> expected<listener>;
};

/// The address of a peer, without its port; "local" for a local socket.
[[nodiscard]] auto peer_name(stream_protocol::socket const& s) -> std::string;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_LISTENER_HPP
