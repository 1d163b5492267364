// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_AS_SENDER_HPP
#define STRIDER_TESTS_SUPPORT_AS_SENDER_HPP

#include <strider/walk/asio.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>

/// A completion token with which an initiating function returns a sender: `connect(receiver)` returns an operation state, whose
/// `start()` begins the operation. Success is `set_value`, cancellation `set_stopped`, anything else `set_error`; a request of the receiver's
/// `get_stop_token()` is a terminal cancellation.
namespace strider::test {

template <class Receiver, class Initiation, class... Args>
class sender_operation {
    using strand = asio::strand<typename Initiation::executor_type>;
    struct cancellation {
        asio::cancellation_signal signal;
        bool is_over = false;  // on the strand
    };
    struct request_stop {
        strand home;
        std::shared_ptr<cancellation> to;
        void operator()() const
        {
            asio::post(home, [to = to] {
                if (!to->is_over) to->signal.emit(asio::cancellation_type::terminal);
            });
        }
    };
    // If the handler is destroyed without a call, as happens with its context, it stops the receiver.
    struct stopped {
        void operator()(sender_operation* of) const
        {
            of->leave_context();
            std::move(of->receiver_).set_stopped();
        }
    };
    struct handler {
        using executor_type = strand;
        using cancellation_slot_type = asio::cancellation_slot;

        std::unique_ptr<sender_operation, stopped> of;
        [[nodiscard]] auto get_executor() const noexcept -> executor_type { return *of->home_; }
        [[nodiscard]] auto get_cancellation_slot() const noexcept { return of->cancellation_->signal.slot(); }
        template <class... Values>
        void operator()(error_code error, Values... values)
        {
            sender_operation& operation = *of.release();
            operation.leave_context();
            if (!error) std::move(operation.receiver_).set_value(std::move(values)...);
            else if (error == boost::system::errc::operation_canceled) std::move(operation.receiver_).set_stopped();
            else std::move(operation.receiver_).set_error(error);
        }
    };

public:
    sender_operation(Receiver receiver, Initiation initiation, std::tuple<Args...> args)
        : receiver_(std::move(receiver)),
          home_(initiation.get_executor()),
          initiation_(std::move(initiation)),
          args_(std::move(args))
    {}
    sender_operation(sender_operation&&) = delete;

    void start() noexcept
    {
        asio::post(*home_, [self = std::unique_ptr<sender_operation, stopped>(this)]() mutable {
            sender_operation& operation = *self;
            auto token = operation.receiver_.get_stop_token();
            if (token.stop_requested()) return;
            handler then{std::move(self)};
            operation.on_stop_.emplace(std::move(token), request_stop{*operation.home_, operation.cancellation_});
            std::apply(
                [&](Args&... args) { operation.initiation_(std::move(then), std::move(args)...); }, operation.args_);
        });
    }

private:
    // The operation state may outlive the context, but its strand must not.
    void leave_context()
    {
        cancellation_->is_over = true;
        on_stop_.reset();
        home_.reset();
    }

    Receiver receiver_;
    std::optional<strand> home_;
    Initiation initiation_;
    std::tuple<Args...> args_;
    std::shared_ptr<cancellation> cancellation_ = std::make_shared<cancellation>();
    std::optional<std::stop_callback<request_stop>> on_stop_;
};

template <class Initiation, class... Args>
struct sender {
    Initiation initiation;
    std::tuple<Args...> args;

    template <class Receiver>
    [[nodiscard]] auto connect(Receiver receiver) && -> sender_operation<Receiver, Initiation, Args...>
    {
        return {std::move(receiver), std::move(initiation), std::move(args)};
    }
};

struct as_sender_t {};
inline constexpr as_sender_t as_sender;

}  // namespace strider::test

template <class Signature>
class boost::asio::async_result<strider::test::as_sender_t, Signature> {
public:
    template <class Initiation, class... Args>
    static auto initiate(Initiation initiation, strider::test::as_sender_t, Args... args)
        -> strider::test::sender<Initiation, Args...>
    {
        return {std::move(initiation), {std::move(args)...}};
    }
};

#endif  // STRIDER_TESTS_SUPPORT_AS_SENDER_HPP
