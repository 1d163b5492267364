// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_OPENED_STATE_HPP
#define IACCTL_COMMANDS_OPENED_STATE_HPP

#include "session.hpp"

#include <strider/infra/diagnostics.hpp>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace iacctl::commands {

/// State as it was read.
struct read_state {
    infra::snapshot now;
    bool under_way = false;  ///< another process is at work on its pending operations
};

/// The way of a command to state: under the lock of the workspace, unless no lock was wanted. One that only reads makes no
/// workspace: as long as there is none, there is nothing to lock.
class state_access {
public:
    /// Takes the lock; tells why that is not possible, with the exit code in `code`.
    [[nodiscard]] static auto open(session const& s, state::open_mode mode, int& code) -> std::optional<state_access>;

    /// State as it is now, without a lock, to be shown: what is being made counts as made.
    [[nodiscard]] static auto to_show(session const& s) -> infra::checked<infra::snapshot>;

    /// Pending operations are under way where another process has the lock; where nobody has, they were interrupted.
    /// Changes of state are refused while operations are under way: both processes would lose their work.
    [[nodiscard]] auto read() -> infra::checked<read_state>;

    [[nodiscard]] auto store() noexcept -> state::sqlite_store& { return store_; }

private:
    state_access(std::filesystem::path directory, state::open_mode mode, std::optional<state::workspace_lock> held)
        : directory_(std::move(directory)),
          mode_(mode),
          held_(std::move(held)),
          store_(directory_, mode)
    {}

    std::filesystem::path directory_;
    state::open_mode mode_;
    std::optional<state::workspace_lock> held_;
    state::sqlite_store store_;
};

/// Names the operations that another process is at work on, and what that means for a plan.
[[nodiscard]] auto under_way_warning(session const& s, infra::snapshot const& now) -> infra::diagnostic;

/// State under the lock of the command, to be changed.
class opened_state {
public:
    /// Takes the lock, opens and reads; tells why that is not possible, with the exit code in `code`.
    [[nodiscard]] static auto open(session const& s, int& code) -> std::optional<opened_state>;

    [[nodiscard]] auto now() const noexcept -> infra::snapshot const& { return now_; }
    [[nodiscard]] auto store() noexcept -> state::sqlite_store& { return access_.store(); }

    /// Writes the entries, if there are any. Returns the exit code.
    [[nodiscard]] auto record(session const& s, std::vector<infra::journal_entry> const& entries) -> int
    {
        return entries.empty() ? 0 : s.record(store(), now_, entries);
    }

private:
    opened_state(state_access access, infra::snapshot now) : access_(std::move(access)), now_(std::move(now)) {}

    state_access access_;
    infra::snapshot now_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_OPENED_STATE_HPP
