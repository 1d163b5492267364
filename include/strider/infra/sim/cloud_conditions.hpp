// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_CLOUD_CONDITIONS_HPP
#define STRIDER_INFRA_SIM_CLOUD_CONDITIONS_HPP

#include <strider/version.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strider::infra::sim {

/// A change from outside of the engine, while it works.
struct drift {
    std::size_t operation = 0;  ///< before the operation with this number begins, counted from 1 in each run
    std::string id;             ///< of the object; one that does not exist does not change
    std::string attribute;  ///< the attribute that changes
    std::optional<std::string> text;  ///< empty: the object is destroyed
};

/// The behaviour of a simulated cloud besides the faults of single operations. The default is an ideal cloud.
struct cloud_conditions {
    bool refuses_referenced = false;  ///< an object whose id is an attribute of another one cannot be destroyed
    std::uint32_t stale_reads = 0;    ///< so many reads of an object do not see its last change
    std::uint32_t requests = 0;       ///< admitted per window; 0: any number
    std::chrono::nanoseconds window = std::chrono::seconds(1);  ///< the time after which requests are counted anew
    std::chrono::nanoseconds outage_begin{};  ///< times of the clock of the provider; no request succeeds between them
    std::chrono::nanoseconds outage_end{};  ///< the first time at which requests succeed again
    std::vector<drift> drifts;  ///< from outside, in any order
};

/// The answer of a cloud to a request.
enum class admission : std::uint8_t {
    admitted,
    throttled,  ///< too many requests: a later one may be admitted
    unavailable,  ///< an outage
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_CLOUD_CONDITIONS_HPP
