// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_PLACEMENT_HPP
#define STRIDER_REMOTE_PLACEMENT_HPP

#include <strider/version.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strider::remote {

/// A worker with a session, as policies see it.
struct worker_info {
    /// The name that the worker has given; shared with the `attempt_report` of each visit, which outlives the session.
    std::shared_ptr<std::string const> name;
    /// Ascending, without repetition.
    std::vector<std::string> labels;
    /// The epoch of the session.
    std::uint64_t epoch = 0;
    /// Number of actions that the worker runs at once.
    std::uint32_t slots = 1;
    /// Number of visits that were sent and have not ended.
    std::uint32_t outstanding = 0;
};

/// Policy that selects a worker for a visit.
///
/// - `accepts(labels, worker)`: true if the worker may run visits with these labels, which ascend without repetition. It depends
///   on its arguments only.
/// - `select(labels, workers)`: the index of the worker to send a visit to. `workers` is not empty, accepts the labels, and has
///   credit: the policy decides which worker, not whether it is free.
///
/// Both are called on the strand of the coordinator and must not throw.
template <class P>
concept placement_policy = std::move_constructible<P>
    && requires(P& policy, std::span<std::string const> labels, worker_info const& worker,
        std::span<worker_info const* const> workers) {
           { policy.accepts(labels, worker) } -> std::convertible_to<bool>;
           { policy.select(labels, workers) } -> std::convertible_to<std::size_t>;
       };

/// Selects, among the workers that have all labels of the visit, the one whose slots are used least; among equal ones that of the
/// oldest session.
struct least_loaded {
    /// Returns true if the worker has all the labels. \pre `labels` ascends. \complexity O(labels of both)
    [[nodiscard]] auto accepts(std::span<std::string const> labels, worker_info const& worker) const -> bool
    {
        return std::includes(worker.labels.begin(), worker.labels.end(), labels.begin(), labels.end());
    }
    /// Returns the index in `workers` of the one with the least load. \pre `workers` is not empty. \complexity O(workers)
    [[nodiscard]] auto select(
        std::span<std::string const> /*labels*/, std::span<worker_info const* const> workers) const -> std::size_t
    {
        auto const less = [](worker_info const* a, worker_info const* b) {
            std::uint64_t const load_a = std::uint64_t{a->outstanding} * b->slots;
            std::uint64_t const load_b = std::uint64_t{b->outstanding} * a->slots;
            return load_a != load_b ? load_a < load_b : a->epoch < b->epoch;
        };
        return static_cast<std::size_t>(std::min_element(workers.begin(), workers.end(), less) - workers.begin());
    }
};

/// A visit whose worker was lost after the visit was sent.
struct lost_visit {
    /// The idempotency key of the visit; valid during the call of the policy.
    std::string_view key;
    /// The number of attempts so far, including the one that was lost.
    std::uint32_t attempts = 1;
    /// `request::is_idempotent`: true if a repetition of the action does no harm.
    bool is_idempotent = false;
};

/// Policy that decides about visits with an unknown outcome: `tries_again(lost_visit)` returns true to run the action on another
/// worker, false to complete the visit with `remote_errc::outcome_unknown`. It is called on the strand of the coordinator and
/// must not throw.
template <class P>
concept retry_policy = std::move_constructible<P> && requires(P& policy, lost_visit const& visit) {
    { policy.tries_again(visit) } -> std::convertible_to<bool>;
};

/// Tries idempotent actions again, up to `max_attempts` in total.
struct retry_idempotent {
    /// The largest number of attempts of a visit, including the first one; 0 and 1 mean no repetition.
    std::uint32_t max_attempts = 5;

    /// Returns true if the visit is idempotent and has attempts left.
    [[nodiscard]] auto tries_again(lost_visit const& visit) const noexcept -> bool
    {
        return visit.is_idempotent && visit.attempts < max_attempts;
    }
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_PLACEMENT_HPP
