// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_RUN_WORKERS_HPP
#define STRIDER_WALK_DETAIL_STEALING_RUN_WORKERS_HPP

#include <strider/walk/asio_execution.hpp>
#include <strider/walk/detail/stealing/worker_run.hpp>
#include <strider/walk/strand_executor.hpp>
#include <strider/walk/walk_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace strider::detail {

// The maximum number of concurrent plain visits if time is real.
template <class Executor>
[[nodiscard]] auto max_workers(
    Executor const& executor, std::uint32_t max_concurrency, std::uint32_t threads, std::size_t vertices) -> index_t
{
    if (strand_executor<Executor>) return 1;
    std::size_t most = threads;
    if constexpr (asio::can_query_v<Executor const&, asio::execution::occupancy_t>)
        if (most == 0) most = static_cast<std::size_t>(asio::query(executor, asio::execution::occupancy));
    if (most == 0) most = max_concurrency;
    if (most == 0) most = std::thread::hardware_concurrency();
    if (max_concurrency != 0) most = std::min<std::size_t>(most, max_concurrency);
    return static_cast<index_t>(std::clamp<std::size_t>(most, 1, std::max<std::size_t>(vertices, 1)));
}

// A handler that works for a run: it continues as a worker that has joined already, or else it may join.
//
// If it is destroyed without a call, a handler that has joined loses its vertices: the run ends with the context of the
// executor, or with an error if the handler could not be posted. Another one no longer counts as queued.
template <class Threads>
class worker_handler {
    using run_access = basic_run_access<Threads>;
    using worker = basic_worker<Threads>;
    using run = basic_worker_run<Threads>;

public:
    // \param me  null: the handler may join
    explicit worker_handler(std::shared_ptr<run_access> access, worker* me = nullptr) noexcept
        : access_(std::move(access)),
          me_(me)
    {}
    worker_handler(worker_handler&&) noexcept = default;
    auto operator=(worker_handler&&) -> worker_handler& = delete;
    ~worker_handler()
    {
        if (access_) lose();
    }

    void operator()()
    {
        if (me_ == nullptr) run::help(std::move(access_));
        else run::resume(std::move(access_), *me_);
    }

private:
    [[gnu::cold]] void lose()
    {
        if (me_ == nullptr) access_->termination.unreserve();
        else
            run::abandon(
                *access_, *me_, posting_mark::is_set_for(me_) ? std::make_exception_ptr(std::bad_alloc()) : nullptr);
    }

    std::shared_ptr<run_access> access_;
    worker* me_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_RUN_WORKERS_HPP
