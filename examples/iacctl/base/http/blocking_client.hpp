// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_BLOCKING_CLIENT_HPP
#define IACCTL_BASE_HTTP_BLOCKING_CLIENT_HPP

#include "client.hpp"

#include <boost/asio/io_context.hpp>

namespace iacctl::http {

/// Sends requests sequentially on the calling thread, and keeps connections open between them.
class blocking_client {
public:
    [[nodiscard]] auto send(request r) -> response;

private:
    boost::asio::io_context context_{1};
};

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_BLOCKING_CLIENT_HPP
