// SPDX-License-Identifier: BSL-1.0
#include "byte_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace iacctl::net {

namespace asio = boost::asio;

namespace {

constexpr auto token = asio::as_tuple(asio::use_awaitable);

}  // namespace

// While it exists, the stream is closed at its deadline.
class byte_stream::timed_operation {
public:
    explicit timed_operation(byte_stream& stream) : of_(&stream)
    {
        if (stream.deadline_ == clock::time_point::max()) return;
        stream.in_progress_ = true;
        stream.timer_.expires_at(stream.deadline_);
        stream.timer_.async_wait([known = stream.weak_from_this()](error_code const& cancelled) {
            auto const one = known.lock();
            // The wait may have ended before it was cancelled, and the timer may belong to the next operation now.
            if (cancelled || !one || !one->in_progress_ || clock::now() < one->timer_.expiry()) return;
            one->expired_ = true;
            one->close();
        });
    }
    timed_operation(timed_operation const&) = delete;
    auto operator=(timed_operation const&) -> timed_operation& = delete;
    ~timed_operation()
    {
        if (!std::exchange(of_->in_progress_, false)) return;
        of_->timer_.cancel();
    }

private:
    byte_stream* of_;
};

byte_stream::byte_stream(socket connected, asio::ssl::context* security)
    : executor_(connected.get_executor()),
      plain_(std::move(connected)),
      timer_(executor_)
{
    if (security != nullptr) secure_.emplace(plain_, *security);
}

auto byte_stream::handshake(asio::ssl::stream_base::handshake_type role) -> task<error_code>
{
    if (!secure_) co_return error_code();
    if (role == asio::ssl::stream_base::client) {
        static constexpr char const* host = "localhost";
        SSL_ctrl(tls(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host));
        SSL_set1_host(tls(), host);
    }
    timed_operation const limited(*this);
    auto shaking = secure_->async_handshake(role, token);
    auto const [error] = co_await std::move(shaking);
    co_return error;
}

auto byte_stream::read_some(asio::mutable_buffer into) -> task<transferred>
{
    timed_operation const limited(*this);
    auto reading = secure_ ? secure_->async_read_some(into, token) : plain_.async_read_some(into, token);
    auto const [error, size] = co_await std::move(reading);
    co_return transferred{error, size};
}

auto byte_stream::write(asio::const_buffer buffer) -> task<error_code>
{
    timed_operation const limited(*this);
    auto writing = secure_ ? asio::async_write(*secure_, buffer, token) : asio::async_write(plain_, buffer, token);
    auto const [error, size] = co_await std::move(writing);
    co_return error;
}

auto byte_stream::shutdown() -> task<error_code>
{
    if (!secure_) co_return error_code();
    timed_operation const limited(*this);
    auto ending = secure_->async_shutdown(token);
    auto const [error] = co_await std::move(ending);
    co_return error;
}

void byte_stream::shutdown_send() noexcept
{
    error_code ignored;
    if (!secure_) plain_.shutdown(asio::socket_base::shutdown_send, ignored);
}

void byte_stream::close() noexcept
{
    error_code ignored;
    plain_.close(ignored);
}

}  // namespace iacctl::net
