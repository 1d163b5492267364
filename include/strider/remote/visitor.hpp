// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_VISITOR_HPP
#define STRIDER_REMOTE_VISITOR_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/remote/coordinator.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace strider::remote {

/// Ignores the replies of a `visitor`.
struct ignore_reply {
    /// Ignores the reply.
    template <class Reply>
    void operator()(vertex_id /*v*/, Reply const& /*reply*/) const noexcept
    {}
};

/// A visitor of walks that runs each vertex on a worker: by handle, without a coroutine.
///
/// `make_request(v, value)` returns the `request` of the vertex, or its action. `receive(v, reply)` is called with the reply of a
/// visit that is done, before its dependents start; it returns nothing, or what a visitor may return, which is then the outcome of
/// the vertex. Calls for different vertices may be concurrent. An action that failed or has an unknown outcome is a failure of the
/// vertex: its outcome has a `visit_error`. Terminal cancellation of the walk reaches the workers.
///
/// All ready vertices are given to the coordinator, which holds those that wait for a worker: `walk_options::max_concurrency`
/// bounds their number.
///
/// \pre The coordinator exists until the walk has ended.
template <class Coordinator, class MakeRequest, class Receive = ignore_reply>
class visitor {
public:
    /// A visitor that sends the request that `make_request` makes of a vertex. It refers to the coordinator.
    visitor(Coordinator& coordinator, MakeRequest make_request, Receive receive = {})
        : coordinator_(&coordinator),
          make_request_(std::move(make_request)),
          receive_(std::move(receive))
    {}

    /// Gives the request of `v` to the coordinator. The reply ends the visit later, on the executor of the handle.
    template <class Value>
        requires std::invocable<MakeRequest&, vertex_id, Value const&>
    void operator()(vertex_id v, Value const& value, visit_handle handle)
    {
        request<typename Coordinator::action_type> what = std::invoke(make_request_, v, value);
        coordinator_->async_run(std::move(what), settle{this, v, std::move(handle)});
    }

private:
    using reply_type = reply<typename Coordinator::result_type>;

    // Ends the visit. It has the executor and the slot of the handle.
    class settle {
    public:
        using executor_type = visit_handle::executor_type;
        using cancellation_slot_type = visit_handle::cancellation_slot_type;

        settle(visitor* of, vertex_id v, visit_handle handle) noexcept
            : visitor_(of),
              vertex_(v),
              handle_(std::move(handle))
        {}
        [[nodiscard]] auto get_executor() const -> executor_type { return handle_.get_executor(); }
        [[nodiscard]] auto get_cancellation_slot() const -> cancellation_slot_type
        {
            return handle_.get_cancellation_slot();
        }

        void operator()(error_code error, reply_type end)
        {
            visit_outcome outcome;
            try {
                outcome = visitor_->outcome_of(vertex_, error, std::move(end));
            } catch (...) {
                outcome = visit_outcome::failure(std::current_exception());
            }
            handle_(std::move(outcome));
        }

    private:
        visitor* visitor_;
        vertex_id vertex_;
        visit_handle handle_;
    };

    auto outcome_of(vertex_id v, error_code error, reply_type end) -> visit_outcome
    {
        if (error == asio::error::operation_aborted) return visit_outcome(error);
        if (error) return visit_outcome::failure(std::make_exception_ptr(visit_error(error, end)));
        if constexpr (std::is_void_v<std::invoke_result_t<Receive&, vertex_id, reply_type>>) {
            std::invoke(receive_, v, std::move(end));
            return {};
        } else {
            return std::invoke(receive_, v, std::move(end));
        }
    }

    Coordinator* coordinator_;
    MakeRequest make_request_;
    Receive receive_;
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_VISITOR_HPP
