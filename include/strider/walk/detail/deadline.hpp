// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_DEADLINE_HPP
#define STRIDER_WALK_DETAIL_DEADLINE_HPP

#include <strider/version.hpp>

#include <chrono>
#include <optional>

namespace strider::detail {

// The time after which a run starts no visit. Runs compare it with their clock where a visit starts or ends: a timer
// would wait behind the visits for a thread of the executor.
class deadline {
public:
    using duration = std::chrono::steady_clock::duration;

    deadline() = default;
    explicit deadline(std::optional<duration> timeout) noexcept : timeout_(timeout) {}

    [[nodiscard]] auto is_set() const noexcept -> bool { return timeout_.has_value(); }
    // Called when a run begins. \param now  the time since the epoch of the clock of the run \pre is_set()
    void start(duration now) noexcept { end_ = *timeout_ > duration::max() - now ? duration::max() : now + *timeout_; }
    // \pre is_set(), and the run has begun
    [[nodiscard]] auto has_passed(duration now) const noexcept -> bool { return now >= end_; }

private:
    std::optional<duration> timeout_;
    duration end_{};
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_DEADLINE_HPP
