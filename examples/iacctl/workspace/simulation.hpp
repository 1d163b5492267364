// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_SIMULATION_HPP
#define IACCTL_WORKSPACE_SIMULATION_HPP

#include "expected_durations.hpp"
#include "plan_file.hpp"
#include "run_estimate.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/program/execution_limits.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace iacctl::workspace {

/// The result of an apply in virtual time.
struct simulated_apply {
    enum class end_type : std::uint8_t { done, failed, skipped, running, not_started };
    struct operation {
        timed_operation what;
        double start = 0;  ///< in seconds since the begin; of operations that were started
        end_type end = end_type::done;
    };

    double seconds = 0;
    std::vector<operation> operations;  ///< in the order of their ends; those that were not started last

    [[nodiscard]] auto count(end_type end) const -> std::size_t;
};

struct simulation_options {
    infra::execution_limits limits;
    std::vector<infra::address> failing;  ///< operations on these resources, instances or modules fail at their end
    std::ostream* trace = nullptr;  ///< receives a trace of the walk
};

/// Walks the graph of a plan with the limits of an apply, in virtual time. Each operation takes the expected time.
[[nodiscard]] auto simulate(plan const& p, expected_durations const& durations, simulation_options const& options)
    -> simulated_apply;

/// The state of the run when `count` operations have ended, as a crash would leave it.
[[nodiscard]] auto after_crash(simulated_apply apply, std::size_t count) -> simulated_apply;

/// The longest path of dependencies with its operations.
[[nodiscard]] auto expected_critical_path(plan const& p, expected_durations const& durations)
    -> std::vector<timed_operation>;

/// The operations of a plan, and how many of them have no recorded duration.
struct known_durations {
    std::size_t operations = 0;
    std::size_t unknown = 0;
};
[[nodiscard]] auto count_known(plan const& p, expected_durations const& durations) -> known_durations;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_SIMULATION_HPP
