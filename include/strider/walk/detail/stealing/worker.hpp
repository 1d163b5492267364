// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_HPP

#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/detail/stealing/work_deque.hpp>
#include <strider/walk/walk_report.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider::detail {

// One worker of a run. Between handlers it stores the state of the worker. Only its thread accesses it, except for
// `offers`.
template <class Threads = native_threads>
struct alignas(64) basic_worker {
    using hot_records = basic_hot_records<Threads>;

    explicit basic_worker(index_t place, std::size_t offered) : offers(offered), slot(place) {}

    // Discards all vertices, after a run in which a worker failed.
    void clear() noexcept
    {
        while (offers.pop() != basic_work_deque<Threads>::none) {}
        ready.clear();
        deferred = {};
        others.clear();
    }

    // Returns a function that applies deferred decrements of a vertex.
    [[nodiscard]] auto apply_deferred(hot_records& records)
    {
        return [this, &records](index_t v, index_t count) {
            if (records.settle_some(v, count)) ready.push_back(v);
        };
    }
    // Settles one dependency of each dependent of a vertex; those with a high fan-in are deferred.
    void defer_settling(hot_records& records, index_t v)
    {
        for (vertex_id const d : records.dependents(v)) {
            auto const dependent = static_cast<index_t>(d.index());
            if (records.has_high_fan_in(dependent)) deferred.add(dependent, apply_deferred(records));
            else if (records.settle_one(dependent)) ready.push_back(dependent);
        }
    }
    void settle_deferred(hot_records& records) { deferred.settle(apply_deferred(records)); }

    basic_work_deque<Threads> offers;  // ready vertices that others may steal
    std::vector<index_t> ready;  // ready vertices of this worker only; the last one is next
    deferred_decrements deferred;
    std::vector<walk_report::entry> others;  // outcomes other than done
    visit_cost cost;
    visit_cost::time_point slice;  // the start of this handler
    index_t slot;
    bool leads = false;  // this worker opened the run
    bool in_handler = false;  // runs on the executor, where other handlers wait for the thread
};

using worker = basic_worker<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_HPP
