// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_NET_BYTE_STREAM_HPP
#define IACCTL_BASE_NET_BYTE_STREAM_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace iacctl::net {

/// A connected TCP or local socket, with or without TLS: one type, so that what uses it is compiled once.
///
/// Not thread-safe. A `std::shared_ptr` owns it.
class byte_stream : public std::enable_shared_from_this<byte_stream> {
public:
    using socket = boost::asio::generic::stream_protocol::socket;
    using clock = boost::asio::steady_timer::clock_type;
    template <class T>
    using task = boost::asio::awaitable<T>;
    using error_code = boost::system::error_code;

    /// The end of an operation.
    struct transferred {
        error_code error;
        std::size_t size = 0;  ///< in bytes
    };

    /// \param security  nullptr: no TLS. It may be destroyed before the stream.
    byte_stream(socket connected, boost::asio::ssl::context* security);
    byte_stream(byte_stream const&) = delete;
    auto operator=(byte_stream const&) -> byte_stream& = delete;

    /// Performs the TLS handshake; does nothing without TLS. A client expects a certificate of "localhost".
    /// \param role  of this end
    [[nodiscard]] auto handshake(boost::asio::ssl::stream_base::handshake_type role) -> task<error_code>;
    [[nodiscard]] auto read_some(boost::asio::mutable_buffer into) -> task<transferred>;
    /// Writes all of it.
    [[nodiscard]] auto write(boost::asio::const_buffer buffer) -> task<error_code>;
    /// Ends TLS with the peer; does nothing without TLS.
    [[nodiscard]] auto shutdown() -> task<error_code>;
    /// Without TLS, the peer receives the end of the stream.
    void shutdown_send() noexcept;

    /// Sets the deadline of the operations above, until the next call: one that is in progress then ends with an error,
    /// and the stream is closed. A stream without an operation in progress stays open.
    void expires_after(clock::duration time) { deadline_ = clock::now() + time; }
    /// Returns whether the stream was closed because an operation was in progress at its deadline.
    [[nodiscard]] auto has_expired() const -> bool { return expired_; }

    /// No deadline applies to it.
    template <class Handler>
    void async_read_some(boost::asio::mutable_buffer into, Handler handler)
    {
        if (secure_) secure_->async_read_some(into, std::move(handler));
        else plain_.async_read_some(into, std::move(handler));
    }
    /// Writes all of it. No deadline applies to it.
    template <class Handler>
    void async_write(boost::asio::const_buffer buffer, Handler handler)
    {
        if (secure_) boost::asio::async_write(*secure_, buffer, std::move(handler));
        else boost::asio::async_write(plain_, buffer, std::move(handler));
    }

    [[nodiscard]] auto get_executor() const -> boost::asio::any_io_executor { return executor_; }
    /// The TLS connection; nullptr without TLS.
    [[nodiscard]] auto tls() -> SSL* { return secure_ ? secure_->native_handle() : nullptr; }
    void close() noexcept;

private:
    class timed_operation;

    boost::asio::any_io_executor executor_;
    socket plain_;
    std::optional<boost::asio::ssl::stream<socket&>> secure_;
    boost::asio::steady_timer timer_;
    clock::time_point deadline_ = clock::time_point::max();
    bool in_progress_ = false;
    bool expired_ = false;
};

}  // namespace iacctl::net

#endif  // IACCTL_BASE_NET_BYTE_STREAM_HPP
