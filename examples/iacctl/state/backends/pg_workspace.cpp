// SPDX-License-Identifier: BSL-1.0
#include "pg_workspace.hpp"

#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/record/key_change.hpp"
#include "state/record/schema.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends {

using postgres::array_text;
using postgres::connection;
using postgres::parameters;
using postgres::result_set;
using state::record_place;

namespace {

auto seal_place(std::int64_t workspace, std::string_view metadata) -> record_place
{
    state::field_hasher hasher;
    return record_place::header(hasher.start("workspace").field(workspace).field(metadata).finish());
}

auto seal_of(encryption::ready_method const& method, std::int64_t workspace) -> std::string
{
    return method.cipher ? method.cipher->seal({}, seal_place(workspace, method.metadata).bytes()) : std::string();
}

auto metadata_of(encryption::ready_method const& method) -> std::string
{
    return method.cipher ? method.metadata : std::string();
}

// Stores texts and hashes of records by one statement.
void write_records(pg_database const& in, connection& on, std::int64_t workspace, state::sealed_table const& table,
    std::span<state::sealed_record const> some)
{
    parameters with;
    with.add(workspace);
    std::string columns;
    std::string arrays;
    std::string set;
    std::string where;
    int number = 1;
    auto const add = [&](std::string_view column, std::string_view type, auto const& add_value) {
        array_text values;
        for (state::sealed_record const& r : some) add_value(values, r);
        with.add(values.finish());
        columns.append(columns.empty() ? "" : ", ").append(column);
        arrays.append(arrays.empty() ? "$" : ", $")
            .append(std::to_string(++number))
            .append("::")
            .append(type)
            .append("[]");
    };
    auto const add_key = [&](std::string_view column, std::string_view type, auto const& add_value) {
        add(column, type, add_value);
        where.append(" AND t.").append(column).append(" = n.").append(column);
    };
    using record = state::sealed_record;
    if (!table.number.empty())
        add_key(table.number, "bigint", [](array_text& to, record const& r) { to.add(r.number); });
    else
        for (std::size_t i = 0; i < table.names.size(); ++i)
            add_key(table.names[i], "text", [i](array_text& to, record const& r) { to.add(r.names[i]); });
    for (std::size_t i = 0; i < table.texts.size(); ++i) {
        add(table.texts[i], "text", [i](array_text& to, record const& r) { to.add(r.texts[i]); });
        set.append(table.texts[i]).append(" = n.").append(table.texts[i]).append(", ");
    }
    add("sha256", "bytea", [](array_text& to, record const& r) { to.add_bytes(bytes_of(r.hash)); });
    on.query("UPDATE " + in.table(table.name) + " t SET " + set + "sha256 = n.sha256 FROM unnest(" + arrays + ") AS n ("
            + columns + ") WHERE t.workspace = $1" + where,
        with);
}

void write_key(pg_database const& in, connection& on, std::int64_t workspace, encryption::ready_method const& method,
    std::string_view condition)
{
    parameters values;
    values.add(workspace).add(metadata_of(method)).add_bytes(seal_of(method, workspace));
    on.query(
        "UPDATE " + in.table("workspace") + " SET encryption = $2, seal = $3 WHERE id = $1" + std::string(condition),
        values);
}

}  // namespace

auto bytes_of(state::digest const& hash) -> std::string
{
    return {hash.begin(), hash.end()};
}

auto pg_workspace::read(pg_database const& in, connection& on, std::string const& name) -> std::optional<pg_workspace>
{
    auto const rows = on.query("SELECT id, format, features, lineage, serial + (SELECT coalesce(sum(s.serial), 0) FROM "
            + in.table("session") + " s WHERE s.workspace = w.id), encryption, seal, pruned FROM "
            + in.table("workspace") + " w WHERE name = $1",
        parameters().add(name));
    if (rows.size() == 0) return std::nullopt;
    pg_workspace found;
    found.id = rows.integer(0, 0);
    found.format = rows.integer(0, 1);
    found.features = rows.text(0, 2);
    found.lineage = rows.text(0, 3);
    found.serial = rows.integer(0, 4);
    found.encryption = rows.text(0, 5);
    found.seal = rows.bytes(0, 6);
    found.pruned = rows.integer(0, 7);
    return found;
}

auto pg_workspace::adds_up(pg_database const& in, connection& on) const -> bool
{
    return on
        .query("SELECT content + (SELECT coalesce(sum(s.content), 0) FROM " + in.table("session")
                + " s WHERE s.workspace = w.id) = (" + in.content_query("w.id") + ") FROM " + in.table("workspace")
                + " w WHERE id = $1",
            parameters().add(id))
        .boolean(0, 0);
}

auto find_key(pg_workspace const& workspace, encryption::target const& methods, std::string const& subject)
    -> expected<state::record_key>
{
    return state::find_key(workspace, seal_place(workspace.id, workspace.encryption), methods, subject, workspace.id);
}

auto set_first_key(pg_database& in, std::string const& name, encryption::target const& methods) -> expected<void>
{
    if (!methods.encrypts()) return {};
    auto const found = in.repeat([&](connection& on) { return pg_workspace::read(in, on, name); });
    if (!found || !found->lineage.empty() || !found->encryption.empty()) return {};
    auto const to = methods.to_seal();
    if (!to) return to.error();
    in.repeat([&](connection& on) {
        write_key(in, on, found->id, *to, " AND lineage = '' AND encryption = ''");
        return 0;
    });
    return {};
}

auto change_key(pg_database const& in, connection& on, std::string const& name, encryption::target const& methods)
    -> expected<void>
{
    std::string const place = in.place_of(name);
    auto found = pg_workspace::read(in, on, name);
    if (!found) return {};
    auto const from = find_key(*found, methods, "the state at " + place);
    if (!from) return from.error();
    if (from->is_current) return {};  // another process has done it already
    auto const with = methods.to_seal();
    if (!with) return with.error();
    auto const to = with->cipher ? state::record_cipher(*with->cipher, found->id) : state::record_cipher();
    if (!found->adds_up(in, on)) return state::make_failure(messages::state_records_missing, {place, recovery_advice});
    pg_records db = in.records(on, found->id);
    auto const write = [&](state::sealed_table const& table, std::span<state::sealed_record const> some) {
        write_records(in, on, found->id, table, some);
    };
    state::content_sum unused;  // the header has another sum
    state::state_site const site{place, [] { return std::string(recovery_advice); }};
    if (auto const ok = state::reseal_records(db, site, from->cipher, to, unused, write); !ok) return ok.error();
    write_key(in, on, found->id, *with, {});
    // The hashes have changed with the texts. There are no other sessions.
    on.query("UPDATE " + in.table("workspace") + " w SET content = (" + in.content_query("w.id")
            + ") - (SELECT coalesce(sum(s.content), 0) FROM " + in.table("session")
            + " s WHERE s.workspace = w.id) WHERE id = $1",
        parameters().add(found->id));
    return {};
}

}  // namespace iacctl::backends
