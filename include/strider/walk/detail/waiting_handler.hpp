// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WAITING_HANDLER_HPP
#define STRIDER_WALK_DETAIL_WAITING_HANDLER_HPP

#include <strider/walk/asio.hpp>

#include <utility>

namespace strider::detail {

// A completion handler that waits, with its work on its executor.
template <class... Args>
class waiting_handler {
public:
    // \param executor  of the I/O object
    template <class Handler>
    waiting_handler(Handler handler, asio::any_io_executor executor)
        : executor_(std::move(executor)),
          work_(tracked(asio::any_completion_executor(asio::get_associated_executor(handler, executor_)))),
          handler_(std::move(handler))
    {}

    // Calls the handler on its executor, never from inside this call.
    void complete(Args... args) &&
    {
        asio::post(executor_, asio::append(std::move(handler_), std::move(args)...));
        work_ = {};
    }

private:
    asio::any_io_executor executor_;
    asio::any_completion_executor work_;
    asio::any_completion_handler<void(Args...)> handler_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WAITING_HANDLER_HPP
