// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_STATE_ACCESS_HPP
#define IACCTL_APP_STATE_ACCESS_HPP

#include "backend.hpp"
#include "settings.hpp"
#include "state/backend.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::app {

/// Takes the lock of a workspace. Null if locking was switched off. From then on interrupts are deferred: the command acts on
/// them where nothing is lost, and its locks are released.
/// \param parts  that are locked; nothing: the whole workspace
/// \throws interrupted
[[nodiscard]] auto take_lock(settings const& of, state::backend const& in, std::string const& workspace,
    std::optional<state::state_parts> parts = {}) -> infra::expected<std::unique_ptr<state::held_lock>>;

/// State as it was read.
struct read_state {
    infra::snapshot now;
    bool under_way = false;  ///< another process is at work on its pending operations
    /// Operations that other processes are at work on, and that were left out of the state.
    std::map<std::string, infra::pending_operation> left_out{};
    std::vector<std::string> left_out_by{};  ///< phrases about the commands that are at work on them
};

/// The way of a command to state: under the lock of the workspace, unless no lock was wanted. One that only reads makes no
/// workspace: as long as there is none, there is nothing to lock.
class state_access {
public:
    /// The part of state that is locked at first.
    enum class lock_scope : std::uint8_t {
        workspace,  ///< the whole workspace
        parts  ///< no part so far, where there are locks of parts: `lock` takes them; otherwise the whole workspace
    };

    /// Takes the lock.
    [[nodiscard]] static auto open(root_module const& of, state::open_mode mode,
        lock_scope scope = lock_scope::workspace) -> infra::expected<state_access>;

    /// Takes locks of parts, or of the whole workspace, in place of those that are held. Does nothing if none is held.
    [[nodiscard]] auto lock(settings const& of, std::optional<state::state_parts> parts)
        -> std::optional<infra::failure>;

    /// State as it is now, without a lock, to be shown: what is being made counts as made.
    [[nodiscard]] static auto to_show(root_module const& of) -> infra::expected<infra::snapshot>;

    /// With locks of parts, operations that another process is at work on are left out: they are in none of the parts
    /// that this command can lock. Otherwise:
    ///
    /// Pending operations are under way where another process has the lock; where nobody has, they were interrupted.
    /// Changes of state are refused while operations are under way: both processes would lose their work.
    [[nodiscard]] auto read() -> infra::expected<read_state>;

    /// Are there versions and locks of parts?
    [[nodiscard]] auto has_parts() const noexcept -> bool { return backend_->locks_parts(); }
    [[nodiscard]] auto store() noexcept -> state::store& { return *store_; }
    /// Releases the lock, once nothing more is read or written.
    void unlock() { held_.reset(); }
    [[nodiscard]] auto backend() const noexcept -> state::backend const& { return *backend_; }

private:
    state_access(std::shared_ptr<state::backend> in, std::string workspace, state::open_mode mode,
        std::unique_ptr<state::held_lock> held)
        : backend_(std::move(in)),
          workspace_(std::move(workspace)),
          mode_(mode),
          held_(std::move(held)),
          store_(backend_->open(workspace_, mode))
    {}

    std::shared_ptr<state::backend> backend_;
    std::string workspace_;
    // Leaves out of a state what other processes are at work on.
    [[nodiscard]] auto leave_out(read_state& found) const -> std::optional<infra::failure>;

    state::open_mode mode_;
    std::unique_ptr<state::held_lock> held_;
    std::unique_ptr<state::store> store_;
};

/// Names the operations that another process is at work on, and what that means for a plan.
[[nodiscard]] auto under_way_warning(state::backend const& in, std::string const& workspace, infra::snapshot const& now)
    -> infra::diagnostic;
/// Names the operations that other processes are at work on in other parts of the state, and these processes.
[[nodiscard]] auto left_out_warning(read_state const& of) -> infra::diagnostic;

/// Writes entries to state, and applies them to `now`, the state as it was read.
/// \param serial  the number that state has then, if it does not count on
/// \throws interrupted  before anything is written
[[nodiscard]] auto write_entries(settings const& of, state::store& store, infra::snapshot& now,
    std::vector<infra::journal_entry> const& entries, std::optional<std::uint64_t> serial = {})
    -> infra::expected<void>;

/// State under the lock of the workspace, to be changed.
class opened_state {
public:
    /// Takes the lock, opens and reads.
    /// \pre `of` outlives the result
    [[nodiscard]] static auto open(root_module const& of) -> infra::expected<opened_state>;

    [[nodiscard]] auto now() const noexcept -> infra::snapshot const& { return now_; }
    [[nodiscard]] auto store() noexcept -> state::store& { return access_.store(); }

    /// Writes the entries, if there are any.
    [[nodiscard]] auto record(std::vector<infra::journal_entry> const& entries) -> infra::expected<void>
    {
        if (entries.empty()) return boost::system::in_place_value;
        return write_entries(*of_, store(), now_, entries);
    }

private:
    opened_state(settings const& of, state_access access, infra::snapshot now)
        : of_(&of),
          access_(std::move(access)),
          now_(std::move(now))
    {}

    settings const* of_;
    state_access access_;
    infra::snapshot now_;
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_STATE_ACCESS_HPP
