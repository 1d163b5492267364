// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_LOCAL_BACKEND_HPP
#define IACCTL_STATE_RECORD_LOCAL_BACKEND_HPP

#include "base/expected.hpp"
#include "state/backend.hpp"
#include "workspace_files.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

class workspace_lock;

/// States in directories on this machine: an `sqlite_store` and a `workspace_lock` for each workspace.
class local_backend final : public backend {
public:
    /// States below `.iacctl`.
    /// \param configuration  the directory of the configuration
    explicit local_backend(
        std::filesystem::path const& configuration, std::shared_ptr<encryption::target const> sealed_with = {});
    /// \param of_default  the parent of the directory of the default workspace
    /// \param of_others   the parent of the directories of all other workspaces; may be the same
    local_backend(std::filesystem::path of_default, std::filesystem::path of_others,
        std::shared_ptr<encryption::target const> sealed_with = {});

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "local"; }
    [[nodiscard]] auto workspaces() const -> expected<std::vector<std::string>> override;
    [[nodiscard]] auto exists(std::string const& workspace) const -> expected<bool> override;
    [[nodiscard]] auto make(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto remove(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store> override;
    [[nodiscard]] auto lock(std::string const& workspace, lock_request const& requested) const
        -> expected<std::unique_ptr<held_lock>> override;
    [[nodiscard]] auto locks_parts() const noexcept -> bool override { return true; }
    [[nodiscard]] auto lock_creates_workspace() const noexcept -> bool override { return true; }
    [[nodiscard]] auto is_locked(std::string const& workspace) const -> bool override;
    [[nodiscard]] auto holder(std::string const& workspace) const -> std::optional<std::string> override;
    [[nodiscard]] auto locks(std::string const& workspace) const -> expected<std::vector<lock_description>> override;
    [[nodiscard]] auto lock_failure(std::string const& workspace, std::string const& operations) const
        -> infra::failure override;
    /// The kernel releases the lock with its holder, so this only reports the holder, or that there is none.
    [[nodiscard]] auto force_unlock(std::string const& workspace, std::string const& id) const
        -> expected<void> override;
    [[nodiscard]] auto restore(std::string const& workspace, std::filesystem::path const& from) const
        -> expected<restored_state> override;
    [[nodiscard]] auto salvage_choices(std::string const& workspace) const
        -> expected<std::vector<salvage_choice>> override;
    [[nodiscard]] auto salvage(std::string const& workspace, salvage_source from) const
        -> expected<restored_state> override;
    [[nodiscard]] auto sealed_with() const noexcept -> encryption::target const& override { return *encryption_; }
    [[nodiscard]] auto local_directory(std::string const& workspace) const -> std::filesystem::path override;

private:
    [[nodiscard]] auto files_of(std::string const& workspace) const -> workspace_files;
    // The lock that this object took last, while it is held.
    [[nodiscard]] auto own_lock(std::string const& workspace) const -> std::weak_ptr<workspace_lock const>;

    std::filesystem::path of_default_;
    std::filesystem::path of_others_;
    std::shared_ptr<encryption::target const> encryption_;
    mutable std::map<std::string, std::weak_ptr<workspace_lock const>> own_locks_;  // by workspace
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_LOCAL_BACKEND_HPP
