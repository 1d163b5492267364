// SPDX-License-Identifier: BSL-1.0
#include "listener.hpp"

#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/state_error.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl::server {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using boost::system::error_code;
using state::make_failure;

namespace {

constexpr std::string_view local_prefix = "unix:";

// Removes the socket of a server that has ended. One with a listener is kept, and binding fails.
void remove_stale(asio::io_context& context, fs::path const& path)
{
    std::error_code ignored;
    if (!fs::is_socket(path, ignored)) return;
    asio::local::stream_protocol::socket probe(context);
    error_code error;
    probe.connect(asio::local::stream_protocol::endpoint(path.string()), error);
    if (error == asio::error::connection_refused) fs::remove(path, ignored);
}

auto bound(asio::io_context& context, stream_protocol::endpoint const& at)
    -> asio::basic_socket_acceptor<stream_protocol>
{
    asio::basic_socket_acceptor<stream_protocol> made(context, at.protocol());
    if (at.protocol().family() != AF_UNIX) made.set_option(asio::socket_base::reuse_address(true));
    made.bind(at);
    made.listen();
    return made;
}

auto open_local(asio::io_context& context, fs::path const& path) -> listener
{
    remove_stale(context, path);
    // The socket has its permissions from its creation on, so that others can never connect.
    auto const before = ::umask(0177);
    try {
        auto made = bound(context, asio::local::stream_protocol::endpoint(path.string()));
        ::umask(before);
        return {std::move(made), true, std::string(local_prefix) + path.string(), {}, path};
    } catch (...) {
        ::umask(before);
        throw;
    }
}

auto shown(asio::ip::address const& host, asio::ip::port_type port) -> std::string
{
    std::string const text = host.to_string();
    return (host.is_v6() ? "[" + text + "]" : text) + ":" + std::to_string(port);
}

}  // namespace

auto listener::open(asio::io_context& context, std::string const& where) -> expected<listener>
{
    try {
        if (where.starts_with(local_prefix)) return open_local(context, where.substr(local_prefix.size()));
        auto const colon = where.rfind(':');
        if (colon == where.npos || colon + 1 == where.size()) return make_failure(messages::listen_malformed, {where});
        std::string host = where.substr(0, colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        asio::ip::tcp::resolver resolver(context);
        auto const flags = asio::ip::tcp::resolver::passive | asio::ip::tcp::resolver::numeric_service;
        asio::ip::tcp::endpoint at = *resolver.resolve(host, where.substr(colon + 1), flags).begin();
        auto made = bound(context, at);
        auto const actual = made.local_endpoint();
        std::copy_n(static_cast<unsigned char const*>(static_cast<void const*>(actual.data())), actual.size(),
            static_cast<unsigned char*>(static_cast<void*>(at.data())));
        return listener{std::move(made), at.address().is_loopback(), shown(at.address(), at.port()), host, {}};
    } catch (boost::system::system_error const& failed) {
        return make_failure(messages::listen_failed, {where, failed.code().message()});
    }
}

auto peer_name(stream_protocol::socket const& s) -> std::string
{
    error_code error;
    auto const peer = s.remote_endpoint(error);
    if (error) return "gone";
    if (peer.protocol().family() == AF_UNIX) return "local";
    std::array<char, NI_MAXHOST> host{};
    int const failed = ::getnameinfo(static_cast<sockaddr const*>(peer.data()), static_cast<socklen_t>(peer.size()),
        host.data(), static_cast<socklen_t>(host.size()), nullptr, 0, NI_NUMERICHOST);
    return failed != 0 ? "unknown" : std::string(host.data());
}

}  // namespace iacctl::server
