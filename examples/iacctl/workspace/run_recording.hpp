// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_RUN_RECORDING_HPP
#define IACCTL_WORKSPACE_RUN_RECORDING_HPP

#include "language/values/value.hpp"
#include "plan_file.hpp"

#include <strider/infra/model/event.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace iacctl::workspace {

/// An operation with its times since the Unix epoch.
struct recorded_operation {
    enum class end_type : std::uint8_t { running, done, failed };

    infra::operation_kind kind = infra::operation_kind::create;
    infra::address target;
    std::string deposed_key;
    bool is_refresh = false;  ///< an object was read for a plan
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    end_type result = end_type::running;
};

/// Records the times of the operations of a run. Thread-safe.
class run_recording {
public:
    run_recording();

    /// \pre this object exists while the observer is called
    [[nodiscard]] auto observer(infra::observer<language::value> next) -> infra::observer<language::value>;

    /// All operations in the order of their starts. Running operations get the present time as their end.
    [[nodiscard]] auto operations() const -> std::vector<recorded_operation>;

    /// The begin of the recording, and the present time, since the Unix epoch. Steps of the system clock do not affect
    /// them.
    [[nodiscard]] auto begin() const noexcept -> std::chrono::nanoseconds { return begin_; }
    [[nodiscard]] auto now() const -> std::chrono::nanoseconds;

private:
    using key = std::tuple<infra::operation_kind, std::string, std::string, bool>;

    void note(infra::event<language::value> const& e);

    std::chrono::steady_clock::time_point origin_;
    std::chrono::nanoseconds begin_;
    mutable std::mutex mutex_;
    std::vector<recorded_operation> all_;
    std::map<key, std::size_t> running_;
};

/// A vertex of a plan whose operation was started, in seconds since the begin of the apply.
struct recorded_visit {
    strider::vertex_id vertex;
    double ready = 0;  ///< its dependencies had ended
    double start = 0;
    double end = 0;
    recorded_operation::end_type result = recorded_operation::end_type::done;
};

/// The visits of an apply, and its duration.
struct recorded_apply {
    double seconds = 0;
    std::vector<recorded_visit> visits;
};
[[nodiscard]] auto visits_of(plan const& p, std::vector<recorded_operation> const& all) -> recorded_apply;

/// Writes an apply as `trace_event` JSON for Perfetto: the operations that ran, queued, and waited for others. Categories are the
/// status and the kind of an operation.
void write_apply_trace(std::ostream& to, plan const& p, std::vector<recorded_operation> const& all);
/// Writes the operations of a run without a plan, such as the reads of planning.
void write_trace(std::ostream& to, std::vector<recorded_operation> const& all);

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_RUN_RECORDING_HPP
