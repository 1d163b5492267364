// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_WORKSPACE_HPP
#define IACCTL_STATE_BACKENDS_PG_WORKSPACE_HPP

#include "base/expected.hpp"
#include "pg_database.hpp"
#include "state/encryption/target.hpp"
#include "state/record/digest.hpp"
#include "state/record/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// The row of a workspace in native tables, the header of its state. The serial includes the changes of sessions.
struct pg_workspace : state::state_header {
    std::int64_t id = 0;
    std::int64_t pruned = 0;  ///< sequence of the last removed entry

    [[nodiscard]] static auto read(pg_database const& in, postgres::connection& on, std::string const& name)
        -> std::optional<pg_workspace>;
    /// Returns whether the hashes of its rows add up to `content`: no row is missing or changed.
    [[nodiscard]] auto adds_up(pg_database const& in, postgres::connection& on) const -> bool;
};

/// Advice for a state that is damaged.
inline constexpr std::string_view recovery_advice =
    "\"iacctl state verify\" lists all damage. State can be rebuilt from the undamaged records or from the history: "
    "\"iacctl state repair\" shows the losses of both. Alternatively, restore a backup of the database.";

/// The key that opens the seal of a workspace.
/// \param subject  the name of the state in messages
/// \return a failure if there is none, or if an unencrypted state is not accepted
[[nodiscard]] auto find_key(pg_workspace const& workspace, encryption::target const& methods,
    std::string const& subject) -> expected<state::record_key>;

/// Encrypts a workspace with the first method, if nothing has been written to it yet.
/// \throws postgres::error
[[nodiscard]] auto set_first_key(pg_database& in, std::string const& name, encryption::target const& methods)
    -> expected<void>;

/// Encrypts all records of a workspace with the first method. Versions do not change.
/// \pre the transaction excludes all sessions of the workspace
/// \return a failure if a record is damaged: the transaction must be rolled back
/// \throws postgres::error
[[nodiscard]] auto change_key(pg_database const& in, postgres::connection& on, std::string const& name,
    encryption::target const& methods) -> expected<void>;

/// A hash of a record, as stored in a column.
[[nodiscard]] auto bytes_of(state::digest const& hash) -> std::string;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_WORKSPACE_HPP
