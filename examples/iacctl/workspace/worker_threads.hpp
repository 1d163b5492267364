// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_WORKER_THREADS_HPP
#define IACCTL_WORKSPACE_WORKER_THREADS_HPP

#include "base/background_task.hpp"

#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>

namespace iacctl::workspace {

/// A pool of the thread that joins it, and of as many background threads as are free, `count` at most.
class worker_threads {
public:
    using executor_type = boost::asio::thread_pool::executor_type;

    explicit worker_threads(std::size_t count)
    {
        try {
            while (size_ < count) {
                // A task for which no thread was free is kept: it may still begin, and then ends only with the pool.
                if (!others_.emplace_back([this]() noexcept { pool_.attach(); }).has_thread()) return;
                ++size_;
            }
        } catch (std::bad_alloc const&) {
            return;  // the other threads suffice
        }
    }
    worker_threads(worker_threads const&) = delete;
    auto operator=(worker_threads const&) -> worker_threads& = delete;
    ~worker_threads()
    {
        pool_.stop();
        join();
    }

    [[nodiscard]] auto get_executor() noexcept -> executor_type { return pool_.get_executor(); }
    /// The number of threads, also of those that are not running yet.
    [[nodiscard]] auto size() const noexcept -> std::uint32_t { return static_cast<std::uint32_t>(size_); }
    /// Runs handlers until there are none left.
    void join()
    {
        if (std::exchange(joined_, true)) return;
        pool_.wait();
        pool_.attach();
        others_.clear();
    }

private:
    boost::asio::thread_pool pool_{0};
    std::deque<background_task<void>> others_;
    std::size_t size_ = 1;
    bool joined_ = false;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_WORKER_THREADS_HPP
