// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_GRPC_SERVER_HPP
#define STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_GRPC_SERVER_HPP

#include "base/net/byte_stream.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace fake {

/// The result of a call. The default is success.
struct answer {
    std::string message{};
    int status = 0;
    std::string text{};
    std::chrono::milliseconds delay{0};
    bool never = false;      ///< the call is not answered
    bool stays_open = false;  ///< more messages follow this first one
    std::optional<std::string> raw{};  ///< sent instead of the message and its prefix
    bool without_status = false;
};

/// A message in the form of a stream: preceded by its size.
[[nodiscard]] auto with_prefix(std::string const& message) -> std::string;

/// One connection of a client, answered on one thread.
class grpc_server : public std::enable_shared_from_this<grpc_server> {
public:
    using handler = std::function<answer(std::string const& path, std::string const& message)>;

    grpc_server(std::shared_ptr<iacctl::net::byte_stream> stream, handler handle);
    grpc_server(grpc_server const&) = delete;
    auto operator=(grpc_server const&) -> grpc_server& = delete;
    ~grpc_server();

    void open();
    /// Asks the client to send no more calls.
    void go_away();
    void close() { stream_->close(); }

private:
    struct call;
    struct callbacks;

    void read();
    void flush();
    void begin(std::int32_t stream);
    void respond(std::int32_t stream);

    std::shared_ptr<iacctl::net::byte_stream> stream_;
    handler handle_;
    nghttp2_session* session_ = nullptr;
    std::map<std::int32_t, std::unique_ptr<call>> calls_;
    std::vector<std::uint8_t> incoming_;
    std::string outgoing_;
    bool writing_ = false;
};

}  // namespace fake

#endif  // STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_GRPC_SERVER_HPP
