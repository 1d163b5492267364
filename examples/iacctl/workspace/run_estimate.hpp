// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_RUN_ESTIMATE_HPP
#define IACCTL_WORKSPACE_RUN_ESTIMATE_HPP

#include "expected_durations.hpp"
#include "language/values/value.hpp"
#include "plan_file.hpp"

#include <strider/infra/model/event.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace iacctl::workspace {

/// An operation and its duration.
struct timed_operation {
    infra::operation_kind kind = infra::operation_kind::create;
    std::string address;
    double seconds = 0;
};

/// The durations of a run that has ended.
struct run_times {
    std::vector<timed_operation> critical_path;  ///< the path of dependencies with the longest duration, in order
    std::vector<timed_operation> slowest;  ///< at most five
};

/// Estimates the remaining time of an apply: the longest remaining path of dependencies, or the remaining work divided by the
/// parallelism, if that is longer. An operation is expected to take as long as it took the last time, or else as the mean of the
/// operations of its type. Thread-safe.
class run_estimate {
public:
    using clock = std::chrono::steady_clock;

    /// \pre the plan outlives this object
    run_estimate(plan const& p, recorded_durations recorded, std::uint32_t parallelism);

    /// The number of operations of each kind.
    [[nodiscard]] auto counts() const noexcept -> std::array<std::size_t, infra::operation_kinds> const&
    {
        return counts_;
    }

    void note(infra::event<language::value> const& e);

    /// Nothing if no duration of the remaining operations is known.
    /// \complexity O(vertices + edges of the plan), once a second
    [[nodiscard]] auto remaining() -> std::optional<std::chrono::seconds>;

    /// \complexity O(vertices + edges of the plan)
    [[nodiscard]] auto times() const -> run_times;

private:
    // One of the two operations that a change may need.
    struct operation {
        std::size_t change = 0;
        bool destroys = false;
        infra::operation_kind kind = infra::operation_kind::create;
        std::optional<clock::time_point> started{};
        std::optional<double> seconds{};  // set at the end
    };
    using event_key = std::tuple<std::string, std::string, bool>;  // address, key of a deposed object, destroys

    void add(std::size_t change, infra::operation_kind kind);
    [[nodiscard]] auto operation_of(infra::node const& n) const -> operation const*;
    [[nodiscard]] auto left_of(operation const& o, clock::time_point now) const -> double;

    plan const* plan_;
    expected_durations expected_;
    std::uint32_t parallelism_;
    std::array<std::size_t, infra::operation_kinds> counts_{};
    std::vector<operation> operations_;
    std::map<event_key, std::size_t> by_event_;
    std::vector<std::array<std::size_t, 2>> by_change_;  // creates or destroys: index of the operation + 1
    mutable std::mutex mutex_;
    std::optional<std::chrono::seconds> last_;
    std::optional<clock::time_point> estimated_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_RUN_ESTIMATE_HPP
