// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_WORKSPACE_LOCK_HPP
#define IACCTL_STATE_RECORD_WORKSPACE_LOCK_HPP

#include "base/durable_file.hpp"
#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "state/backend.hpp"
#include "state/lock_holder.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::state {

/// Holds the exclusive lock of a workspace, or locks of parts of it, until it is destroyed or the process ends in any
/// way.
///
/// The file `lock` is locked exclusively for a whole workspace, and shared for parts. A process with locks of parts
/// also has its own file in `locks/`, which names the holder and the parts and is locked while the process lives. A
/// file there that is not locked was left by a killed process. One process at a time, under the lock of `locks/mutex`,
/// compares its parts with those of the others. If it cannot write there, it requests the lock of the whole workspace.
///
/// All are locks of open file descriptions. Unlike POSIX record locks, they are not released when another descriptor of
/// the file is closed, and children that execute another program do not inherit them.
class workspace_lock final : public held_lock {
public:
    /// Creates the workspace if it never existed.
    /// \return the reason has `state_error::locked`, and names the holder
    [[nodiscard]] static auto acquire(std::filesystem::path const& workspace_directory, lock_request const& requested)
        -> expected<std::unique_ptr<workspace_lock>>;

    workspace_lock(std::filesystem::path directory, file_descriptor file)
        : directory_(std::move(directory)),
          file_(std::move(file))
    {}
    ~workspace_lock() override;

    [[nodiscard]] auto exchange(lock_request const& requested) -> expected<void> override;
    [[nodiscard]] auto check(lock_request requested, std::function<state_parts()> const& parts)
        -> expected<void> override;
    /// Returns whether these are locks of parts; then other processes may change other parts.
    [[nodiscard]] auto is_of_parts() const noexcept -> bool { return held_ == scope::parts; }
    /// The file in `locks/`; empty: there is none.
    [[nodiscard]] auto description_file() const noexcept -> std::filesystem::path const& { return description_.file; }

private:
    enum class scope : std::uint8_t { nothing, parts, workspace };
    struct description {
        std::filesystem::path file;
        file_descriptor locked;
    };

    // The right to compare parts with those of other processes: the descriptor of `locks/mutex` while it is locked.
    struct comparison {
        file_descriptor mutex;
        int error = 0;  // errno, if it could not be locked
    };

    // As `attempt_until`, and a moment longer if the holder has ended.
    template <class Attempt>
    void attempt_until_free(lock_request requested, Attempt attempt) const;
    [[nodiscard]] auto take(lock_request const& requested) -> expected<void>;
    [[nodiscard]] auto take_workspace(std::string const& operation) -> expected<void>;
    [[nodiscard]] auto take_parts(std::string const& operation, state_parts const& parts) -> expected<void>;
    [[nodiscard]] auto begin_comparison() const -> comparison;
    // Compares parts with those of other processes. \param parts  called only if there are any
    // \return the reason why they cannot be locked \pre a comparison has begun
    [[nodiscard]] auto check_conflicts(std::function<state_parts const&()> const& parts) const -> expected<void>;
    // \return nothing if the file cannot be written
    [[nodiscard]] auto describe_parts(std::string const& operation, state_parts const& parts) const
        -> std::optional<description>;
    void drop_description();

    std::filesystem::path directory_;
    file_descriptor file_;
    scope held_ = scope::nothing;
    description description_;
};

/// The locks of other processes, the oldest first. \param own  the lock to leave out
[[nodiscard]] auto locks_of_others(std::filesystem::path const& workspace_directory, workspace_lock const* own)
    -> std::vector<lock_description>;

/// Returns whether another process holds a lock now. False for a workspace that never existed.
[[nodiscard]] auto is_locked(std::filesystem::path const& workspace_directory) -> bool;

/// The error for a lock that another process holds. It names the holder and a remedy.
/// \param operations  lines about the operations that are in progress, if these are the reason
[[nodiscard]] auto lock_failure(std::filesystem::path const& workspace_directory, std::string const& operations = {})
    -> infra::failure;

/// One of the holders of the lock; nothing if none has described itself.
[[nodiscard]] auto read_holder(std::filesystem::path const& workspace_directory) -> std::optional<lock_holder>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_WORKSPACE_LOCK_HPP
