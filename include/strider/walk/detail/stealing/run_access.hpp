// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_RUN_ACCESS_HPP
#define STRIDER_WALK_DETAIL_STEALING_RUN_ACCESS_HPP

#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/termination_counter.hpp>
#include <strider/walk/walk_options.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace strider::detail {

// The state that posted handlers share with the run. It outlives the run.
template <class Run, class Threads>
struct run_access {
    basic_termination_counter<Threads> termination;
    basic_run_control<Threads> control;
    Run* run = nullptr;  // valid for active workers
    index_t max_workers = 1;
};

// Marks that this thread is posting a handler of a worker: if the handler is destroyed meanwhile, it could not be
// posted.
class posting_mark {
public:
    explicit posting_mark(void const* of) noexcept { posted() = of; }
    posting_mark(posting_mark const&) = delete;
    auto operator=(posting_mark const&) -> posting_mark& = delete;
    ~posting_mark() { posted() = nullptr; }

    [[nodiscard]] static auto is_set_for(void const* of) noexcept -> bool { return posted() == of; }

private:
    [[nodiscard]] static auto posted() noexcept -> void const*&
    {
        thread_local void const* current = nullptr;
        return current;
    }
};

// The settings of all runs of one walker.
struct run_setup {
    row_arrays<vertex_id> dependents;
    index_t max_workers = 1;
    visit_granularity granularity = visit_granularity::adaptive;
    bool stop_on_first_failure = false;
    bool is_stepped = false;  // time is virtual: visits are not measured, and the time slice of a handler never ends
    deadline end;

    [[nodiscard]] auto vertices() const noexcept -> std::size_t { return dependents.size(); }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_RUN_ACCESS_HPP
