// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_SCHEMA_HPP
#define IACCTL_STATE_RECORD_SCHEMA_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::state {

/// "iact"
inline constexpr std::int64_t application_id = 0x69616374;
/// 2: rows of objects and of sets of dependencies are stored in the order of their creation, without an index.
/// 3: there is a `commit_mark` beside the database; the document of an object may have `foreign` and `unfinished`.
/// 4: `meta` has `encryption` and `seal`; attributes and documents of records may be encrypted.
inline constexpr std::int64_t format_version = 4;
inline constexpr std::int64_t first_format_with_mark = 3;
inline constexpr std::int64_t first_format_with_encryption = 4;
/// The format of the tables in PostgreSQL.
/// 2: `workspace` has `encryption`, `seal` and `pruned`; there is `base`; attributes and documents may be encrypted.
/// 3: `workspace` and `session` have `content`.
inline constexpr std::int64_t postgres_format_version = 3;

/// The columns of records, which are the same in both dialects, in the syntax of SQLite.
///
/// Every row of a state contains the hash of its own content, because the pages of SQLite have no checksums, and those
/// of PostgreSQL only optionally. The row of `output` without a name contains the results of checks.
namespace columns {

inline constexpr std::string_view object_name = R"sql(
  address TEXT NOT NULL,
  deposed TEXT NOT NULL)sql";
inline constexpr std::string_view object_content = R"sql(
  attributes TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";
inline constexpr std::string_view dependency_set = R"sql(
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";
inline constexpr std::string_view output = R"sql(
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";
inline constexpr std::string_view pending = R"sql(
  operation TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";
inline constexpr std::string_view entry = R"sql(
  generation INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  operation TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";
inline constexpr std::string_view generation = R"sql(
  command TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER,
  result TEXT,
  serial INTEGER NOT NULL,
  sequence INTEGER NOT NULL)sql";

/// The state at the beginning of the history, as entries that create it.
inline constexpr std::string_view base = R"sql(
  address TEXT NOT NULL,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";

}  // namespace columns

/// The tables of objects and their dependencies, and a view of both, for SQLite.
///
/// Neither table has an index: a commit appends to the last page of each, while an index by address or by id would
/// require a write to a page per row. The store keeps the row numbers in memory, and a read checks all rows.
///
/// The dependencies of an object are part of its document, or a set that many objects share. A set is stored after the
/// sets that it contains. `edge` is a view, so that dependencies are stored once and cannot contradict each other.
/// `resource.position` is the sequence of the entry that last wrote the row; as dependencies end before their
/// dependents, it is a topological order.
[[nodiscard]] auto sqlite_object_tables() -> std::string;

/// The other tables of the state database of SQLite. `meta.content` is the sum of the hashes of all rows.
/// `generation.sequence` is that of the last entry before the command. The second line of `generation.command` is the
/// user.
///
/// `meta.encryption` is the metadata of the key that encrypts `attributes` of resources and `document` of resources,
/// outputs, pending operations and entries; it is empty if they are not encrypted. Hashes are those of the encrypted
/// texts. `meta.seal` authenticates the hash of `meta`, and thereby the sum of all rows, with the same key: no row can
/// be replaced by an earlier version of it.
[[nodiscard]] auto sqlite_tables() -> std::string;

/// The tables of all workspaces, for PostgreSQL.
///
/// `version` comes from a sequence, so that no two writes of a row have the same version. A `session` is a process that
/// changes a workspace or is about to. While it lives, it holds the advisory lock (oid of the table, `id`). `written`
/// and `read` are its exclusive and shared locks, on addresses and outputs. `batch` counts its appends. The serial
/// number of a workspace is the sum of its own and those of its sessions, so that no two sessions write the same row.
/// `content` is divided in the same way: the sum is that of `postgres_weight` over all rows of `resource`, `output` and
/// `pending`.
///
/// `workspace.encryption` is the metadata of the key that encrypts the same texts as in SQLite, stored in base64.
/// `workspace.seal` is made with that key. An encrypted text is bound to the workspace and the version of its row.
/// `workspace.pruned` is the sequence of the last removed entry; `base` is the state after it.
/// \param schema  the quoted identifier of a schema
[[nodiscard]] auto postgres_tables(std::string const& schema) -> std::string;
/// Converts the tables of an earlier format to the current one. Ends all sessions, so that programs that support only
/// the earlier format cannot write.
[[nodiscard]] auto postgres_upgrade(std::int64_t format, std::string const& schema) -> std::string;

/// An SQL expression for the contribution of a row to the sum of all rows: the first 16 bytes of its hash, as two
/// numbers.
/// \param hash  an expression of type `bytea`
[[nodiscard]] auto postgres_weight(std::string_view hash) -> std::string;
/// A query for the sum over all rows of a workspace. \param workspace  an SQL expression for its number
[[nodiscard]] auto postgres_content(std::string const& schema, std::string_view workspace) -> std::string;

/// Converts the tables of format 1 to the current one. Rows and their hashes do not change.
inline constexpr char const* set_aside_objects_of_format_1_sql = R"sql(
DROP VIEW edge;
ALTER TABLE resource RENAME TO resource_1;
ALTER TABLE dependency_set RENAME TO dependency_set_1;
)sql";
inline constexpr char const* take_over_objects_of_format_1_sql = R"sql(
INSERT INTO resource (address, deposed, position, deleted, attributes, document, sha256)
  SELECT address, deposed, position, deleted, attributes, document, sha256 FROM resource_1 ORDER BY position;
INSERT INTO dependency_set SELECT position, id, document, sha256 FROM dependency_set_1;
DROP TABLE resource_1;
DROP TABLE dependency_set_1;
)sql";

/// Converts the table of format 3 to that of format 4.
inline constexpr char const* add_encryption_sql = R"sql(
ALTER TABLE meta ADD COLUMN encryption TEXT NOT NULL DEFAULT '';
ALTER TABLE meta ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
)sql";

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_SCHEMA_HPP
