// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace strider::detail {

// Ready vertices that one worker offers to the others: it pushes and pops at the bottom, thieves take from the top.
//
// Places are numbered from 0 and never reused; [top, bottom) is what is there. Only the owner writes `bottom`; `top`
// grows by one with each steal_result. The one case in which owner and thief want the same place is the last: the owner
// first lowers `bottom`, then reads `top`; a thief reads `top`, then `bottom`. These four are sequentially consistent,
// so at least one of them sees the other, and then `compare_exchange` on `top` decides.
//
// The store of `bottom` in `push` releases, the thief's load of it acquires: it sees the entry, and all that was done
// before the entry was offered. A place is overwritten only after `top` has passed it, and then the thief that read
// the old entry fails to move `top`. Orders are on the operations, there is no fence: a thread checker sees all of it.
//
// After D. Chase, Y. Lev, "Dynamic circular work-stealing deque", 2005, and N. M. Le, A. Pop, A. Cohen, F. Zappa Nardelli,
// "Correct and efficient work-stealing for weak memory models", 2013; of fixed size, as the owner may keep what does not fit.
template <class Threads = native_threads>
class basic_work_deque {
public:
    using index = std::uint32_t;
    static constexpr index none = 0xffff'ffff;  // nothing there
    static constexpr index lost = 0xffff'fffe;  // something was there, but another one took it: look again

    // \pre capacity is a power of two.
    explicit basic_work_deque(std::size_t capacity) : entries_(new entry_type[capacity]), mask_(capacity - 1) {}

    // By the owner. \return how many of these there was room for, from the first one on
    auto push(std::span<index const> vertices) -> std::size_t
    {
        std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
        auto const room = [&] {
            return static_cast<std::size_t>(top_seen_ + static_cast<std::int64_t>(mask_) + 1 - bottom);
        };
        if (room() < vertices.size()) top_seen_ = top_.load(std::memory_order_acquire);
        std::size_t const count = std::min(room(), vertices.size());
        for (std::size_t i = 0; i < count; ++i)
            entry(bottom + static_cast<std::int64_t>(i)).store(vertices[i], std::memory_order_relaxed);
        if (count != 0) bottom_.store(bottom + static_cast<std::int64_t>(count), std::memory_order_seq_cst);
        return count;
    }
    auto push(index v) -> bool { return push(std::span(&v, 1)) == 1; }

    // By the owner: the last one pushed, or none.
    auto pop() -> index
    {
        std::int64_t const last = bottom_.load(std::memory_order_relaxed) - 1;
        if (top_.load(std::memory_order_relaxed) > last) return none;  // thieves only ever raise it
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

    // By anybody: the first one pushed, or `none`, or `lost`.
    auto steal() -> index
    {
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        if (top >= bottom_.load(std::memory_order_seq_cst)) return none;
        index const v = entry(top).load(std::memory_order_relaxed);
        return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? v : lost;
    }

    // How many there are, or were a moment ago. For the owner 0 is certain.
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
    std::int64_t top_seen_ = 0;  // of the owner: `top` is not below it
};

using work_deque = basic_work_deque<>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORK_DEQUE_HPP
