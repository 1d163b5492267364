// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_SET_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_SET_HPP

#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/termination_counter.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/detail/stealing/work_deque.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
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

// The result of an attempt to steal; `lost` means that another worker took the vertex first.
enum class steal_result : std::uint8_t { none, some, lost };

// All workers that a run may have, in slots, with stealing among them.
template <class Threads = native_threads>
class basic_worker_set {
    using worker = basic_worker<Threads>;
    using work_deque = basic_work_deque<Threads>;
    using termination_counter = basic_termination_counter<Threads>;

public:
    basic_worker_set(index_t most, std::size_t vertices) : workers_(most), slots_((most + 63) / 64)
    {
        std::size_t const room = most == 1 ? 1 : std::bit_ceil(std::clamp<std::size_t>(vertices, 1, 4096));
        for (index_t i = 0; i < most; ++i) workers_[i] = std::make_unique<worker>(i, room);
    }

    [[nodiscard]] auto first() const -> worker& { return *workers_.front(); }

    // There are never more workers than slots: a free one always exists.
    [[nodiscard]] auto acquire_slot() -> worker&
    {
        for (std::size_t group = 0;; group = (group + 1) % slots_.size()) {
            std::uint64_t taken = slots_[group].load(std::memory_order_relaxed);
            for (;;) {
                auto const free = static_cast<std::size_t>(std::countr_one(taken));
                if (free == 64 || group * 64 + free >= workers_.size()) break;
                if (slots_[group].compare_exchange_weak(taken, taken | (std::uint64_t{1} << free),
                        std::memory_order_acquire, std::memory_order_relaxed))
                    return *workers_[group * 64 + free];
            }
        }
    }
    void release_slot(worker const& me)
    {
        slots_[me.slot / 64].fetch_and(~(std::uint64_t{1} << me.slot % 64), std::memory_order_release);
    }

    // Steals half of the vertices that another worker offers, so that steals are rare.
    [[nodiscard]] auto steal_for(worker& me) const -> steal_result
    {
        constexpr std::size_t max_steal = 32;
        steal_result found = steal_result::none;
        for (std::size_t i = 1; i < workers_.size(); ++i) {
            work_deque& offers = workers_[(me.slot + i) % workers_.size()]->offers;
            for (std::size_t left = std::min((offers.size() + 1) / 2, max_steal); left != 0; --left) {
                index_t const v = offers.steal();
                if (v == work_deque::lost) found = steal_result::lost;
                if (v == work_deque::none || v == work_deque::lost) break;
                me.ready.push_back(v);
            }
            if (me.ready.empty()) continue;
            std::ranges::reverse(me.ready);
            return steal_result::some;
        }
        return found;
    }
    // Steals as soon as another worker offers something. \return false after so many rounds, or if all active workers search
    [[nodiscard]] auto search_for(worker& me, termination_counter& termination, int rounds) const -> bool
    {
        typename termination_counter::search const mark(termination);
        for (int round = 0; round < rounds; ++round) {
            steal_result const found = steal_for(me);
            if (found == steal_result::some) return true;
            if (found == steal_result::none && termination.all_search()) return false;
            Threads::pause_worker();
        }
        return false;
    }
    [[nodiscard]] auto offers_something() const -> bool
    {
        return std::ranges::any_of(workers_, [](auto const& each) { return each->offers.size() != 0; });
    }

    // Takes the outcomes other than done from all workers.
    [[nodiscard]] auto take_not_done() -> std::vector<walk_report::entry>
    {
        std::vector<walk_report::entry> all;
        for (auto const& each : workers_) {
            std::ranges::move(each->others, std::back_inserter(all));
            each->others.clear();
        }
        return all;
    }

    // Discards the vertices that workers hold.
    void clear() noexcept
    {
        for (auto& group : slots_) group.store(0, std::memory_order_relaxed);
        for (auto& each : workers_) each->clear();
    }

private:
    std::vector<std::unique_ptr<worker>> workers_;
    // One bit per worker, set if it is in use.
    std::vector<shared_atomic<Threads, std::uint64_t, shared_variable::slots>> slots_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_SET_HPP
