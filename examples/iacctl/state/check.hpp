// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_CHECK_HPP
#define IACCTL_STATE_CHECK_HPP

#include "commit_mark.hpp"
#include "database.hpp"
#include "dependency_catalog.hpp"
#include "digest.hpp"
#include "history.hpp"
#include "meta_row.hpp"
#include "record_cipher.hpp"
#include "state_error.hpp"
#include "support/expected.hpp"
#include "workspace_files.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// The key of the records of a database.
struct record_key {
    record_cipher cipher;
    bool is_current = true;  ///< the configuration encrypts with the same method
};
/// Finds the key for the seal of the header. \return a failure if there is none, or if an unencrypted state is not
/// accepted
[[nodiscard]] auto find_key(meta_row const& meta, workspace_files const& files, field_hasher& hasher)
    -> expected<record_key>;

/// A record of a part of the state, and its version.
struct part_version {
    std::string part;
    std::int64_t version;
};

/// The content of a database and its sums.
struct state_content {
    meta_row meta;
    record_key key;
    infra::snapshot snapshot;
    dependency_catalog sets;
    std::int64_t last_set = 0;  ///< the position of the last one
    std::vector<part_version> versions;  ///< of objects, outputs and pending operations
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;  ///< bytes of the largest row
};

[[nodiscard]] auto resource_hash(field_hasher& hasher, std::string_view address, std::string_view deposed,
    std::int64_t position, bool deleted, std::string_view attributes, std::string_view document) -> digest;
[[nodiscard]] auto dependency_set_hash(field_hasher& hasher, std::string_view id, std::string_view document) -> digest;
[[nodiscard]] auto output_hash(field_hasher& hasher, std::string_view name, std::string_view document) -> digest;
[[nodiscard]] auto pending_hash(field_hasher& hasher, std::string_view operation, std::string_view document) -> digest;
[[nodiscard]] auto entry_hash(field_hasher& hasher, std::int64_t sequence, std::int64_t generation, std::int64_t epoch,
    std::int64_t time, std::string_view document) -> digest;

/// Checks that this is a database of this program in a supported format, and that its `meta` row is valid.
/// \throws database_error
[[nodiscard]] auto check_header(database& db, workspace_files const& files, field_hasher& hasher) -> expected<meta_row>;

/// Checks that the database contains the recorded last commit. \param noted  read before the database was
[[nodiscard]] auto check_mark(meta_row const& meta, std::optional<commit_point> noted, workspace_files const& files)
    -> std::optional<infra::failure>;
/// Paragraphs with the remedies for the loss of saved changes.
[[nodiscard]] auto continuation_advice(workspace_files const& files) -> std::string;

/// Reads state in one transaction and checks all of it: every row against its hash, the sum of all rows, and
/// `verify_integrity`. A failure names every damaged row.
/// \throws database_error for errors other than damage
[[nodiscard]] auto read_state(database& db, workspace_files const& files, field_hasher& hasher)
    -> expected<state_content>;

/// The result of a read that does not stop at damage.
struct inspection {
    state_content content;  ///< without the damaged records
    std::optional<infra::failure> locked;  ///< there is no key: nothing else was checked
    infra::diagnostics header;  ///< the `meta` row cannot be read: `content.meta` is empty
    infra::diagnostics damaged;  ///< one per record, or per error of SQLite
    bool complete = true;  ///< the rows add up to the sum in the header, if there is one
    infra::diagnostics contradictions;  ///< in the content, if no record is damaged or missing
};

/// Reads state in one transaction, and checks all of it.
/// \throws database_error for errors other than damage
[[nodiscard]] auto inspect(database& db, workspace_files const& files, field_hasher& hasher) -> inspection;

/// Runs all checks of a workspace independently: damage that one check finds does not hide the findings of others.
[[nodiscard]] auto verify_workspace(workspace_files const& files) -> expected<verification>;

/// Reads sets of dependencies, parts before the sets that contain them. \return the ids of the damaged sets
/// \param last  the position after which to read; set to the position of the last one
/// \throws database_error
[[nodiscard]] auto read_dependency_sets(database& db, field_hasher& hasher, dependency_catalog& to, content_sum& sum,
    std::int64_t& last) -> std::vector<std::string>;

/// The error for a record that differs from what was written. \param kind  `resource`, `output`, ...
[[nodiscard]] auto damage(workspace_files const& files, std::string_view kind, std::string_view name)
    -> infra::diagnostic;
/// The failure for an error of SQLite during a read.
[[nodiscard]] auto read_failure(workspace_files const& files, database_error const& error) -> infra::failure;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_CHECK_HPP
