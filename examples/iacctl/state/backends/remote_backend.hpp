// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_REMOTE_BACKEND_HPP
#define IACCTL_STATE_BACKENDS_REMOTE_BACKEND_HPP

#include "base/expected.hpp"
#include "state/backend.hpp"
#include "state/encryption/target.hpp"
#include "state_client.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

class mirrored_store;

/// States that a server stores as documents: a `mirrored_store` per workspace, and the locks of the server.
class remote_backend final : public state::backend {
public:
    /// \param mirrors  the directory of the mirrors of this server, on this machine
    /// \param sealed_with  the methods that encrypt the documents and their mirrors; null: none
    remote_backend(std::shared_ptr<state_client> server, std::filesystem::path mirrors,
        std::shared_ptr<encryption::target const> sealed_with);

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return server_->type(); }
    [[nodiscard]] auto is_made() const -> expected<bool> override { return server_->is_made(); }
    [[nodiscard]] auto workspaces() const -> expected<std::vector<std::string>> override;
    [[nodiscard]] auto exists(std::string const& workspace) const -> expected<bool> override;
    [[nodiscard]] auto make(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto remove(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto open(std::string const& workspace, state::open_mode mode) const
        -> std::unique_ptr<state::store> override;
    /// Retries after 1 s, 2 s, 4 s, 8 s and then every 16 s until the timeout.
    [[nodiscard]] auto lock(std::string const& workspace, state::lock_request const& requested) const
        -> expected<std::unique_ptr<state::held_lock>> override;
    [[nodiscard]] auto is_locked(std::string const& workspace) const -> bool override;
    [[nodiscard]] auto holder(std::string const& workspace) const -> std::optional<std::string> override;
    [[nodiscard]] auto locks(std::string const& workspace) const
        -> expected<std::vector<state::lock_description>> override;
    [[nodiscard]] auto lock_failure(std::string const& workspace, std::string const& operations) const
        -> infra::failure override;
    [[nodiscard]] auto force_unlock(std::string const& workspace, std::string const& id) const
        -> expected<void> override;
    [[nodiscard]] auto salvage_choices(std::string const& workspace) const
        -> expected<std::vector<state::salvage_choice>> override;
    [[nodiscard]] auto salvage(std::string const& workspace, state::salvage_source from) const
        -> expected<state::restored_state> override;
    void begin_migration() override { server_->begin_migration(); }
    [[nodiscard]] auto end_migration(std::string const& workspace) const -> expected<void> override
    {
        return server_->end_migration(workspace);
    }
    [[nodiscard]] auto sealed_with() const noexcept -> encryption::target const& override { return *encryption_; }
    [[nodiscard]] auto local_directory(std::string const& workspace) const -> std::filesystem::path override;

private:
    [[nodiscard]] auto lock_id_of(std::string const& workspace) const -> std::shared_ptr<std::string> const&;
    [[nodiscard]] auto open_mirrored(std::string const& workspace, state::open_mode mode) const
        -> std::unique_ptr<mirrored_store>;

    std::shared_ptr<state_client> server_;
    std::filesystem::path mirrors_;
    std::shared_ptr<encryption::target const> encryption_;
    // The ids of the locks that this process holds, by workspace; empty: none. Locks and stores may outlive this object.
    mutable std::map<std::string, std::shared_ptr<std::string>> lock_ids_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_REMOTE_BACKEND_HPP
