// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_NATIVE_THREADS_HPP
#define STRIDER_WALK_DETAIL_STEALING_NATIVE_THREADS_HPP

#include <strider/version.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace strider::detail {

// One round of busy waiting: a hint to the processor.
inline void pause_processor() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// The variables that the threads of a run share. The names have no effect on the variables.
enum class shared_variable : std::uint8_t {
    top,  // of a deque
    bottom,  // of a deque
    entry,  // of a deque
    active,  // workers in the run
    posted,  // helpers that are queued
    offers,  // count of offers
    searching,  // workers without vertices
    closed,  // no other run follows
    slots,  // workers in use
    open,  // dependencies of a vertex that are not settled
    inherited,  // outcomes inherited from settled dependencies
    control,  // stop bits
    ended,
    short_visits,  // visits are known to be short
    failed,
    thrown,
};

// The threads policy of a run: atomic variables, mutexes, time and waiting. Everything that workers share is a template over
// it, so that a simulation can replace it.
struct native_threads {
    template <class T, shared_variable>
    using atomic = std::atomic<T>;
    using mutex = std::mutex;
    using clock = std::chrono::steady_clock;

    // Rounds in which a worker looks for work before it leaves, or a helper waits for the next run, and in which a caller polls
    // for the end before it sleeps.
    static constexpr int worker_spin_rounds = 500;
    static constexpr int caller_spin_rounds = 300;
    // Runs of at least so many vertices determine how the next one begins; one that takes at least so long may be shared, because a
    // worker needs several microseconds to join.
    static constexpr std::size_t least_compared_vertices = 512;
    static constexpr std::chrono::microseconds least_shared_run{100};

    // A worker that looks for work does not yield: with other programs running, a yield costs a time slice.
    static void pause_worker() noexcept { pause_processor(); }
    // A thread without work, which waits for the end or the begin of a run, yields occasionally: a worker may wait for its
    // processor.
    static void pause_idle(int round) noexcept
    {
        if (round % 32 == 31) std::this_thread::yield();
        else pause_processor();
    }
};

template <class Threads, class T, shared_variable Name>
using shared_atomic = typename Threads::template atomic<T, Name>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_NATIVE_THREADS_HPP
