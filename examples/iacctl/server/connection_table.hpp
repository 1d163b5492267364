// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_CONNECTION_TABLE_HPP
#define IACCTL_SERVER_CONNECTION_TABLE_HPP

#include "base/net/byte_stream.hpp"

#include <cstddef>
#include <list>
#include <string>

namespace iacctl::server {

/// An open connection.
struct connection {
    net::byte_stream* stream = nullptr;
    std::string peer;  ///< the address of the client
    bool is_admitted = false;  ///< a request of it was accepted: its user, if the server has users, is known
    bool is_idle = true;  ///< no part of a request has been received, and none is being answered
    bool is_closing = false;
};

/// The network of a client: its address, or the first 64 bits of an IPv6 address, because one client can have all the
/// others.
[[nodiscard]] auto network_of(std::string const& peer) -> std::string;

/// The open connections, and a limit for their number.
///
/// A new connection is never refused, or clients that open connections and send nothing could exclude all others. At
/// the limit it replaces another one: one without an accepted request if there is one; among these one of the network
/// that has most of them; among these the one that has waited longest for its client.
class connection_table {
public:
    using position = std::list<connection>::iterator;

    explicit connection_table(std::size_t most) : most_(most) {}

    /// Adds a connection, and closes another one if there are too many.
    [[nodiscard]] auto add(std::string peer) -> position;
    void remove(position p) { all_.erase(p); }
    /// Notes that the server has received a request, or a part of its body.
    void touch(position p) { all_.splice(all_.end(), all_, p); }
    void close_idle() noexcept;
    [[nodiscard]] auto empty() const -> bool { return all_.empty(); }

private:
    void close_one();

    std::size_t most_;
    std::list<connection> all_;  // the one that has waited longest is first
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_CONNECTION_TABLE_HPP
