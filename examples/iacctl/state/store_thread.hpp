// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STORE_THREAD_HPP
#define IACCTL_STATE_STORE_THREAD_HPP

#include "backend.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace iacctl::state {

/// The thread of a store, which runs its blocking calls and starts with the first of them. The destructor waits for the
/// running call.
class store_thread {
public:
    /// Runs `work` on the thread and resumes with its result. Cancellation is ignored until then: a signal must not
    /// interrupt work that has begun, nor be lost.
    ///
    /// The thread holds a work guard of the executor of the waiting coroutine until it no longer uses the executor.
    /// Otherwise the context of that executor could be joined and destroyed while the thread still hands over the
    /// completion.
    template <class Work>
    [[nodiscard]] auto run(Work work) -> task<std::invoke_result_t<Work&>>
    {
        namespace asio = boost::asio;
        if (!pool_) pool_.emplace(1);
        auto const home = co_await asio::this_coro::executor;
        bool const throws = co_await asio::this_coro::throw_if_cancelled();
        co_await asio::this_coro::throw_if_cancelled(false);
        std::optional<std::invoke_result_t<Work&>> result;
        std::exception_ptr thrown;
        auto initiate = [&](auto handler) {
            auto keep = asio::prefer(home, asio::execution::outstanding_work.tracked);
            asio::post(*pool_, [&, handler = std::move(handler), keep = std::move(keep)]() mutable {
                try {
                    result.emplace(work());
                } catch (...) {
                    thrown = std::current_exception();
                }
                asio::post(keep, std::move(handler));
            });
        };
        co_await asio::async_initiate<asio::use_awaitable_t<> const, void()>(std::move(initiate), asio::use_awaitable);
        co_await asio::this_coro::throw_if_cancelled(throws);
        if (thrown) std::rethrow_exception(thrown);
        co_return std::move(*result);
    }

private:
    std::optional<boost::asio::thread_pool> pool_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_STORE_THREAD_HPP
