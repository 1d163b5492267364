// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP
#define STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <atomic>
#include <cstdint>

namespace strider::detail {

// Counts the active workers of a run and detects its end. It contains all state that a late handler may access, so it
// outlives the run.
//
//   open ──> active = 1 ── join: n to n + 1, only from n > 0 ──> … ── leave: n to n - 1 ──> 0: the run is over
//                 ^                                                                            │
//                 └────────────────────────────── the next run ────────────────────────────────┘
//
// *Single end.* Only `open` changes `active` from 0, so a late handler cannot restart a run, and only one worker is
// the last to leave. A worker leaves without vertices; a worker with vertices visits them before it leaves. So at 0
// no vertex is left.
//
// *Visibility.* Joining acquires what the opener released; leaving releases, and the last worker acquires, because
// every change of `active` is a read-modify-write: the worker that ends the run sees all writes of all workers.
//
// *No lost offer.* A worker offers vertices, increments `offers`, then reads `active`; another worker finds nothing,
// decrements `active`, then reads `offers`. These operations are sequentially consistent, so either the first worker
// sees that a helper is missing and wakes one, or the second sees a new offer and joins again. The same holds for a
// queued helper that does not join at once: it decrements `posted`, then reads `active` again; a worker that opens or offers
// does so before it reads `posted`.
//
// `posted` counts helpers that may join: handlers that are queued, and helpers that wait for the next run. They are not
// active, so a small run never waits for them.
template <class Threads = native_threads>
class basic_termination_counter {
public:
    using count = std::uint32_t;

    // The first worker joins. \pre the run is over, and all data that workers read is initialised.
    void open() { active_.store(1, std::memory_order_seq_cst); }

    // \return false if the run is over, or has the maximum number of workers
    [[nodiscard]] auto join(count most) -> bool
    {
        count now = active_.load(std::memory_order_seq_cst);
        while (now != 0 && now < most)
            if (active_.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst)) return true;
        return false;
    }

    // \return true for the last worker: the run is over, and only this worker may access it
    [[nodiscard]] auto leave() -> bool { return active_.fetch_sub(1, std::memory_order_seq_cst) == 1; }

    [[nodiscard]] auto active() const -> count { return active_.load(std::memory_order_seq_cst); }

    // Called before a handler that may join is posted; \return false if enough workers are active or queued.
    [[nodiscard]] auto reserve(count most) -> bool
    {
        count posted = posted_.load(std::memory_order_seq_cst);
        while (active() + posted < most)
            if (posted_.compare_exchange_weak(posted, posted + 1, std::memory_order_seq_cst)) return true;
        return false;
    }
    void unreserve() { posted_.fetch_sub(1, std::memory_order_seq_cst); }
    // Called by a queued helper, which then is not queued. It first tries to join: otherwise another helper would be woken meanwhile.
    [[nodiscard]] auto join_queued(count most) -> bool
    {
        bool const has_joined = join(most);
        unreserve();
        return has_joined || join(most);
    }

    // Called by a helper that has left, to wait for offers. \return false if there will be none, or if enough workers are
    // active or queued
    [[nodiscard]] auto queue_again(count most) -> bool { return !is_closed() && reserve(most); }
    // Called by a helper that counts as queued. \return false if nothing was offered for a short time
    [[nodiscard]] auto await_offer() const -> bool
    {
        count const seen = offers();
        for (int round = 0; round < Threads::worker_spin_rounds && !is_closed(); ++round) {
            if (offers() != seen) return true;
            Threads::pause_idle(round);
        }
        return false;
    }
    // There will be no other run.
    void close() { closed_.store(true, std::memory_order_relaxed); }

    // An active worker without vertices looks for some.
    class search {
    public:
        explicit search(basic_termination_counter& of) : searching_(of.searching_)
        {
            searching_.fetch_add(1, std::memory_order_relaxed);
        }
        search(search const&) = delete;
        auto operator=(search const&) -> search& = delete;
        ~search() { searching_.fetch_sub(1, std::memory_order_relaxed); }

    private:
        shared_atomic<Threads, count, shared_variable::searching>& searching_;
    };
    // True if no active worker seems to have vertices: there is no reason to search on. A wrong result costs time only.
    [[nodiscard]] auto all_search() const -> bool { return searching_.load(std::memory_order_relaxed) >= active(); }

    void offer() { offers_.fetch_add(1, std::memory_order_seq_cst); }
    [[nodiscard]] auto offers() const -> count { return offers_.load(std::memory_order_seq_cst); }

private:
    [[nodiscard]] auto is_closed() const -> bool { return closed_.load(std::memory_order_relaxed); }

    alignas(64) shared_atomic<Threads, count, shared_variable::active> active_{0};
    shared_atomic<Threads, count, shared_variable::posted> posted_{0};
    shared_atomic<Threads, count, shared_variable::searching> searching_{0};
    alignas(64) shared_atomic<Threads, count, shared_variable::offers> offers_{0};
    shared_atomic<Threads, bool, shared_variable::closed> closed_{false};
};

using termination_counter = basic_termination_counter<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP
