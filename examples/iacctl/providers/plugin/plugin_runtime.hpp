// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_RUNTIME_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_RUNTIME_HPP

#include "client.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace iacctl::plugin {

/// The thread that serves the connections with all providers. It starts on first use.
class plugin_runtime {
public:
    plugin_runtime() : working_(boost::asio::make_work_guard(context_)) {}
    plugin_runtime(plugin_runtime const&) = delete;
    auto operator=(plugin_runtime const&) -> plugin_runtime& = delete;
    /// Waits until all clients are closed.
    ~plugin_runtime() { join(); }

    /// Waits until all clients are closed. Nothing can be started afterwards.
    void join()
    {
        working_.reset();
        if (thread_.joinable()) thread_.join();
    }

    [[nodiscard]] auto executor() -> boost::asio::any_io_executor
    {
        std::call_once(once_, [this] { thread_ = std::thread([this] { context_.run(); }); });
        return context_.get_executor();
    }
    /// Runs a coroutine and waits for its result. \pre not called on the thread of the runtime
    template <class T>
    [[nodiscard]] auto wait_for(boost::asio::awaitable<T> work) -> T
    {
        return boost::asio::co_spawn(executor(), std::move(work), boost::asio::use_future).get();
    }
    /// Starts to close a client.
    void close(std::shared_ptr<client> c);

private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> working_;
    std::once_flag once_;
    std::thread thread_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_RUNTIME_HPP
