// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_RUN_FAILURE_HPP
#define STRIDER_WALK_DETAIL_STEALING_RUN_FAILURE_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace strider::detail {

// Records that a worker failed and lost its vertices, and the exception that caused it. Only the worker that ends the
// run reads the exception: the end of the run is ordered after all records.
template <class Threads = native_threads>
class basic_run_failure {
public:
    // Any worker. \param thrown  null if a handler was destroyed with its context
    void note(std::exception_ptr thrown) noexcept
    {
        if (thrown && !has_thrown_.exchange(true, std::memory_order_acq_rel)) thrown_ = std::move(thrown);
        has_failed_.store(true, std::memory_order_relaxed);
    }

    [[nodiscard]] auto has_failed() const noexcept -> bool { return has_failed_.load(std::memory_order_relaxed); }
    [[nodiscard]] auto has_thrown() const noexcept -> bool { return thrown_ != nullptr; }
    // Returns the exception, or null. Resets the record.
    [[nodiscard]] auto take() noexcept -> std::exception_ptr
    {
        has_failed_.store(false, std::memory_order_relaxed);
        has_thrown_.store(false, std::memory_order_relaxed);
        return std::exchange(thrown_, nullptr);
    }

private:
    shared_atomic<Threads, bool, shared_variable::failed> has_failed_{false};
    shared_atomic<Threads, bool, shared_variable::thrown> has_thrown_{false};
    std::exception_ptr thrown_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_RUN_FAILURE_HPP
