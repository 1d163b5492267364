// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_MEMORY_BACKEND_HPP
#define IACCTL_STATE_MEMORY_BACKEND_HPP

#include "backend.hpp"
#include "base/expected.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <memory>
#include <mutex>

namespace iacctl::state {

/// One state in memory, with the lifetime of this object. It is the state of every workspace; there are no locks.
///
/// Commands use it sequentially; other threads may read it meanwhile.
class memory_backend final : public backend {
public:
    /// The state as last written. Thread-safe.
    [[nodiscard]] auto content() const -> infra::snapshot;

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "memory"; }
    [[nodiscard]] auto workspaces() const -> expected<std::vector<std::string>> override;
    [[nodiscard]] auto exists(std::string const& workspace) const -> expected<bool> override;
    [[nodiscard]] auto make(std::string const& workspace) const -> expected<void> override;
    [[nodiscard]] auto remove(std::string const& workspace) const -> expected<void> override;
    /// \post the store may outlive this object
    [[nodiscard]] auto open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store> override;
    [[nodiscard]] auto lock(std::string const& workspace, lock_request const& requested) const
        -> expected<std::unique_ptr<held_lock>> override;
    [[nodiscard]] auto is_locked(std::string const&) const -> bool override { return false; }
    [[nodiscard]] auto holder(std::string const&) const -> std::optional<std::string> override { return std::nullopt; }
    [[nodiscard]] auto locks(std::string const& workspace) const -> expected<std::vector<lock_description>> override;
    [[nodiscard]] auto lock_failure(std::string const& workspace, std::string const& operations) const
        -> infra::failure override;
    [[nodiscard]] auto force_unlock(std::string const& workspace, std::string const& id) const
        -> expected<void> override;
    [[nodiscard]] auto sealed_with() const noexcept -> encryption::target const& override { return unsealed_; }
    /// Empty: nothing is stored outside of the state.
    [[nodiscard]] auto local_directory(std::string const&) const -> std::filesystem::path override { return {}; }

    /// The state, shared by the stores and the readers.
    struct stored_state {
        std::mutex guard;
        infra::snapshot content;
    };

private:
    std::shared_ptr<stored_state> kept_ = std::make_shared<stored_state>();
    encryption::target unsealed_{"state", {encryption::method()}};
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_MEMORY_BACKEND_HPP
