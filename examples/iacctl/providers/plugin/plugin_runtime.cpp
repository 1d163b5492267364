// SPDX-License-Identifier: BSL-1.0
#include "plugin_runtime.hpp"

#include <boost/asio/detached.hpp>

namespace iacctl::plugin {

void plugin_runtime::close(std::shared_ptr<client> c)
{
    auto closing = [](std::shared_ptr<client> last) -> boost::asio::awaitable<void> {
        auto ending = last->close();
        co_await std::move(ending);
    };
    boost::asio::co_spawn(executor(), closing(std::move(c)), boost::asio::detached);
}

}  // namespace iacctl::plugin
