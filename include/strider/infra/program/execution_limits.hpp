// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_EXECUTION_LIMITS_HPP
#define STRIDER_INFRA_PROGRAM_EXECUTION_LIMITS_HPP

#include <strider/version.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace strider::infra {

/// Limits of a run: the number of operations and threads at once, and the conditions under which no further operation starts.
struct execution_limits {
    /// The number of visits at once if none is set.
    static constexpr std::uint32_t default_parallelism = 10;

    std::uint32_t parallelism = default_parallelism;  ///< visits at once; 0 means the default
    std::map<std::string, std::uint32_t, std::less<>> of_type;  ///< additional limits per type of resource; 0 means 1
    bool stop_on_first_failure = false;  ///< also stops vertices that do not depend on the failed one
    /// Number of threads of the executor. 0 means its `occupancy`, to which the threads of an `asio::thread_pool` that call
    /// `attach` contribute only after they have started.
    std::uint32_t threads = 0;

    /// The number of visits at once, never 0.
    [[nodiscard]] constexpr auto max_concurrency() const noexcept -> std::uint32_t
    {
        return parallelism == 0 ? default_parallelism : parallelism;
    }
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_EXECUTION_LIMITS_HPP
