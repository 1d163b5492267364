// SPDX-License-Identifier: BSL-1.0
#include "blocking_client.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace iacctl::http {

auto blocking_client::send(request r) -> response
{
    response got;
    std::exception_ptr thrown;
    boost::asio::co_spawn(context_, http::send(std::move(r)), [&](std::exception_ptr failed, response made) {
        thrown = failed;
        got = std::move(made);
    });
    context_.restart();
    context_.run();
    if (thrown) std::rethrow_exception(thrown);
    return got;
}

}  // namespace iacctl::http
