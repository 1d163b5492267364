// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_RUN_ACCESS_HPP
#define STRIDER_WALK_DETAIL_RUN_ACCESS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/hot_records.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/run_gate.hpp>
#include <strider/walk/walk_options.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace strider::detail {

class worker_run;

// What handlers under way share with the run, and keep when it is gone.
struct run_access {
    run_gate gate;
    run_control control;
    worker_run* run = nullptr;       // valid for those who are in
    index_t most_workers = 1;
    std::atomic<std::uint64_t> posting{0};  // a bit for each worker whose handler is being posted
    std::atomic<bool> ended{false};  // of a run that a thread waits for
};

// A handler of a worker is being posted: if it is destroyed meanwhile, it could not be posted.
class posting_mark {
public:
    posting_mark(std::shared_ptr<run_access> access, std::uint64_t worker) : access_(std::move(access)), worker_(worker)
    {
        access_->posting.fetch_or(worker_, std::memory_order_relaxed);
    }
    posting_mark(posting_mark const&) = delete;
    auto operator=(posting_mark const&) -> posting_mark& = delete;
    ~posting_mark() { access_->posting.fetch_and(~worker_, std::memory_order_relaxed); }

private:
    std::shared_ptr<run_access> access_;
    std::uint64_t worker_;
};

// What does not change from one run to the next.
struct run_setup {
    std::span<vertex_id const> dependents;  // of all vertices, row by row
    std::span<index_t const> firsts;        // where each row begins, and the last one ends
    std::size_t vertices = 0;
    index_t most_workers = 1;
    sharing share = sharing::adaptive;
    bool stop_on_first_failure = false;
    std::optional<std::chrono::steady_clock::duration> deadline;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_RUN_ACCESS_HPP
