// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_WORKSPACE_LOCK_HPP
#define IACCTL_STATE_WORKSPACE_LOCK_HPP

#include "backend.hpp"
#include "lock_holder.hpp"
#include "support/durable_file.hpp"
#include "support/file_descriptor.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace iacctl::state {

/// Holds the exclusive lock of a workspace until it is destroyed or the process ends, however that ends.
///
/// A lock of the open file description: closing another descriptor of the file does not release it, as it would a
/// record lock of POSIX, and children that run another program do not inherit it.
class workspace_lock final : public held_lock {
public:
    /// Makes the workspace if it was never made.
    /// \return the reason has `state_error::locked`, and names the holder
    [[nodiscard]] static auto acquire(std::filesystem::path const& workspace_directory, lock_request const& asked)
        -> expected<std::unique_ptr<workspace_lock>>;

    explicit workspace_lock(file_descriptor file) : file_(std::move(file)) {}
    ~workspace_lock() override;

private:
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
