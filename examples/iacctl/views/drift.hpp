// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_DRIFT_HPP
#define IACCTL_VIEWS_DRIFT_HPP

#include "plan_view.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::views {

/// A difference between an object and its state that the program did not make.
struct drifted_object {
    std::string address;
    bool is_deleted = false;
    std::vector<std::string> attributes;  ///< that differ, if the object exists

    friend auto operator==(drifted_object const&, drifted_object const&) -> bool = default;
};

/// The drift that a plan found, sorted by address. Contains the names of attributes, not their values.
[[nodiscard]] auto drifted_objects(plan_view const& plan) -> std::vector<drifted_object>;

/// Drifted objects now and before.
struct drift_change {
    std::vector<drifted_object> appeared;  ///< or changed again
    std::vector<std::string> resolved;  ///< addresses

    [[nodiscard]] auto empty() const noexcept -> bool { return appeared.empty() && resolved.empty(); }
};

/// \pre both are sorted by address
[[nodiscard]] auto compare_drift(std::vector<drifted_object> const& before, std::vector<drifted_object> const& now)
    -> drift_change;

/// The change as JSON, on one line. \param time  RFC 3339
[[nodiscard]] auto drift_json(drift_change const& change, std::vector<drifted_object> const& now,
    std::string_view workspace, std::string_view time) -> std::string;

/// The drifted objects as JSON, on one line, for a console: the first ones whose texts fit, and the number of the others.
/// \param longest  bytes of the objects
[[nodiscard]] auto drift_report(std::vector<drifted_object> const& now, std::string_view workspace,
    std::string_view time, std::size_t longest) -> std::string;

/// The change as text: a line per object. \param time  at the beginning of each line
[[nodiscard]] auto drift_text(drift_change const& change, std::string_view time) -> std::string;

/// Counts of a watch.
struct watch_counts {
    std::uint64_t complete = 0;
    std::uint64_t failed = 0;
    std::uint64_t locked = 0;
    std::uint64_t hooks_failed = 0;
    std::size_t deleted = 0;  ///< objects in the last complete round
    std::size_t changed = 0;
    double last_complete = 0;  ///< seconds since 1970; 0: none
    double last_duration = 0;  ///< seconds
};

/// Metrics in the text format of OpenMetrics 1.0.
[[nodiscard]] auto open_metrics(watch_counts const& counts, std::string_view workspace) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_DRIFT_HPP
