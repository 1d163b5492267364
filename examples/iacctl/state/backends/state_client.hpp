// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_STATE_CLIENT_HPP
#define IACCTL_STATE_BACKENDS_STATE_CLIENT_HPP

#include "base/expected.hpp"
#include "lock_info.hpp"
#include "state/state_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

namespace infra = strider::infra;

/// The result of an attempt to lock.
struct lock_attempt {
    bool held = false;  ///< by this process
    std::optional<lock_info> holder = {};  ///< of a lock that another process holds, if the server reports it
    std::string place = {};  ///< what that process has locked, if it is not the document that `place_of` names
};

/// Access to the state documents of one configuration on a server, in Terraform's state format, version 4.
///
/// Calls must be sequential, and block. Failures name the server, without passwords.
class state_client {
public:
    state_client() = default;
    state_client(state_client const&) = delete;
    auto operator=(state_client const&) -> state_client& = delete;
    virtual ~state_client() = default;

    /// The type of the backend: "http".
    [[nodiscard]] virtual auto type() const noexcept -> std::string_view = 0;
    /// The address of a document for messages, without user information.
    [[nodiscard]] virtual auto place_of(std::string const& workspace) const -> std::string = 0;
    /// The same of the document that `put` writes, if it is another one.
    [[nodiscard]] virtual auto written_place_of(std::string const& workspace) const -> std::string
    {
        return place_of(workspace);
    }
    /// The workspaces that have a document, and the default workspace in any case.
    /// \return a failure if the backend has only the default workspace and cannot list
    [[nodiscard]] virtual auto workspaces() -> expected<std::vector<std::string>> = 0;

    /// See `state::backend`.
    [[nodiscard]] virtual auto is_made() -> expected<bool> { return true; }
    /// The options with which a command uses this document, if it is not that of the backend, for an advice:
    /// " -state=FILE".
    [[nodiscard]] virtual auto options() const -> std::string { return {}; }

    /// The document; nothing if there is none.
    [[nodiscard]] virtual auto get(std::string const& workspace) -> expected<std::optional<std::string>> = 0;
    /// Replaces the document.
    /// \param lock_id  of the lock that is held; empty: none
    [[nodiscard]] virtual auto put(std::string const& workspace, std::string const& text, std::string const& lock_id)
        -> expected<void> = 0;
    /// Returns whether an earlier version of a document, or none, is accepted in place of a later one: its owner replaces
    /// and deletes it directly.
    [[nodiscard]] virtual auto may_go_back() const noexcept -> bool { return false; }
    /// Checks that `put` can write, before anything is changed that would have to be recorded.
    [[nodiscard]] virtual auto check_writable(std::string const&) -> expected<void> { return {}; }
    /// See `state::backend`.
    virtual void begin_migration() {}
    [[nodiscard]] virtual auto end_migration(std::string const&) -> expected<void> { return {}; }
    [[nodiscard]] virtual auto erase(std::string const& workspace) -> expected<void> = 0;

    /// False if the server has no locks: then two processes may overwrite each other's state, as with Terraform.
    [[nodiscard]] virtual auto can_lock() const noexcept -> bool = 0;
    /// Returns whether a lock remains when its process ends without releasing it.
    [[nodiscard]] virtual auto lock_outlasts_process() const noexcept -> bool { return true; }
    /// False if a lock can be released only by its process.
    [[nodiscard]] virtual auto can_force_unlock() const noexcept -> bool { return true; }
    /// Makes one attempt to take the lock.
    [[nodiscard]] virtual auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> = 0;
    /// The same for a process that only reads. Such locks may exclude each other.
    [[nodiscard]] virtual auto lock_to_read(std::string const& workspace, lock_info const& as) -> expected<lock_attempt>
    {
        return lock(workspace, as);
    }
    /// Releases a lock, which another process may have taken.
    [[nodiscard]] virtual auto unlock(std::string const& workspace, lock_info const& info) -> expected<void> = 0;
    /// The lock that is held now, if the server reports it to read requests.
    [[nodiscard]] virtual auto holder(std::string const& workspace) -> std::optional<lock_info> = 0;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_STATE_CLIENT_HPP
