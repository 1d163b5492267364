// SPDX-License-Identifier: BSL-1.0
#include "schema.hpp"

#include <utility>

namespace iacctl::state {

namespace {

auto table(std::string_view name, std::string_view key, std::string_view columns, std::string_view more = {})
    -> std::string
{
    std::string out = "CREATE TABLE ";
    return out.append(name).append(" (").append(key).append(columns).append(more).append("\n)");
}

void replace_all(std::string& in, std::string_view subject, std::string_view by)
{
    for (std::size_t at = 0; (at = in.find(subject, at)) != std::string::npos; at += by.size())
        in.replace(at, subject.size(), by);
}

// A table of rows that belong to a workspace.
auto postgres_table(std::string_view name, std::string_view columns, std::string_view more) -> std::string
{
    std::string text = table("$." + std::string(name), "\n  workspace INTEGER NOT NULL,", columns, more);
    replace_all(text, " INTEGER", " bigint");
    replace_all(text, " BLOB", " bytea");
    return text + ";\n";
}

auto in_schema(std::string text, std::string const& schema) -> std::string
{
    std::string in_literal = schema;
    replace_all(in_literal, "'", "''");
    replace_all(text, "'$.", "'" + in_literal + ".");
    replace_all(text, "$.", schema + ".");
    return text;
}

// An encrypted document is not JSON, so the view does not contain its dependencies.
auto postgres_base_and_edges() -> std::string
{
    return postgres_table("base", columns::base, ",\n  PRIMARY KEY (workspace, address, name)") + R"sql(
CREATE OR REPLACE VIEW $.edge AS
  WITH RECURSIVE
    used (workspace, address, deposed, set_) AS (
      SELECT workspace, address, deposed,
        CASE WHEN document LIKE '{%' THEN document::jsonb -> 'dependencies' END FROM $.resource
      UNION
      SELECT u.workspace, u.address, u.deposed, p.value
      FROM used u JOIN $.dependency_set s ON s.workspace = u.workspace AND s.id = u.set_ #>> '{}',
        jsonb_array_elements(s.document::jsonb -> 'parts') p
      WHERE jsonb_typeof(u.set_) = 'string'),
    named (workspace, address, deposed, names) AS (
      SELECT u.workspace, u.address, u.deposed, s.document::jsonb -> 'names'
      FROM used u JOIN $.dependency_set s ON s.workspace = u.workspace AND s.id = u.set_ #>> '{}'
      WHERE jsonb_typeof(u.set_) = 'string'
      UNION
      SELECT workspace, address, deposed, set_ FROM used WHERE jsonb_typeof(set_) = 'array')
  SELECT DISTINCT n.workspace, n.address AS dependent, n.deposed, d.value AS dependency, 'dependency' AS kind
  FROM named n, jsonb_array_elements_text(n.names) d;
)sql";
}

}  // namespace

auto sqlite_object_tables() -> std::string
{
    return table("resource", "\n  number INTEGER PRIMARY KEY,",
               std::string(columns::object_name) + ",\n  position INTEGER NOT NULL,\n  deleted INTEGER NOT NULL,"
                   + std::string(columns::object_content))
        + ";\n" + table("dependency_set", "\n  position INTEGER PRIMARY KEY,", columns::dependency_set) + R"sql(;
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
}

auto sqlite_tables() -> std::string
{
    return R"sql(
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
)sql" + table("output", {}, columns::output, ",\n  PRIMARY KEY (name)")
        + " WITHOUT ROWID;\n" + table("pending", {}, columns::pending, ",\n  PRIMARY KEY (operation)")
        + " WITHOUT ROWID;\n" + table("entry", "\n  sequence INTEGER PRIMARY KEY,", columns::entry) + ";\n"
        + table("generation", "\n  number INTEGER PRIMARY KEY,", columns::generation) + ";\n";
}

auto postgres_tables(std::string const& schema) -> std::string
{
    std::string text = R"sql(
CREATE SEQUENCE $.version AS bigint;
CREATE TABLE $.workspace (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  format bigint NOT NULL,
  features text NOT NULL,
  lineage text NOT NULL,
  serial bigint NOT NULL,
  encryption text NOT NULL DEFAULT '',
  seal bytea NOT NULL DEFAULT '',
  pruned bigint NOT NULL DEFAULT 0,
  content numeric NOT NULL DEFAULT 0
);
CREATE TABLE $.session (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace bigint NOT NULL,
  description text NOT NULL,
  locks boolean NOT NULL,
  of_workspace boolean NOT NULL,
  written text[] NOT NULL,
  read text[] NOT NULL,
  batch bigint NOT NULL DEFAULT 0,
  serial bigint NOT NULL DEFAULT 0,
  content numeric NOT NULL DEFAULT 0
);
CREATE INDEX ON $.session (workspace);
)sql";
    std::string const version = ",\n  version INTEGER NOT NULL DEFAULT nextval('$.version')";
    std::string const identity = " INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
    text += postgres_table("resource", std::string(columns::object_name) + "," + std::string(columns::object_content),
        version + ",\n  PRIMARY KEY (workspace, address, deposed)");
    text += postgres_table(
        "dependency_set", columns::dependency_set, ",\n  position" + identity + ",\n  UNIQUE (workspace, id)");
    text += postgres_table("output", columns::output, version + ",\n  PRIMARY KEY (workspace, name)");
    text += postgres_table("pending", columns::pending,
        ",\n  address TEXT NOT NULL" + version + ",\n  PRIMARY KEY (workspace, operation)");
    text += postgres_table("entry", columns::entry, ",\n  sequence" + identity);
    text += "CREATE INDEX ON $.entry (workspace, sequence);\n";
    text += postgres_table("generation", columns::generation, ",\n  number" + identity);
    text += postgres_base_and_edges();
    return in_schema(std::move(text), schema);
}

auto postgres_weight(std::string_view hash) -> std::string
{
    auto const number = [&](char const* from) {
        return "('x' || encode(substr(" + std::string(hash) + ", " + from + ", 8), 'hex'))::bit(64)::bigint";
    };
    return number("1") + "::numeric * 18446744073709551616 + " + number("9");
}

auto postgres_content(std::string const& schema, std::string_view workspace) -> std::string
{
    std::string rows;
    for (char const* table : {"resource", "output", "pending"})
        rows += std::string(rows.empty() ? "" : " UNION ALL ") + "SELECT sha256 FROM " + schema + "." + table
            + " WHERE workspace = " + std::string(workspace);
    return "SELECT coalesce(sum(" + postgres_weight("sha256") + "), 0) FROM (" + rows + ") AS all_rows";
}

auto postgres_upgrade(std::int64_t format, std::string const& schema) -> std::string
{
    std::string text;
    if (format < 2)
        text += "ALTER TABLE $.workspace ADD COLUMN encryption text NOT NULL DEFAULT '',"
                " ADD COLUMN seal bytea NOT NULL DEFAULT '', ADD COLUMN pruned bigint NOT NULL DEFAULT 0;\n"
            + postgres_base_and_edges();
    text += "ALTER TABLE $.workspace ADD COLUMN content numeric NOT NULL DEFAULT 0;\n"
            "ALTER TABLE $.session ADD COLUMN content numeric NOT NULL DEFAULT 0;\n"
            "UPDATE $.workspace w SET format = "
        + std::to_string(postgres_format_version)
        + ", serial = serial + (SELECT coalesce(sum(s.serial), 0) FROM $.session s WHERE s.workspace = w.id), content "
          "= ("
        + postgres_content("$", "w.id") + ");\nDELETE FROM $.session;\n";
    return in_schema(std::move(text), schema);
}

}  // namespace iacctl::state
