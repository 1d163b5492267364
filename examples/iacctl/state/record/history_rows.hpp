// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_HISTORY_ROWS_HPP
#define IACCTL_STATE_RECORD_HISTORY_ROWS_HPP

#include "check.hpp"
#include "digest.hpp"
#include "records.hpp"
#include "sqlite_database.hpp"
#include "state/history.hpp"
#include "workspace_files.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::state {

/// An entry, as read from its row.
struct entry_row {
    history_entry content;  ///< without the entry itself if the row is damaged
    std::string address;
    digest hash{};
    bool damaged = false;
};

/// Calls `f` for each entry above `after`, oldest first, until it returns false.
/// \param until  the last sequence
/// \throws database_error
void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& f,
    std::int64_t until = std::numeric_limits<std::int64_t>::max());
/// The same entries in a list.
[[nodiscard]] auto read_entries(database& db, field_hasher& hasher, state_records const& records,
    std::int64_t after = 0, std::int64_t until = std::numeric_limits<std::int64_t>::max()) -> std::vector<entry_row>;
/// Applies entries to a state. \return false if one is damaged or does not fit
[[nodiscard]] auto replay_all(infra::snapshot& to, std::vector<entry_row> const& entries) -> bool;

/// The number of unreferenced sets of dependencies below which they are not searched for.
inline constexpr std::int64_t few_sets = 64;

[[nodiscard]] auto read_generations(database& db) -> std::vector<generation_record>;

/// A backup with a valid `meta` row.
struct known_backup {
    std::filesystem::path file;
    meta_row meta;
};
/// The backups of a workspace, the newest first.
[[nodiscard]] auto backups_of(workspace_files const& files, field_hasher& hasher) -> std::vector<known_backup>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_HISTORY_ROWS_HPP
