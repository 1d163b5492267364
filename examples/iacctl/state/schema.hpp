// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SCHEMA_HPP
#define IACCTL_STATE_SCHEMA_HPP

#include <cstdint>
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

/// The tables of objects, of what they depend on, and a view of both.
///
/// Neither table has an index: a commit appends to the last page of each, where an index by address or by id would have it
/// write a page for each row. The store knows which row is whose, and what is read is checked as a whole.
///
/// What an object depends on is part of its document, or a set that many share: a set stands behind those it contains.
/// `edge` is a view of it: what is not written twice cannot disagree. `resource.position` is the sequence of the entry that
/// last wrote the row: dependencies end before their dependents, so it is a topological order.
inline constexpr char const* object_tables_sql = R"sql(
CREATE TABLE resource (
  number INTEGER PRIMARY KEY,
  address TEXT NOT NULL,
  deposed TEXT NOT NULL,
  position INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  attributes TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE TABLE dependency_set (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE VIEW edge AS
  WITH RECURSIVE
    used (address, deposed, set_) AS (
      SELECT address, deposed, document ->> '$.dependencies' FROM resource WHERE deleted = 0
      UNION
      SELECT u.address, u.deposed, p.value
      FROM used u JOIN dependency_set s ON s.id = u.set_, json_each(s.document, '$.parts') p),
    named (address, deposed, names) AS (
      SELECT u.address, u.deposed, s.document -> '$.names' FROM used u JOIN dependency_set s ON s.id = u.set_
      UNION
      SELECT address, deposed, set_ FROM used WHERE set_ LIKE '[%')
  SELECT DISTINCT n.address AS dependent, n.deposed AS deposed, d.value AS dependency, 'dependency' AS kind
  FROM named n, json_each(n.names) d;
)sql";

/// The other tables of the state database.
///
/// Every row that state is made of carries the hash of its own content, and `meta.content` the sum of them: SQLite's
/// pages have no checksums. The row of `output` without a name has what came of checks. `generation.sequence` is that of the
/// last entry before the command.
///
/// `meta.encryption` has the metadata of the key that seals `attributes` of resources and `document` of resources, outputs,
/// pending operations and entries; it is empty if they are not encrypted. Their hashes are those of the sealed texts. `meta.seal`
/// authenticates the hash of `meta` with the same key, and so the sum of all rows: no row can be put back to an earlier one.
inline constexpr char const* schema_sql = R"sql(
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  format INTEGER NOT NULL,
  features TEXT NOT NULL,
  lineage TEXT NOT NULL,
  serial INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  content BLOB NOT NULL,
  sha256 BLOB NOT NULL,
  encryption TEXT NOT NULL,
  seal BLOB NOT NULL
);
CREATE TABLE output (
  name TEXT NOT NULL PRIMARY KEY,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE pending (
  operation TEXT NOT NULL PRIMARY KEY,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE entry (
  sequence INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  operation TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE TABLE generation (
  number INTEGER PRIMARY KEY,
  command TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER,
  result TEXT,
  serial INTEGER NOT NULL,
  sequence INTEGER NOT NULL
);
)sql";

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
