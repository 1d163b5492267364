// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP
#define STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>
#include <strider/walk/detail/ledger/ledger_walk.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/walk_report.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace strider::detail {

// A walk with a ledger, and the handler to which it belongs.
//
// The last owner destroys the operation, releases its memory and then calls the handler, so no other function still uses
// the walk when the handler is called. If the context is destroyed before the walk has completed, nothing is called.
template <class Executor, class Graph, class Visitor, class Handler, class Ready, class Trace>
class walk_operation final : public ledger_walk<Executor, Graph, Visitor, Ready, Trace> {
    using base = ledger_walk<Executor, Graph, Visitor, Ready, Trace>;
    using handler_executor = asio::associated_executor_t<Handler, Executor>;
    using allocator =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<walk_operation>;

public:
    using typename base::options_type;
    using typename base::self_ptr;

    walk_operation(Executor const& executor, Graph const& graph, Visitor visitor, options_type options, Handler handler)
        : base(executor, graph, std::move(visitor), std::move(options)),
          handler_work_(tracked(asio::get_associated_executor(handler, executor))),
          handler_(std::move(handler))
    {}

    // Allocates the operation with the handler's allocator, and connects the handler's cancellation slot. A walk is
    // partial if `changed` is given: these vertices and their dependents that have a reason.
    [[nodiscard]] static auto make(Executor const& executor, Graph const& graph, Visitor visitor, options_type options,
        Handler handler, std::optional<std::span<vertex_id const>> changed = {}) -> self_ptr
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        allocator memory(asio::get_associated_allocator(handler));
        walk_operation* const made = std::allocator_traits<allocator>::allocate(memory, 1);
        try {
            std::construct_at(made, executor, graph, std::move(visitor), std::move(options), std::move(handler));
        } catch (...) {
            std::allocator_traits<allocator>::deallocate(memory, made, 1);
            throw;
        }
        self_ptr run(made);
        if (changed) made->select(*changed);
        if (slot.is_connected()) slot.assign(cancel_walk<Executor>{run->link()});
        return run;
    }
    static void launch(self_ptr run)
    {
        ledger_run<Executor>& launched = *run;
        launched.post({permit<Executor>(std::move(run), {}), &base::begin});
    }

private:
    void destroy(bool calls) override
    {
        [[maybe_unused]] auto const work = handler_work_;
        handler_executor const executor = asio::get_associated_executor(handler_, this->executor_);
        // The memory may belong to the handler, so the handler is the last to be destroyed.
        allocator memory(asio::get_associated_allocator(handler_));
        walk_completion<Handler> completion{std::move(handler_), calls ? this->close() : walk_report()};
        std::destroy_at(this);
        std::allocator_traits<allocator>::deallocate(memory, this, 1);
        if (calls) asio::dispatch(executor, std::move(completion));
    }

    tracked_t<handler_executor> handler_work_;
    Handler handler_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP
