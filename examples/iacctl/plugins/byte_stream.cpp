// SPDX-License-Identifier: BSL-1.0
#include "byte_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace iacctl::plugins {

namespace asio = boost::asio;
using boost::system::error_code;

byte_stream::byte_stream(socket connected, std::optional<asio::ssl::context> security)
    : context_(std::move(security)),
      executor_(connected.get_executor()),
      plain_(std::move(connected))
{
    if (context_) secure_.emplace(plain_, *context_);
}

auto byte_stream::handshake(asio::ssl::stream_base::handshake_type role) -> asio::awaitable<error_code>
{
    if (!secure_) co_return error_code();
    if (role == asio::ssl::stream_base::client) {
        static constexpr char const* host = "localhost";
        SSL* const connection = secure_->native_handle();
        SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host));
        SSL_set1_host(connection, host);
    }
    auto token = asio::as_tuple(asio::use_awaitable);
    auto shaking = secure_->async_handshake(role, token);
    auto const [error] = co_await std::move(shaking);
    co_return error;
}

void byte_stream::close() noexcept
{
    error_code ignored;
    plain_.close(ignored);
}

}  // namespace iacctl::plugins
