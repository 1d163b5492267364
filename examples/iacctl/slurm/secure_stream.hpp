// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SLURM_SECURE_STREAM_HPP
#define IACCTL_SLURM_SECURE_STREAM_HPP

#include "providers/plugin/certificate.hpp"

#include <strider/walk/asio.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace iacctl::slurm {

using secure_stream = strider::asio::ssl::stream<strider::asio::ip::tcp::socket>;

/// Begins TLS over a connection; gives up after ten seconds. Both ends have one certificate with its key: the secret of the session.
inline auto handshake(secure_stream& over, strider::asio::ssl::stream_base::handshake_type role)
    -> strider::asio::awaitable<strider::error_code>
{
    namespace asio = strider::asio;
    auto limit = std::make_shared<asio::steady_timer>(over.get_executor(), std::chrono::seconds(10));
    limit->async_wait([limit, &over](strider::error_code cancelled) {
        strider::error_code ignored;
        // A timer that has been cancelled too late has no expiry in the past any more.
        if (!cancelled && limit->expiry() < asio::steady_timer::clock_type::now()) over.lowest_layer().close(ignored);
    });
    auto shaking = over.async_handshake(role, asio::as_tuple(asio::use_awaitable));
    auto const [error] = co_await std::move(shaking);
    limit->expires_at(asio::steady_timer::time_point::max());
    co_return error;
}

}  // namespace iacctl::slurm

#endif  // IACCTL_SLURM_SECURE_STREAM_HPP
