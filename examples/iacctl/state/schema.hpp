// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SCHEMA_HPP
#define IACCTL_STATE_SCHEMA_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::state {

/// "iact"
inline constexpr std::int64_t application_id = 0x69616374;
/// 2: rows of objects and of sets of dependencies lie in the order in which they were made, without an index.
/// 3: there is a `commit_mark` beside the database; the document of an object may have `foreign` and `unfinished`.
/// 4: `meta` has `encryption` and `seal`; attributes and documents of records may be encrypted.
inline constexpr std::int64_t format_version = 4;
inline constexpr std::int64_t first_format_with_mark = 3;
inline constexpr std::int64_t first_format_with_encryption = 4;
/// Of the tables in PostgreSQL.
/// 2: `workspace` has `encryption`, `seal` and `pruned`; there is `base`; attributes and documents of records may be encrypted.
/// 3: `workspace` and `session` have `content`.
inline constexpr std::int64_t postgres_format_version = 3;

/// The columns of records, the same in both dialects, in the words of SQLite.
///
/// Every row that state is made of carries the hash of its own content: the pages of SQLite have no checksums, those of PostgreSQL
/// perhaps. The row of `output` without a name has what came of checks.
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

/// The state from which the history begins, as entries that make it.
inline constexpr std::string_view base = R"sql(
  address TEXT NOT NULL,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL)sql";

}  // namespace columns

/// The tables of objects, of what they depend on, and a view of both, for SQLite.
///
/// Neither table has an index: a commit appends to the last page of each, where an index by address or by id would have it
/// write a page for each row. The store knows which row is whose, and what is read is checked as a whole.
///
/// The dependencies of an object are part of its document, or a set that many share: a set stands behind those it contains.
/// `edge` is a view of it: what is not written twice cannot disagree. `resource.position` is the sequence of the entry that
/// last wrote the row: dependencies end before their dependents, so it is a topological order.
[[nodiscard]] auto sqlite_object_tables() -> std::string;

/// The other tables of the state database of SQLite. `meta.content` is the sum of the hashes of all rows.
/// `generation.sequence` is that of the last entry before the command.
///
/// `meta.encryption` has the metadata of the key that seals `attributes` of resources and `document` of resources, outputs,
/// pending operations and entries; it is empty if they are not encrypted. Their hashes are those of the sealed texts. `meta.seal`
/// authenticates the hash of `meta` with the same key, and so the sum of all rows: no row can be put back to an earlier one.
[[nodiscard]] auto sqlite_tables() -> std::string;

/// The tables of all workspaces, for PostgreSQL.
///
/// `version` comes from a sequence, so that no two writes of a row leave the same one. A `session` is a process that changes a
/// workspace, or is about to: as long as it lives it holds the advisory lock (oid of the table, `id`). `written` and `read`
/// are its exclusive and its shared locks, on addresses and outputs. `batch` counts its appends. The serial number
/// of a workspace is the sum of its own and of its sessions': so no two sessions write the same row. `content` is divided in the
/// same way: their sum is that of `postgres_weight` over all rows of `resource`, `output` and `pending`.
///
/// `workspace.encryption` has the metadata of the key that seals the same texts as in SQLite, which stand there in base64, and
/// `workspace.seal` is made with that key. A sealed text is bound to the workspace and the version of its row.
/// `workspace.pruned` is the sequence of the last entry that is not kept; `base` has the state after it.
/// \param schema  the quoted identifier of a schema
[[nodiscard]] auto postgres_tables(std::string const& schema) -> std::string;
/// Turns the tables of an earlier format into those of today. Ends all sessions: programs that know only the earlier format
/// write nothing more.
[[nodiscard]] auto postgres_upgrade(std::int64_t format, std::string const& schema) -> std::string;

/// An expression of SQL for the share of a row in the sum of all rows: the first 16 bytes of its hash, as two numbers.
/// \param hash  an expression of type `bytea`
[[nodiscard]] auto postgres_weight(std::string_view hash) -> std::string;
/// A query for the sum over all rows of a workspace. \param workspace  an expression with its number
[[nodiscard]] auto postgres_content(std::string const& schema, std::string_view workspace) -> std::string;

/// Turns the tables of format 1 into those of today. Rows stay as they are, and so do their hashes.
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

/// Turns the table of format 3 into that of format 4.
inline constexpr char const* add_encryption_sql = R"sql(
ALTER TABLE meta ADD COLUMN encryption TEXT NOT NULL DEFAULT '';
ALTER TABLE meta ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
)sql";

}  // namespace iacctl::state

#endif  // IACCTL_STATE_SCHEMA_HPP
