// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP
#define STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <atomic>
#include <cstdint>

namespace strider::detail {

// Who is in a run, and when it is over. All that a handler may touch that comes late, so it outlives the run.
//
//   open ──> active = 1 ── join: n to n + 1, only from n > 0 ──> … ── leave: n to n - 1 ──> 0: the run is over
//                 ^                                                                            │
//                 └────────────────────────────── the next run ────────────────────────────────┘
//
// *Over exactly once.* `active` leaves 0 only by `open`, so a handler that comes late cannot revive a run, and only one
// worker sees its own leaving be the last. A worker leaves with nothing in its hands; what others hold they work
// off before they leave. So at 0 nothing is left.
//
// *Everything is seen.* Joining acquires what the opener released; leaving releases, and the last one acquires, as every
// change of `active` is a read-modify-write: who ends the run sees all that any worker did.
//
// *No work sleeps.* A worker offers vertices, counts in `offers`, then reads `active`; another finds nothing, leaves
// `active`, then reads `offers`. Sequentially consistent, so either the first sees that a helper is missing and
// wakes one, or the second sees that there is an offer it has not seen, and joins again. The same holds for a helper
// under way: it leaves `posted`, then reads `active`; one that opens or offers does so before it reads `posted`.
//
// `posted` counts handlers under way that may join; they are not active, so a small run never waits for them.
template <class Threads = native_threads>
class basic_termination_counter {
public:
    using count = std::uint32_t;

    // The first worker is in. \pre the run is over; all that a worker reads is in place.
    void open() { active_.store(1, std::memory_order_seq_cst); }

    // \return false if the run is over, or has all the workers it may have.
    [[nodiscard]] auto join(count most) -> bool
    {
        count now = active_.load(std::memory_order_seq_cst);
        while (now != 0 && now < most)
            if (active_.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst)) return true;
        return false;
    }

    // \return true for the last one: the run is over, and it alone may still touch it.
    [[nodiscard]] auto leave() -> bool { return active_.fetch_sub(1, std::memory_order_seq_cst) == 1; }

    [[nodiscard]] auto active() const -> count { return active_.load(std::memory_order_seq_cst); }

    // Before a handler is posted that may join; \return false if enough are in or under way.
    [[nodiscard]] auto reserve(count most) -> bool
    {
        count posted = posted_.load(std::memory_order_seq_cst);
        while (active() + posted < most)
            if (posted_.compare_exchange_weak(posted, posted + 1, std::memory_order_seq_cst)) return true;
        return false;
    }
    void unreserve() { posted_.fetch_sub(1, std::memory_order_seq_cst); }

    void offer() { offers_.fetch_add(1, std::memory_order_seq_cst); }
    [[nodiscard]] auto offers() const -> count { return offers_.load(std::memory_order_seq_cst); }

private:
    alignas(64) shared_atomic<Threads, count, shared_variable::active> active_{0};
    shared_atomic<Threads, count, shared_variable::posted> posted_{0};
    alignas(64) shared_atomic<Threads, count, shared_variable::offers> offers_{0};
};

using termination_counter = basic_termination_counter<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_TERMINATION_COUNTER_HPP
