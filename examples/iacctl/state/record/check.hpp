// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_CHECK_HPP
#define IACCTL_STATE_RECORD_CHECK_HPP

#include "base/expected.hpp"
#include "commit_mark.hpp"
#include "digest.hpp"
#include "meta_row.hpp"
#include "records.hpp"
#include "sqlite_database.hpp"
#include "state/history.hpp"
#include "state/state_error.hpp"
#include "workspace_files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::state {

/// Finds the key for the seal of the header.
[[nodiscard]] auto find_key(meta_row const& meta, workspace_files const& files, field_hasher& hasher)
    -> expected<record_key>;

/// The content of a database.
struct state_content : state_records {
    meta_row meta;
};

/// Checks that this is a database of this program in a supported format, and that its `meta` row is valid.
/// \throws database_error
[[nodiscard]] auto check_header(sqlite_database& db, workspace_files const& files, field_hasher& hasher)
    -> expected<meta_row>;

/// Checks that the database contains the recorded last commit. \param noted  read before the database was
[[nodiscard]] auto check_mark(meta_row const& meta, std::optional<commit_point> noted, workspace_files const& files)
    -> expected<void>;
/// Paragraphs with the remedies for the loss of saved changes.
[[nodiscard]] auto continuation_advice(workspace_files const& files) -> std::string;

/// Reads state in one transaction and checks all of it: every row against its hash, the sum of all rows, and
/// `verify_integrity`. A failure names every damaged row.
/// \throws database_error for errors other than damage
[[nodiscard]] auto read_state(sqlite_database& db, workspace_files const& files, field_hasher& hasher)
    -> expected<state_content>;

/// The result of a read that does not stop at damage.
struct inspection {
    state_content content;  ///< without the damaged records
    expected<void> key;  ///< without it, nothing else was checked
    infra::diagnostics header;  ///< why the `meta` row cannot be read: `content.meta` is empty
};

/// Reads state in one transaction, and checks each row.
/// \throws database_error for errors other than damage
[[nodiscard]] auto inspect(sqlite_database& db, workspace_files const& files, field_hasher& hasher) -> inspection;

/// Runs all checks of a workspace independently: damage that one check finds does not hide the findings of others.
[[nodiscard]] auto verify_workspace(workspace_files const& files) -> expected<verification>;

/// A backup with a valid `meta` row.
struct known_backup {
    std::filesystem::path file;
    meta_row meta;
};
/// The backups of a workspace, the newest first.
[[nodiscard]] auto backups_of(workspace_files const& files, field_hasher& hasher) -> std::vector<known_backup>;

/// The failure for an error of SQLite during a read.
[[nodiscard]] auto read_failure(workspace_files const& files, database_error const& error) -> infra::failure;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_CHECK_HPP
