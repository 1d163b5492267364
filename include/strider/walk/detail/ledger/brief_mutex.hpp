// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_BRIEF_MUTEX_HPP
#define STRIDER_WALK_DETAIL_LEDGER_BRIEF_MUTEX_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <mutex>

namespace strider::detail {

// A mutex that is locked for less than a microsecond at a time. A thread polls it for some microseconds before it sleeps, because
// to put a thread to sleep and to wake it takes longer.
class brief_mutex {
public:
    void lock()
    {
        constexpr int most_rounds = 100;
        for (int round = 0; round < most_rounds; ++round) {
            if (mutex_.try_lock()) return;
            pause_processor();
        }
        mutex_.lock();
    }
    void unlock() noexcept { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_BRIEF_MUTEX_HPP
