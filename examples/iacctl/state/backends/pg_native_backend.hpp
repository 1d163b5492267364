// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_NATIVE_BACKEND_HPP
#define IACCTL_STATE_BACKENDS_PG_NATIVE_BACKEND_HPP

#include "base/expected.hpp"
#include "pg_database.hpp"
#include "state/backend.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// States in tables of a PostgreSQL database, one row per object, with locks of parts.
class pg_native_backend final : public state::backend {
public:
    /// \param local  a directory on this machine, for rescue copies
    pg_native_backend(
        pg_settings settings, std::filesystem::path local, std::shared_ptr<encryption::target const> sealed_with = {});

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "pg"; }
    [[nodiscard]] auto is_made() const -> expected<bool> override;
    [[nodiscard]] auto workspaces() const -> expected<std::vector<std::string>> override;
    [[nodiscard]] auto exists(std::string const& workspace) const -> expected<bool> override;
    [[nodiscard]] auto make(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto remove(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto open(std::string const& workspace, state::open_mode mode) const
        -> std::unique_ptr<state::store> override;
    [[nodiscard]] auto lock(std::string const& workspace, state::lock_request const& requested) const
        -> expected<std::unique_ptr<state::held_lock>> override;
    [[nodiscard]] auto locks_parts() const noexcept -> bool override { return true; }
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
    void begin_migration() override;
    [[nodiscard]] auto end_migration(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto sealed_with() const noexcept -> encryption::target const& override { return *encryption_; }
    [[nodiscard]] auto local_directory(std::string const& workspace) const -> std::filesystem::path override;

private:
    std::shared_ptr<pg_database> database_;
    std::filesystem::path local_;
    std::shared_ptr<encryption::target const> encryption_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_NATIVE_BACKEND_HPP
