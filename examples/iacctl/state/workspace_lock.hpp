// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_WORKSPACE_LOCK_HPP
#define IACCTL_STATE_WORKSPACE_LOCK_HPP

#include "backend.hpp"
#include "lock_holder.hpp"
#include "support/durable_file.hpp"
#include "support/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::state {

/// Holds the exclusive lock of a workspace, or locks of parts of it, until it is destroyed or the process ends, however that ends.
///
/// The file `lock` is locked exclusively by who has the workspace, and shared by all who have parts. Each of the latter has
/// a file of its own in `locks/`, which names the holder and its parts, and which is locked as long as the holder lives: a file that
/// is not locked is one that a killed process has left. One process at a time compares its parts with those of the others,
/// under the lock of `locks/mutex`. If its parts cannot be written there, it asks for the whole workspace.
///
/// All are locks of open file descriptions: closing another descriptor of the file does not release them, as it would a
/// record lock of POSIX, and children that run another program do not inherit them.
class workspace_lock final : public held_lock {
public:
    /// Makes the workspace if it was never made.
    /// \return the reason has `state_error::locked`, and names the holder
    [[nodiscard]] static auto acquire(std::filesystem::path const& workspace_directory, lock_request const& requested)
        -> expected<std::unique_ptr<workspace_lock>>;

    workspace_lock(std::filesystem::path directory, file_descriptor file)
        : directory_(std::move(directory)),
          file_(std::move(file))
    {}
    ~workspace_lock() override;

    [[nodiscard]] auto exchange(lock_request const& requested) -> std::optional<infra::failure> override;
    /// Are these locks of parts? Others may change other parts then.
    [[nodiscard]] auto is_of_parts() const noexcept -> bool { return held_ == scope::parts; }
    /// The file in `locks/`; empty: there is none.
    [[nodiscard]] auto description_file() const noexcept -> std::filesystem::path const& { return description_.file; }

private:
    enum class scope : std::uint8_t { nothing, parts, workspace };
    struct description {
        std::filesystem::path file;
        file_descriptor locked;
    };

    [[nodiscard]] auto take(lock_request const& requested) -> std::optional<infra::failure>;
    [[nodiscard]] auto take_workspace(std::string const& operation) -> std::optional<infra::failure>;
    [[nodiscard]] auto take_parts(std::string const& operation, state_parts const& parts)
        -> std::optional<infra::failure>;
    // \return nothing if that cannot be written
    [[nodiscard]] auto describe_parts(std::string const& operation, state_parts const& parts) const
        -> std::optional<description>;
    void drop_description();

    std::filesystem::path directory_;
    file_descriptor file_;
    scope held_ = scope::nothing;
    description description_;
};

/// The locks that others hold, the oldest first. \param own  is not among them
[[nodiscard]] auto locks_of_others(std::filesystem::path const& workspace_directory, workspace_lock const* own)
    -> std::vector<lock_description>;

/// Does another process hold a lock now? Nobody does of a workspace that was never made.
[[nodiscard]] auto is_locked(std::filesystem::path const& workspace_directory) -> bool;

/// The error while another process holds the lock: names the holder, and what to do.
/// \param operations  lines about those that are under way, if it is refused because of them
[[nodiscard]] auto lock_failure(std::filesystem::path const& workspace_directory, std::string const& operations = {})
    -> infra::failure;

/// One of those that hold a lock; nothing if nobody has written there.
[[nodiscard]] auto read_holder(std::filesystem::path const& workspace_directory) -> std::optional<lock_holder>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_WORKSPACE_LOCK_HPP
