// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_LOCK_HOLDER_HPP
#define IACCTL_STATE_LOCK_HOLDER_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::state {

/// The holder of a lock, from the description that it has written.
struct lock_holder {
    std::int64_t pid = 0;
    std::string host;
    std::string user;
    std::string operation;
    std::int64_t started = 0;  ///< milliseconds since 1970, UTC

    /// "process 17 of user@host"
    [[nodiscard]] auto process() const -> std::string;
    /// "apply, process 17 of user@host, started 2026-01-02T03:04:05Z"
    [[nodiscard]] auto phrase() const -> std::string;
};

/// This process, with the current time as its start.
[[nodiscard]] auto this_process(std::string_view operation) -> lock_holder;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_LOCK_HOLDER_HPP
