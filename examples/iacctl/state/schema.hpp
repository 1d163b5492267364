// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SCHEMA_HPP
#define IACCTL_STATE_SCHEMA_HPP

#include <cstdint>
#include <string_view>

namespace iacctl::state {

/// "iact"
inline constexpr std::int64_t application_id = 0x69616374;
inline constexpr std::int64_t format_version = 1;

/// Tables of the state database.
///
/// Every row that state is made of carries the hash of its own content, and `meta.content` the sum of them: SQLite's
/// pages have no checksums. `edge` is a view, since dependencies are part of a resource's document: what is not written
/// twice cannot disagree. `resource.position` is the sequence of the entry that last wrote the row: dependencies end
/// before their dependents, so it is a topological order.
/// `generation.sequence` is that of the last entry before the command.
/// \source state specification C2.
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
  sha256 BLOB NOT NULL
);
CREATE TABLE resource (
  address TEXT NOT NULL,
  deposed TEXT NOT NULL,
  position INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  attributes TEXT NOT NULL,
  document TEXT NOT NULL,
  sha256 BLOB NOT NULL,
  PRIMARY KEY (address, deposed)
) WITHOUT ROWID;
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
CREATE VIEW edge AS
  SELECT r.address AS dependent, r.deposed AS deposed, d.value AS dependency, 'dependency' AS kind
  FROM resource r, json_each(r.document, '$.dependencies') d WHERE r.deleted = 0;
)sql";

}  // namespace iacctl::state

#endif  // IACCTL_STATE_SCHEMA_HPP
