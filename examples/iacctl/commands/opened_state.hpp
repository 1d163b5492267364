// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_OPENED_STATE_HPP
#define IACCTL_COMMANDS_OPENED_STATE_HPP

#include "session.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace iacctl::commands {

/// State under the lock of the command, to be changed.
class opened_state {
public:
    /// Takes the lock, opens and reads; tells why that is not possible, with the exit code in `code`.
    [[nodiscard]] static auto open(session const& s, int& code) -> std::optional<opened_state>
    {
        auto held = s.lock(s.asked().command);
        if (!held) {
            code = s.tell(held.error());
            return std::nullopt;
        }
        auto store = s.store(state::open_mode::read_write);
        auto now = store.read_now();
        if (!now) {
            code = s.tell(now.error());
            return std::nullopt;
        }
        return opened_state(std::move(*held), std::move(store), std::move(*now));
    }

    [[nodiscard]] auto now() const noexcept -> infra::snapshot const& { return now_; }
    [[nodiscard]] auto store() noexcept -> state::sqlite_store& { return store_; }

    /// Writes the entries, if there are any. Returns the exit code.
    [[nodiscard]] auto record(session const& s, std::vector<infra::journal_entry> const& entries) -> int
    {
        return entries.empty() ? 0 : s.record(store_, now_, entries);
    }

private:
    opened_state(std::optional<state::workspace_lock> held, state::sqlite_store store, infra::snapshot now)
        : held_(std::move(held)),
          store_(std::move(store)),
          now_(std::move(now))
    {}

    std::optional<state::workspace_lock> held_;
    state::sqlite_store store_;
    infra::snapshot now_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_OPENED_STATE_HPP
