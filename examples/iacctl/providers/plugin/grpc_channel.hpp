// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_GRPC_CHANNEL_HPP
#define IACCTL_PROVIDERS_PLUGIN_GRPC_CHANNEL_HPP

#include "base/net/byte_stream.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace iacctl::plugin {

/// The way in which a call ended.
enum class grpc_end : std::uint8_t {
    answered,   ///< by the server, with a status
    lost,       ///< the connection has ended
    timed_out,
    cancelled,
    malformed,  ///< the answer is not gRPC, or is larger than allowed
};

/// The result of a call.
class grpc_reply {
public:
    grpc_end end = grpc_end::lost;
    int status = 0;  ///< of gRPC; 0: the call succeeded
    std::string text;  ///< the reason if it failed
    std::string message;  ///< the answer if it succeeded
    bool sent = false;  ///< the server may have acted on the call

    [[nodiscard]] auto succeeded() const noexcept -> bool { return end == grpc_end::answered && status == 0; }
};

/// Receives the messages of a streamed answer. False: it needs no more of them; the call is reset and has succeeded.
using message_sink = std::function<bool(std::string_view)>;

/// Limits of a connection.
class grpc_limits {
public:
    std::size_t longest_message = std::size_t{256} << 20U;  ///< of an answer
    std::size_t most_calls = 64;  ///< at the same time; others wait
    /// The time without a byte from the server, while a call waits, after which the server must answer a ping. A server
    /// of grpc-go closes connections with more than one ping in five minutes.
    std::chrono::milliseconds silence{301'000};
    std::chrono::milliseconds ping_timeout{20'000};
};

/// Calls of a gRPC server over one HTTP/2 connection: unary ones, and ones with a streamed answer.
///
/// It runs on the executor of the connection, which must be a strand or have a single thread. `async_call` can be
/// called from any thread, other functions on the executor only. While it is open it waits for data, so its context
/// does not run out of work. Calls that start together are sent in one write.
/// \source gRPC over HTTP2, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
class grpc_channel : public std::enable_shared_from_this<grpc_channel> {
public:
    grpc_channel(std::shared_ptr<net::byte_stream> stream, grpc_limits const& limits);
    grpc_channel(grpc_channel const&) = delete;
    auto operator=(grpc_channel const&) -> grpc_channel& = delete;
    ~grpc_channel();

    /// Starts to read and write.
    void open();
    /// Sends a message, and completes with the answer. Terminal cancellation and the timeout reset the call.
    /// \param timeout  0: none
    template <class Token>
    auto async_call(std::string path, std::string message, std::chrono::milliseconds timeout, Token&& token)
    {
        auto begin = [this](auto handler, std::shared_ptr<exchange> e) {
            auto const where = boost::asio::get_associated_executor(handler, executor());
            start(std::move(e), std::move(handler), where);
        };
        return boost::asio::async_initiate<Token, void(grpc_reply)>(
            std::move(begin), token, make_exchange(std::move(path), std::move(message), timeout));
    }
    /// The same for a call with a streamed answer: `on_message` receives each message, on the executor of the
    /// connection, before the call completes.
    template <class Token>
    auto async_stream(std::string path, std::string message, message_sink on_message, Token&& token)
    {
        auto begin = [this](auto handler, std::shared_ptr<exchange> e) {
            auto const where = boost::asio::get_associated_executor(handler, executor());
            start(std::move(e), std::move(handler), where);
        };
        return boost::asio::async_initiate<Token, void(grpc_reply)>(
            std::move(begin), token, make_exchange(std::move(path), std::move(message), {}, std::move(on_message)));
    }
    /// Sends a message. `on_message` receives each message of the answer until the server or the connection ends.
    void subscribe(std::string const& path, message_sink on_message);
    /// Closes the connection. All running calls are lost.
    void close(std::string_view why);

    /// Thread-safe.
    [[nodiscard]] auto is_open() const noexcept -> bool { return opened_ && !closed_; }

private:
    struct exchange;
    struct callbacks;
    using reply_handler = boost::asio::any_completion_handler<void(grpc_reply)>;

    // Owned by the pending read. A context that is destroyed destroys it, and with it the coroutines that wait for
    // answers, which may own this channel.
    class read_guard {
    public:
        explicit read_guard(std::shared_ptr<grpc_channel> channel) noexcept : channel_(std::move(channel)) {}
        read_guard(read_guard&&) noexcept = default;
        auto operator=(read_guard&&) -> read_guard& = delete;
        ~read_guard()
        {
            if (channel_) channel_->drop();
        }
        [[nodiscard]] auto release() noexcept -> std::shared_ptr<grpc_channel> { return std::move(channel_); }

    private:
        std::shared_ptr<grpc_channel> channel_;
    };

    [[nodiscard]] auto executor() const -> boost::asio::any_io_executor { return stream_->get_executor(); }
    [[nodiscard]] static auto make_exchange(std::string path, std::string message, std::chrono::milliseconds timeout,
        message_sink on_message = {}) -> std::shared_ptr<exchange>;
    void start(std::shared_ptr<exchange> e, reply_handler handler, boost::asio::any_io_executor executor);
    void admit(std::shared_ptr<exchange> const& e);
    void give_up(std::shared_ptr<exchange> const& e, grpc_end why, std::string text);
    void drop() noexcept;
    void read();
    void flush();
    void flush_soon();
    void watch();
    void submit(std::shared_ptr<exchange> const& e);
    void reset(exchange& e);
    void end(std::int32_t stream, std::uint32_t error);
    void pass_on();

    std::shared_ptr<net::byte_stream> stream_;
    grpc_limits limits_;
    nghttp2_session* session_ = nullptr;
    std::map<std::int32_t, std::shared_ptr<exchange>> running_;
    std::deque<std::shared_ptr<exchange>> waiting_;  // calls over the limit
    std::size_t active_ = 0;  // calls, without subscriptions
    boost::asio::steady_timer watchdog_;
    std::uint64_t received_ = 0;  // bytes
    std::vector<std::uint8_t> incoming_;
    std::string outgoing_;
    std::string why_closed_;
    std::atomic<bool> opened_ = false;
    std::atomic<bool> closed_ = false;
    bool writing_ = false;
    bool flushing_ = false;  // a write is scheduled
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_GRPC_CHANNEL_HPP
