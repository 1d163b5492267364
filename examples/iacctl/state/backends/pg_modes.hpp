// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_MODES_HPP
#define IACCTL_STATE_BACKENDS_PG_MODES_HPP

#include "pg_state.hpp"
#include "state/postgres/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// One workspace must not have a state in both modes of the backend "pg". The row of the workspace in the table of the
/// interchange mode decides: it contains either the state, or a guard that refers to the native mode.
namespace iacctl::backends {

/// The guard. Terraform rejects it as a state, because of a resource mode that it does not know, and prints that mode: a
/// sentence.
[[nodiscard]] auto native_guard() -> std::string;
[[nodiscard]] auto is_native_guard(std::string_view document) -> bool;
/// The same as an SQL expression, for a column.
[[nodiscard]] auto native_guard_condition(std::string const& column) -> std::string;

/// The quoted name of the table of the interchange mode.
[[nodiscard]] auto interchange_table(pg_settings const& settings) -> std::string;
/// Returns whether the database has the tables of a mode.
/// @{
[[nodiscard]] auto has_interchange_table(postgres::connection& on, pg_settings const& settings) -> bool;
[[nodiscard]] auto has_native_tables(postgres::connection& on, pg_settings const& settings) -> bool;
/// @}
/// Creates the schema, the sequence, the table and the index of the interchange mode, unless they exist or the settings
/// forbid it.
void make_interchange_table(postgres::connection& on, pg_settings const& settings);
/// The state of a workspace in the interchange mode; nothing if there is none, or if it has no objects and no outputs.
[[nodiscard]] auto find_interchange_state(
    postgres::connection& on, pg_settings const& settings, std::string const& workspace) -> std::optional<std::string>;
/// Returns whether the native mode has a state of a workspace.
[[nodiscard]] auto has_native_state(postgres::connection& on, pg_settings const& settings, std::string const& workspace)
    -> bool;

/// Puts the guard into the row of a workspace. A state in that row gets another name. Does nothing without a table, if the
/// settings or the permissions of the user forbid to create it.
void put_native_guard(postgres::connection& on, pg_settings const& settings, std::string const& workspace);

/// Returns whether a document is an earlier version of a state, according to its lineage and serial.
[[nodiscard]] auto is_earlier_version(std::string_view document, std::string_view lineage, std::uint64_t serial)
    -> bool;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_MODES_HPP
