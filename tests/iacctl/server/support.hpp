// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_SERVER_SUPPORT_HPP
#define IACCTL_TESTS_SERVER_SUPPORT_HPP

#include "server/http_server.hpp"

#include "iacctl/state/support.hpp"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace iacctl::server::test {

namespace fs = std::filesystem;

/// A state document with the parts that the server reads.
[[nodiscard]] inline auto document(
    std::int64_t serial, std::string const& lineage = "L", std::string const& content = "") -> std::string
{
    return R"({"version":4,"serial":)" + std::to_string(serial) + R"(,"lineage":")" + lineage + R"(","x":")" + content
        + "\"}";
}

/// A server on a thread of this process, on a free port.
class running_server {
public:
    explicit running_server(server_options options);
    running_server(running_server const&) = delete;
    auto operator=(running_server const&) -> running_server& = delete;
    ~running_server();

    [[nodiscard]] auto url() const -> std::string { return server_.address(); }
    [[nodiscard]] auto log() const -> std::vector<std::string>;
    /// Stops the server as SIGTERM does, and waits until it has ended.
    void stop();

private:
    [[nodiscard]] auto opened(server_options options) -> http_server;

    mutable std::mutex mutex_;
    std::vector<std::string> log_;
    http_server server_;
    std::thread thread_;
};

/// A relay in front of a server that can lose replies: the request arrives, and the connection ends before the reply.
class lossy_relay {
public:
    /// \param url  "http://127.0.0.1:8080"
    explicit lossy_relay(std::string const& url);
    lossy_relay(lossy_relay const&) = delete;
    auto operator=(lossy_relay const&) -> lossy_relay& = delete;
    ~lossy_relay();

    [[nodiscard]] auto url() const -> std::string;
    void lose_next_reply() { to_lose_ = 1; }
    [[nodiscard]] auto lost() const -> int { return lost_; }

private:
    struct pair;

    auto accept() -> boost::asio::awaitable<void>;
    auto forward(std::shared_ptr<pair> entry, bool is_reply) -> boost::asio::awaitable<void>;

    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::endpoint server_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::atomic<int> to_lose_ = 0;
    std::atomic<int> lost_ = 0;
    std::thread thread_;
};

/// A certificate and its private key, as PEM.
struct identity {
    std::string certificate;
    std::string key;
};
/// A certificate authority.
[[nodiscard]] auto make_authority(std::string const& name) -> identity;
/// A certificate for a name and for the address 127.0.0.1.
/// \param by  the authority that issues it
[[nodiscard]] auto make_identity(std::string const& name, identity const& by) -> identity;

/// A connection that sends bytes to a server and then stays open.
class held_connection {
public:
    held_connection(std::string const& url, std::string const& bytes);

private:
    std::unique_ptr<boost::asio::io_context> context_;
    boost::asio::ip::tcp::socket socket_;
};

/// Sends bytes to a server and returns all that comes until the connection ends.
[[nodiscard]] auto exchange(std::string const& url, std::string const& bytes) -> std::string;

}  // namespace iacctl::server::test

#endif  // IACCTL_TESTS_SERVER_SUPPORT_HPP
