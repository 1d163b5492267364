// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_BYTE_STREAM_HPP
#define IACCTL_PLUGINS_BYTE_STREAM_HPP

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <optional>
#include <utility>

namespace iacctl::plugins {

/// A connected local socket, with or without TLS.
class byte_stream {
public:
    using socket = boost::asio::local::stream_protocol::socket;

    /// \param security  nothing: no TLS
    byte_stream(socket connected, std::optional<boost::asio::ssl::context> security);
    byte_stream(byte_stream const&) = delete;
    auto operator=(byte_stream const&) -> byte_stream& = delete;

    /// Performs the TLS handshake; does nothing without TLS. \param role  of this end
    [[nodiscard]] auto handshake(boost::asio::ssl::stream_base::handshake_type role)
        -> boost::asio::awaitable<boost::system::error_code>;

    template <class Handler>
    void async_read_some(boost::asio::mutable_buffer into, Handler handler)
    {
        if (secure_) secure_->async_read_some(into, std::move(handler));
        else plain_.async_read_some(into, std::move(handler));
    }
    template <class Handler>
    void async_write(boost::asio::const_buffer what, Handler handler)
    {
        if (secure_) boost::asio::async_write(*secure_, what, std::move(handler));
        else boost::asio::async_write(plain_, what, std::move(handler));
    }

    [[nodiscard]] auto get_executor() const -> boost::asio::any_io_executor { return executor_; }
    void close() noexcept;

private:
    std::optional<boost::asio::ssl::context> context_;
    boost::asio::any_io_executor executor_;
    socket plain_;
    std::optional<boost::asio::ssl::stream<socket&>> secure_;
};

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_BYTE_STREAM_HPP
