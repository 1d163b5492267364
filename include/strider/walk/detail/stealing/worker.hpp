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

// One of the threads of a run, or its place, as long as a handler waits to go on with it. Touched by that thread alone, save
// for the offers.
template <class Threads = native_threads>
struct alignas(64) basic_worker {
    using hot_records = basic_hot_records<Threads>;

    explicit basic_worker(index_t place, std::size_t offered) : offers(offered), slot(place) {}

    // After a run in which something was lost: there is nothing here.
    void clear() noexcept
    {
        while (offers.pop() != basic_work_deque<Threads>::none) {}
        ready.clear();
        hubs = {};
        others.clear();
    }

    // Settles dependencies of a hub that were kept back.
    [[nodiscard]] auto payment(hot_records& records)
    {
        return [this, &records](index_t hub, index_t count) {
            if (records.settle_some(hub, count)) ready.push_back(hub);
        };
    }
    // One dependency of each dependent of a vertex is settled; of hubs that is noted, and paid later.
    void settle_later(hot_records& records, index_t v)
    {
        for (vertex_id const d : records.dependents(v)) {
            auto const dependent = static_cast<index_t>(d.index());
            if (records.is_hub(dependent)) hubs.add(dependent, payment(records));
            else if (records.settle_one(dependent)) ready.push_back(dependent);
        }
    }
    void settle_hubs(hot_records& records) { hubs.settle(payment(records)); }

    basic_work_deque<Threads> offers;  // ready vertices that others may take
    std::vector<index_t> ready;  // ready vertices that they may not; the last one is next
    hub_ledger hubs;
    std::vector<walk_report::entry> others;  // of the visits that are not simply done
    visit_cost cost;
    tick_clock::ticks slice = 0;  // when this handler began
    index_t slot;
    bool leads = false;  // opened the run
    bool in_handler = false;  // on the executor, where others wait for the thread, too
};

using worker = basic_worker<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_HPP
