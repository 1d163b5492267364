// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_STATE_HPP
#define IACCTL_STATE_BACKENDS_PG_STATE_HPP

#include "state_client.hpp"

#include <memory>
#include <string>

namespace iacctl::backends {

/// The settings of the backend "pg", under the names of its arguments.
struct pg_settings {
    std::string conn_str;  ///< empty: only libpq's own environment variables
    std::string schema_name = "terraform_remote_state";
    std::string table_name = "states";
    std::string index_name = "states_by_name";
    bool skip_schema_creation = false;
    bool skip_table_creation = false;
    bool skip_index_creation = false;
};

/// State documents in a table of a PostgreSQL database, one row per workspace.
///
/// The lock of a workspace is an advisory lock of the connection, which ends with the process. The server identifies
/// the holder by the server process of its connection; `unlock` terminates that process.
///
/// \source Terraform's backend "pg": the table, its sequence and its index, the keys of the advisory locks
[[nodiscard]] auto make_pg_state(pg_settings settings) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_STATE_HPP
