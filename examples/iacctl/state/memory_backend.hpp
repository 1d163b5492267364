// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_MEMORY_BACKEND_HPP
#define IACCTL_STATE_MEMORY_BACKEND_HPP

#include "backend.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <memory>
#include <mutex>

namespace iacctl::state {

/// One state in memory, which ends with this object. It is the state of every workspace; there are no locks.
///
/// Commands use it one after another; others may look at it meanwhile.
class memory_backend final : public backend {
public:
    /// The state as it was written last. Thread-safe.
    [[nodiscard]] auto content() const -> infra::snapshot;

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "memory"; }
    [[nodiscard]] auto workspaces() const -> expected<std::vector<std::string>> override;
    [[nodiscard]] auto exists(std::string const& workspace) const -> expected<bool> override;
    [[nodiscard]] auto make(std::string const& workspace) const -> std::optional<infra::failure> override;
    [[nodiscard]] auto remove(std::string const& workspace) const -> std::optional<infra::failure> override;
    /// \post the store outlives this
    [[nodiscard]] auto open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store> override;
    [[nodiscard]] auto lock(std::string const& workspace, lock_request const& requested) const
        -> expected<std::unique_ptr<held_lock>> override;
    [[nodiscard]] auto is_locked(std::string const&) const -> bool override { return false; }
    [[nodiscard]] auto holder(std::string const&) const -> std::optional<std::string> override { return std::nullopt; }
    [[nodiscard]] auto locks(std::string const& workspace) const -> expected<std::vector<lock_description>> override;
    [[nodiscard]] auto lock_failure(std::string const& workspace, std::string const& operations) const
        -> infra::failure override;
    [[nodiscard]] auto force_unlock(std::string const& workspace, std::string const& id) const
        -> std::optional<infra::failure> override;
    [[nodiscard]] auto sealed_with() const noexcept -> encryption::target const& override { return unsealed_; }
    /// Empty: nothing is kept beside the state.
    [[nodiscard]] auto local_directory(std::string const&) const -> std::filesystem::path override { return {}; }

    /// The state, for the store and for those who look at it.
    struct kept_state {
        std::mutex guard;
        infra::snapshot content;
    };

private:
    std::shared_ptr<kept_state> kept_ = std::make_shared<kept_state>();
    encryption::target unsealed_{"state", {encryption::method()}};
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_MEMORY_BACKEND_HPP
