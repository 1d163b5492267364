// SPDX-License-Identifier: BSL-1.0
#include "pg_modes.hpp"

#include "base/json.hpp"
#include "base/timestamp.hpp"

namespace iacctl::backends {

using postgres::connection;
using postgres::parameters;

namespace {

constexpr std::string_view guard_begin = R"({"iacctl_mode":"native",)";
constexpr std::string_view insufficient_privilege = "42501";

// If two sessions create the same object concurrently, one of them fails despite "if not exists".
auto was_just_made(postgres::error const& e) -> bool
{
    return e.state() == "23505" || e.state() == "42P06" || e.state() == "42P07";
}

auto has_relation(connection& on, std::string const& name) -> bool
{
    return on.query("SELECT to_regclass($1) IS NOT NULL", parameters().add(name)).boolean(0, 0);
}

void make_missing_objects(connection& on, pg_settings const& settings)
{
    std::string const schema = postgres::quoted_identifier(settings.schema_name);
    std::string const index = postgres::quoted_identifier(settings.index_name);
    std::string const table = interchange_table(settings);
    auto const has_schema = [&] {
        return on
            .query(
                "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", parameters().add(settings.schema_name))
            .boolean(0, 0);
    };
    if (!settings.skip_schema_creation && !has_schema()) on.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
    if (!settings.skip_table_creation && !has_relation(on, table)) {
        on.execute("CREATE SEQUENCE IF NOT EXISTS public.global_states_id_seq AS bigint");
        on.execute("CREATE TABLE IF NOT EXISTS " + table
            + " (id bigint NOT NULL DEFAULT nextval('public.global_states_id_seq') PRIMARY KEY, name text UNIQUE,"
              " data text)");
    }
    if (!settings.skip_index_creation && !has_relation(on, schema + "." + index))
        on.execute("CREATE UNIQUE INDEX IF NOT EXISTS " + index + " ON " + table + " (name)");
}

auto is_empty(json const* j) -> bool
{
    if (j == nullptr) return true;
    if (j->elements() != nullptr) return j->elements()->empty();
    return j->members() == nullptr || j->members()->empty();
}

// An encrypted state, and a document that is none, count as content.
auto has_content(std::string_view document) -> bool
{
    auto const root = parse_json(document);
    if (!root || root->find("version") == nullptr) return true;
    return !is_empty(root->find("resources")) || !is_empty(root->find("outputs"));
}

}  // namespace

auto native_guard() -> std::string
{
    return std::string(guard_begin)
        + R"("version":4,"terraform_version":"1.0.0","serial":1,"lineage":"iacctl-native-mode","outputs":{},"resources":[{"mode":)"
          R"("native of iacctl: iacctl stores this workspace in tables of its own, which Terraform cannot read. Use iacctl with )"
          R"(mode = native, or remove that argument and move the state with iacctl init -migrate-state","type":"iacctl",)"
          R"("name":"native","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[]}]})";
}

auto is_native_guard(std::string_view document) -> bool
{
    return document.starts_with(guard_begin);
}

auto native_guard_condition(std::string const& column) -> std::string
{
    return "starts_with(coalesce(" + column + ", ''), " + postgres::quoted_literal(std::string(guard_begin)) + ")";
}

auto interchange_table(pg_settings const& settings) -> std::string
{
    return postgres::quoted_identifier(settings.schema_name) + "." + postgres::quoted_identifier(settings.table_name);
}

auto has_interchange_table(connection& on, pg_settings const& settings) -> bool
{
    return has_relation(on, interchange_table(settings));
}

auto has_native_tables(connection& on, pg_settings const& settings) -> bool
{
    std::string const schema = postgres::quoted_identifier(settings.schema_name);
    return has_relation(on, schema + ".workspace") && has_relation(on, schema + ".dependency_set");
}

void make_interchange_table(connection& on, pg_settings const& settings)
{
    for (int again = 5;; --again) {  // each of the objects may be that of another session
        try {
            return make_missing_objects(on, settings);
        } catch (postgres::error const& e) {
            if (again == 0 || !was_just_made(e)) throw;
        }
    }
}

auto find_interchange_state(connection& on, pg_settings const& settings, std::string const& workspace)
    -> std::optional<std::string>
{
    if (!has_interchange_table(on, settings)) return std::nullopt;
    auto const rows = on.query("SELECT coalesce(data, '') FROM " + interchange_table(settings) + " WHERE name = $1",
        parameters().add(workspace));
    if (rows.size() == 0) return std::nullopt;
    std::string document(rows.text(0, 0));
    if (document.empty() || is_native_guard(document) || !has_content(document)) return std::nullopt;
    return document;
}

auto has_native_state(connection& on, pg_settings const& settings, std::string const& workspace) -> bool
{
    if (!has_native_tables(on, settings)) return false;
    std::string const schema = postgres::quoted_identifier(settings.schema_name);
    return on.query(
                 "SELECT FROM " + schema + ".workspace WHERE name = $1 AND lineage <> ''", parameters().add(workspace))
               .size()
        > 0;
}

void put_native_guard(connection& on, pg_settings const& settings, std::string const& workspace)
{
    std::string const guard = native_guard();
    try {
        make_interchange_table(on, settings);
        std::string const table = interchange_table(settings);
        if (!has_relation(on, table)) return;
        auto const rows =
            on.query("SELECT FROM " + table + " WHERE name = $1 AND data = $2", parameters().add(workspace).add(guard));
        if (rows.size() > 0) return;
        // One statement: a reader never finds the workspace without a row.
        on.query("WITH kept AS (INSERT INTO " + table + " (name, data) SELECT name || $3, data FROM " + table
                + " WHERE name = $1 AND coalesce(data, '') <> '' AND NOT " + native_guard_condition("data")
                + ")"
                  " INSERT INTO "
                + table + " (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = $2",
            parameters().add(workspace).add(guard).add(".replaced-" + timestamp::now().compact_text()));
    } catch (postgres::error const& e) {
        if (e.state() != insufficient_privilege) throw;
    }
}

auto is_earlier_version(std::string_view document, std::string_view lineage, std::uint64_t serial) -> bool
{
    auto const root = parse_json(document);
    if (!root || lineage.empty()) return false;
    json const* const its_lineage = root->find("lineage");
    json const* const its_serial = root->find("serial");
    return its_lineage != nullptr && its_lineage->text() != nullptr && *its_lineage->text() == lineage
        && its_serial != nullptr && its_serial->natural() && *its_serial->natural() <= serial;
}

}  // namespace iacctl::backends
