// SPDX-License-Identifier: BSL-1.0
#include "pg.hpp"

#include "pg_native_backend.hpp"
#include "pg_state.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"
#include "state/postgres/connection.hpp"

#include <string>
#include <utility>

namespace iacctl::backends {

auto pg_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s{{
        {.name = "conn_str", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "index_name", .of = type::string(), .optional = true},
        {.name = "mode", .of = type::string(), .optional = true},
        {.name = "schema_name", .of = type::string(), .optional = true},
        {.name = "skip_index_creation", .of = type::boolean(), .optional = true},
        {.name = "skip_schema_creation", .of = type::boolean(), .optional = true},
        {.name = "skip_table_creation", .of = type::boolean(), .optional = true},
        {.name = "table_name", .of = type::string(), .optional = true},
    }};
    return s;
}

auto make_pg(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    settings_reader const read("pg", settings);
    pg_settings with;
    with.conn_str = read.text("conn_str", "PG_CONN_STR");
    auto const take = [&](std::string& to, std::string_view argument, char const* variable) {
        auto given = read.text(argument, variable);
        if (!given.empty()) to = std::move(given);
    };
    take(with.schema_name, "schema_name", "PG_SCHEMA_NAME");
    take(with.table_name, "table_name", "PG_TABLE_NAME");
    take(with.index_name, "index_name", "PG_INDEX_NAME");
    struct flag {
        bool* to;
        char const* argument;
        char const* variable;
    };
    for (flag const& one : {flag{&with.skip_schema_creation, "skip_schema_creation", "PG_SKIP_SCHEMA_CREATION"},
             flag{&with.skip_table_creation, "skip_table_creation", "PG_SKIP_TABLE_CREATION"},
             flag{&with.skip_index_creation, "skip_index_creation", "PG_SKIP_INDEX_CREATION"}}) {
        auto const given = read.flag(one.argument, one.variable, false);
        if (!given) return given.error();
        *one.to = *given;
    }
    try {
        (void)postgres::connection_settings(with.conn_str);
    } catch (postgres::error const& e) {
        return read.invalid("conn_str", "It is not valid: " + std::string(e.what()) + ".");
    }
    std::string const mode = read.text("mode", "IACCTL_PG_MODE");
    if (mode == "native") {
        auto local = p.mirror_of("pg", pg_database(with).place_of("default"));
        return std::shared_ptr<state::backend>(
            std::make_shared<pg_native_backend>(std::move(with), std::move(local), p.encryption));
    }
    if (!mode.empty() && mode != "interchange")
        return read.invalid("mode", "It must be \"interchange\" or \"native\".");
    auto server = make_pg_state(std::move(with));
    auto mirrors = p.mirror_of(server->type(), server->place_of("default"));
    return std::shared_ptr<state::backend>(
        std::make_shared<remote_backend>(std::move(server), std::move(mirrors), p.encryption));
}

}  // namespace iacctl::backends
