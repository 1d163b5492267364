// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_REPEATED_OPERATION_HPP
#define STRIDER_WALK_DETAIL_LEDGER_REPEATED_OPERATION_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/walk_operation.hpp>
#include <strider/walk/detail/wait_for_walk.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

// Repeated walks with a ledger: one operation per run, all with the same visitor.
template <class Executor, class Graph, class Visitor, class Ready, class Trace>
class repeated_operation {
public:
    using handler_type = asio::any_completion_handler<walk_signature>;
    using options_type = walk_options<Ready, Trace>;

    repeated_operation(Executor const& executor, Graph const& graph, Visitor visitor, options_type options)
        : executor_(executor),
          graph_(graph),
          visitor_(std::move(visitor)),
          options_(std::move(options))
    {}

    // Makes the next run partial.
    void select(std::span<vertex_id const> changed) { changed_.emplace(changed.begin(), changed.end()); }
    void deselect() noexcept { changed_.reset(); }

    auto operator()(bool /*caller_helps*/) -> walk_report
    {
        return wait_for_walk(executor_, graph_, [this](wake_waiter handler) { start(std::move(handler)); });
    }

    void start(handler_type handler)
    {
        auto const changed = std::exchange(changed_, std::nullopt);
        auto run = operation::make(executor_, graph_, std::ref(visitor_), options_, std::move(handler), changed);
        {
            std::lock_guard const lock(mutex_);
            link_ = run->link();
            if (auto const type = std::exchange(pending_, asio::cancellation_type::none); type != pending_)
                operation::request(link_, type);
        }
        operation::launch(std::move(run));
    }

    void cancel(asio::cancellation_type_t type)
    {
        typename operation::self_ptr running;  // released after the mutex
        std::lock_guard const lock(mutex_);
        if (link_) running = link_->lock();
        if (running) operation::request(link_, type);
        else pending_ |= type;
    }

private:
    using operation = walk_operation<Executor, Graph, std::reference_wrapper<Visitor>, handler_type, Ready, Trace>;

    Executor executor_;
    Graph const& graph_;
    Visitor visitor_;
    options_type options_;
    std::optional<std::vector<vertex_id>> changed_;  // of the next run, if it is partial
    std::mutex mutex_;
    std::shared_ptr<typename operation::link_type> link_;  // to the last run
    asio::cancellation_type_t pending_ = asio::cancellation_type::none;  // for the next run
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_REPEATED_OPERATION_HPP
