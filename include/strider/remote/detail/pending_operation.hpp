// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_PENDING_OPERATION_HPP
#define STRIDER_REMOTE_DETAIL_PENDING_OPERATION_HPP

#include <strider/walk/asio.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace strider::remote::detail {

// A completion handler that waits, with its work on its executor. Type-erased.
template <class... Args>
class pending_operation {
public:
    struct release {
        void operator()(pending_operation* operation) const { operation->destroy(); }
    };
    using pointer = std::unique_ptr<pending_operation, release>;

    pending_operation() = default;
    pending_operation(pending_operation const&) = delete;
    auto operator=(pending_operation const&) -> pending_operation& = delete;

    // Posts the handler with the arguments, after the memory of the operation is released.
    static void complete(pointer operation, Args... args) { operation.release()->finish(std::move(args)...); }

protected:
    ~pending_operation() = default;

private:
    virtual void finish(Args... args) = 0;
    virtual void destroy() = 0;
};

// The call of a handler, on its executor: its slot is empty by then. `Invoke` converts the arguments.
template <class Handler, class Invoke, class... Args>
struct handler_call {
    using allocator_type = asio::associated_allocator_t<Handler>;

    Handler handler;
    Invoke invoke;
    std::tuple<Args...> arguments;

    [[nodiscard]] auto get_allocator() const noexcept -> allocator_type
    {
        return asio::get_associated_allocator(handler);
    }
    void operator()()
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.clear();
        std::apply([this](Args&... args) { invoke(std::move(handler), std::move(args)...); }, arguments);
    }
};

struct call_handler {
    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) const
    {
        std::forward<Handler>(handler)(std::forward<Args>(args)...);
    }
};

template <class Handler, class Invoke, class... Args>
class pending_handler final : public pending_operation<Args...> {
    using base = pending_operation<Args...>;
    using executor_type = asio::associated_executor_t<Handler, asio::any_io_executor>;
    using allocator_type =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<pending_handler>;
    using traits = std::allocator_traits<allocator_type>;

public:
    pending_handler(Handler handler, Invoke invoke, asio::any_io_executor const& fallback)
        : fallback_(fallback),
          executor_(asio::get_associated_executor(handler, fallback)),
          work_(strider::detail::tracked(executor_)),
          handler_(std::move(handler)),
          invoke_(std::move(invoke))
    {}

    static auto make(Handler handler, Invoke invoke, asio::any_io_executor const& fallback) -> typename base::pointer
    {
        allocator_type allocator(asio::get_associated_allocator(handler));
        pending_handler* const memory = traits::allocate(allocator, 1);
        try {
            return typename base::pointer(
                ::new (static_cast<void*>(memory)) pending_handler(std::move(handler), std::move(invoke), fallback));
        } catch (...) {
            traits::deallocate(allocator, memory, 1);
            throw;
        }
    }

private:
    void finish(Args... args) override
    {
        asio::any_io_executor const fallback = std::move(fallback_);
        executor_type const executor = executor_;
        auto const work = std::move(work_);
        handler_call<Handler, Invoke, Args...> call{
            std::move(handler_), std::move(invoke_), std::tuple<Args...>(std::move(args)...)};
        free(asio::get_associated_allocator(call.handler));
        if constexpr (asio::can_require_v<executor_type, asio::execution::blocking_t::never_t>)
            asio::post(executor, std::move(call));
        else
            asio::post(
                fallback, [executor, call = std::move(call)]() mutable { asio::dispatch(executor, std::move(call)); });
    }
    void destroy() override { free(asio::get_associated_allocator(handler_)); }

    void free(asio::associated_allocator_t<Handler> const& of_handler)
    {
        allocator_type allocator(of_handler);
        this->~pending_handler();
        traits::deallocate(allocator, this, 1);
    }

    asio::any_io_executor fallback_;
    executor_type executor_;
    strider::detail::tracked_t<executor_type> work_;
    Handler handler_;
    Invoke invoke_;
};

template <class... Args, class Handler, class Invoke = call_handler>
[[nodiscard]] auto make_pending(Handler handler, asio::any_io_executor const& fallback, Invoke invoke = {})
{
    return pending_handler<Handler, Invoke, Args...>::make(std::move(handler), std::move(invoke), fallback);
}

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_PENDING_OPERATION_HPP
