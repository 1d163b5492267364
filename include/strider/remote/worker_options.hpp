// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_WORKER_OPTIONS_HPP
#define STRIDER_REMOTE_WORKER_OPTIONS_HPP

#include <strider/version.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace strider::remote {

/// Options of a worker.
struct worker_options {
    /// Name of the worker in events and errors.
    std::string name{};
    /// Name of the application and of its format of actions: that of the coordinator.
    std::string application{};
    /// Secret that the coordinator expects.
    std::string credential{};
    /// Labels for placement.
    std::vector<std::string> labels{};
    /// Number of actions that run at once. At least 1.
    std::uint32_t slots = 1;
    /// A coordinator that has not accepted the worker within this time ends the session. Later the coordinator's intervals apply.
    std::chrono::milliseconds handshake_timeout = std::chrono::seconds(5);
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_WORKER_OPTIONS_HPP
