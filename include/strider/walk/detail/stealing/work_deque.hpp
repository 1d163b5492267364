// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace strider::detail {

// Ready vertices that one worker offers to the others: the owner pushes and pops at the bottom, thieves steal from
// the top.
//
// Positions are numbered from 0 and never reused; [top, bottom) is the contents. Only the owner writes `bottom`; each
// steal increments `top`. Owner and thief compete only for the last entry: the owner first decrements `bottom`, then
// reads `top`; a thief reads `top`, then `bottom`. These four operations are sequentially consistent, so at least one
// of the two sees the other, and then `compare_exchange` on `top` decides.
//
// The store of `bottom` in `push` releases and the thief's load of it acquires, so the thief sees the entry and
// everything done before the offer. A position is overwritten only after `top` has passed it, and then a thief that
// read the old entry fails to increment `top`. All orders are on operations, without fences, so ThreadSanitizer
// observes them.
//
// After D. Chase, Y. Lev, "Dynamic circular work-stealing deque", 2005, and N. M. Le, A. Pop, A. Cohen, F. Zappa
// Nardelli, "Correct and efficient work-stealing for weak memory models", 2013; of fixed size, because the owner may
// keep entries that do not fit.
template <class Threads = native_threads>
class basic_work_deque {
public:
    using index = std::uint32_t;
    static constexpr index none = 0xffff'ffff;  // empty
    static constexpr index lost = 0xffff'fffe;  // another thread took the entry: try again

    // \pre capacity is a power of two.
    explicit basic_work_deque(std::size_t capacity) : entries_(new entry_type[capacity]), mask_(capacity - 1) {}

    // Called by the owner. \return the number of vertices that fit, from the first one on
    auto push(index const* vertices, std::size_t size) -> std::size_t
    {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        auto const room = [&] {
            return static_cast<std::size_t>(top_seen_ + static_cast<std::int64_t>(mask_) + 1 - bottom);
        };
        if (room() < size) top_seen_ = top_.load(std::memory_order_acquire);
        std::size_t const count = std::min(room(), size);
        for (std::size_t i = 0; i < count; ++i)
            entry(bottom + static_cast<std::int64_t>(i)).store(vertices[i], std::memory_order_relaxed);
        if (count != 0) bottom_.store(bottom + static_cast<std::int64_t>(count), std::memory_order_seq_cst);
        return count;
    }
    auto push(index v) -> bool { return push(&v, 1) == 1; }

    // Called by the owner. \return the last vertex pushed, or none
    auto pop() -> index
    {
        std::int64_t const last = bottom_.load(std::memory_order_relaxed) - 1;
        if (top_.load(std::memory_order_relaxed) > last) return none;  // thieves only increase it
        bottom_.store(last, std::memory_order_seq_cst);
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        index v = none;
        if (top <= last) {
            v = entry(last).load(std::memory_order_relaxed);
            if (top < last) return v;
            if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) v = none;
        }
        bottom_.store(last + 1, std::memory_order_release);
        return v;
    }

    // Called by any thread. \return the first vertex pushed, or `none`, or `lost`
    auto steal() -> index
    {
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        if (top >= bottom_.load(std::memory_order_seq_cst)) return none;
        index const v = entry(top).load(std::memory_order_relaxed);
        return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? v : lost;
    }

    // The number of entries now or a moment ago. For the owner, 0 is exact.
    [[nodiscard]] auto size() const -> std::size_t
    {
        std::int64_t const top = top_.load(std::memory_order_seq_cst);
        std::int64_t const bottom = bottom_.load(std::memory_order_seq_cst);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

private:
    using entry_type = shared_atomic<Threads, index, shared_variable::entry>;

    [[nodiscard]] auto entry(std::int64_t at) -> entry_type& { return entries_[static_cast<std::size_t>(at) & mask_]; }

    alignas(64) shared_atomic<Threads, std::int64_t, shared_variable::top> top_{0};
    alignas(64) shared_atomic<Threads, std::int64_t, shared_variable::bottom> bottom_{0};
    std::unique_ptr<entry_type[]> entries_;
    std::size_t mask_;
    std::int64_t top_seen_ = 0;  // of the owner: a lower bound of `top`
};

using work_deque = basic_work_deque<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP
