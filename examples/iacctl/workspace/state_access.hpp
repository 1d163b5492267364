// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_STATE_ACCESS_HPP
#define IACCTL_WORKSPACE_STATE_ACCESS_HPP

#include "backend.hpp"
#include "base/expected.hpp"
#include "settings.hpp"
#include "state/backend.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

/// Takes the lock of a workspace. Null if locking is switched off. From then on interrupts are deferred: the command
/// handles them at points where nothing is lost, and releases its locks.
/// \param parts  to be locked; nothing: the whole workspace
/// \param reads  the command only reads
/// \throws interrupted
[[nodiscard]] auto take_lock(settings const& s, state::backend const& in, std::string const& workspace,
    std::optional<state::state_parts> parts = {}, bool reads = false) -> expected<std::unique_ptr<state::held_lock>>;

/// State as it was read.
struct read_state {
    infra::snapshot now;
    bool under_way = false;  ///< another process carries out its pending operations
    /// The operations of other processes, which were removed from the state.
    std::map<std::string, infra::pending_operation> left_out{};
    std::vector<std::string> left_out_by{};  ///< phrases about the commands that carry them out
};

/// The access of a command to state, with the lock of the workspace unless locking is switched off. A command that only
/// reads takes the lock too, except where the lock would create the workspace and there is none.
class state_access {
public:
    /// The part of state that is locked first.
    enum class lock_scope : std::uint8_t {
        workspace,  ///< the whole workspace
        parts  ///< no part yet, if there are locks of parts, which `lock` takes; otherwise the whole workspace
    };

    /// Takes the lock. \param in  `backend_of` the configuration; by default of `root`
    /// @{
    [[nodiscard]] static auto open(root_module const& root, state::open_mode mode,
        lock_scope scope = lock_scope::workspace) -> expected<state_access>;
    [[nodiscard]] static auto open(std::shared_ptr<state::backend> in, settings const& s, state::open_mode mode,
        lock_scope scope) -> expected<state_access>;
    /// @}

    /// Takes locks of parts, or of the whole workspace, in place of the held ones. Does nothing if no lock is held.
    [[nodiscard]] auto lock(settings const& s, std::optional<state::state_parts> parts) -> expected<void>;
    /// Checks that `lock` would succeed, for a command that only reads. \param parts  not called if they are not needed
    [[nodiscard]] auto check_lock(settings const& s, std::function<state::state_parts()> const& parts)
        -> expected<void>;

    /// The present state, without a lock, for display: objects that are being created are included.
    [[nodiscard]] static auto to_show(root_module const& root) -> expected<infra::snapshot>;

    /// With locks of parts, operations of other processes are removed from the state, because they are not in the parts
    /// that this command can lock. Otherwise:
    ///
    /// Pending operations are in progress if another process has the lock, and interrupted if no process has it.
    /// Changes of state are refused while operations are in progress, because both processes would lose their results.
    [[nodiscard]] auto read() -> expected<read_state>;

    /// Returns whether there are versions and locks of parts.
    [[nodiscard]] auto has_parts() const noexcept -> bool { return backend_->locks_parts(); }
    [[nodiscard]] auto store() noexcept -> state::store& { return *store_; }
    /// Releases the lock. Call this when nothing more is read or written.
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
    // Removes the operations of other processes from a state.
    [[nodiscard]] auto leave_out(read_state& found) const -> expected<void>;

    state::open_mode mode_;
    std::unique_ptr<state::held_lock> held_;
    std::unique_ptr<state::store> store_;
};

/// The warning that names the operations of another process, and their consequence for a plan.
[[nodiscard]] auto under_way_warning(state::backend const& in, std::string const& workspace, infra::snapshot const& now)
    -> infra::diagnostic;
/// The warning that names the operations of other processes in other parts of the state, and these processes.
[[nodiscard]] auto left_out_warning(read_state const& state) -> infra::diagnostic;

/// Writes entries to state, and applies them to `now`, the state as it was read.
/// \param serial  the new serial of the state, if it is not the next one
/// \throws interrupted  before anything is written
[[nodiscard]] auto write_entries(settings const& s, state::store& store, infra::snapshot& now,
    std::vector<infra::journal_entry> const& entries, std::optional<std::uint64_t> serial = {}) -> expected<void>;

/// State to be changed, with the lock of the workspace.
class opened_state {
public:
    /// Takes the lock, and opens and reads state. \pre `root` outlives the result
    [[nodiscard]] static auto open(root_module const& root) -> expected<opened_state>;

    /// The same for a command that replaces the state, even if the document of a server cannot be used.
    [[nodiscard]] static auto open_to_replace(root_module const& root) -> expected<opened_state>;

    [[nodiscard]] auto now() const noexcept -> infra::snapshot const& { return now_; }
    /// Returns whether the present state cannot be used, and must be replaced.
    [[nodiscard]] auto is_unusable() const noexcept -> bool { return unusable_; }
    [[nodiscard]] auto store() noexcept -> state::store& { return access_.store(); }
    [[nodiscard]] auto backend() const noexcept -> state::backend const& { return access_.backend(); }

    /// Writes the entries, if there are any.
    [[nodiscard]] auto record(std::vector<infra::journal_entry> const& entries) -> expected<void>
    {
        if (entries.empty()) return boost::system::in_place_value;
        return write_entries(*of_, store(), now_, entries);
    }

private:
    opened_state(settings const& s, state_access access, infra::snapshot now)
        : of_(&s),
          access_(std::move(access)),
          now_(std::move(now))
    {}

    settings const* of_;
    state_access access_;
    infra::snapshot now_;
    bool unusable_ = false;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_STATE_ACCESS_HPP
