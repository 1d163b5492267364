// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_HISTORY_ROWS_HPP
#define IACCTL_STATE_HISTORY_ROWS_HPP

#include "check.hpp"
#include "dependency_catalog.hpp"
#include "digest.hpp"
#include "history.hpp"
#include "record_cipher.hpp"
#include "sqlite_database.hpp"
#include "workspace_files.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
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

/// Calls `with` for each entry above `after`, oldest first, until it returns false.
/// \throws database_error
void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& with);

[[nodiscard]] auto read_generations(database& db) -> std::vector<generation_record>;

/// A backup with a valid `meta` row.
struct known_backup {
    std::filesystem::path file;
    meta_row meta;
};
/// The backups of a workspace, the newest first.
[[nodiscard]] auto backups_of(workspace_files const& files, field_hasher& hasher) -> std::vector<known_backup>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_HISTORY_ROWS_HPP
