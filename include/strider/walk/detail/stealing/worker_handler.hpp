// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_HANDLER_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_HANDLER_HPP

#include <strider/walk/detail/stealing/run_access.hpp>

#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace strider::detail {

// A handler that works for a run: it continues as a worker that has joined already, or else it may join.
//
// If it is destroyed without a call, a handler that has joined loses its vertices: the run ends with the context of the
// executor, or with an error if the handler could not be posted. Another one no longer counts as queued.
template <class Run>
class worker_handler {
    using run_access = typename Run::run_access;
    using worker = typename Run::worker;

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
        if (me_ == nullptr) Run::help(std::move(access_));
        else Run::resume(std::move(access_), *me_);
    }

private:
    [[gnu::cold]] void lose()
    {
        if (me_ == nullptr) access_->termination.unreserve();
        else
            Run::abandon(
                *access_, *me_, posting_mark::is_set_for(me_) ? std::make_exception_ptr(std::bad_alloc()) : nullptr);
    }

    std::shared_ptr<run_access> access_;
    worker* me_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_HANDLER_HPP
