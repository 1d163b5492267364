// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_WORKSPACE_LOCK_HPP
#define IACCTL_STATE_WORKSPACE_LOCK_HPP

#include "state_error.hpp"
#include "support/durable_file.hpp"
#include "support/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::state {

/// Who holds a lock, as the holder says. Only for telling the user: the lock itself is the kernel's.
struct lock_holder {
    std::int64_t pid = 0;
    std::string host;
    std::string user;
    std::string operation;
    std::int64_t started = 0;  ///< milliseconds since 1970, UTC
};

/// Holds the exclusive lock of a workspace until it is destroyed or the process ends, however that ends.
///
/// A lock of the open file description: closing another descriptor of the file does not release it, as it would a
/// record lock of POSIX, and children that run another program do not inherit it.
class workspace_lock {
public:
    /// Makes the workspace if it was never made.
    ///
    /// \param timeout  how long to try again, at growing distances of 0.1 s to 2 s; 0: once
    /// \param stop     asked between two attempts; true: give up, as if the time were over
    /// \return the reason has state_error::locked, and names the holder
    [[nodiscard]] static auto acquire(std::filesystem::path const& workspace_directory, std::string_view operation,
        std::chrono::milliseconds timeout = {}, std::function<bool()> const& stop = {}) -> checked<workspace_lock>;

    workspace_lock(workspace_lock&&) noexcept = default;
    auto operator=(workspace_lock&&) noexcept -> workspace_lock& = default;
    ~workspace_lock();

private:
    explicit workspace_lock(file_descriptor file) : file_(std::move(file)) {}

    file_descriptor file_;
};

/// Does another process hold the lock now? Nobody does of a workspace that was never made.
[[nodiscard]] auto is_locked(std::filesystem::path const& workspace_directory) -> bool;

/// The error while another process holds the lock: names the holder, and what to do.
/// \param operations  lines about those that are under way, if it is refused because of them
[[nodiscard]] auto lock_failure(std::filesystem::path const& workspace_directory, std::string const& operations = {})
    -> infra::failure;

/// What the lock file says; nothing if nobody has written there.
[[nodiscard]] auto read_holder(std::filesystem::path const& workspace_directory) -> std::optional<lock_holder>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_WORKSPACE_LOCK_HPP
