// SPDX-License-Identifier: BSL-1.0
#include "pg_database.hpp"

#include "pg_modes.hpp"
#include "state/part_locks.hpp"
#include "state/record/schema.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace iacctl::backends {

using postgres::connection;
using postgres::parameters;

namespace {

auto session_in(postgres::result_set const& rows, int row) -> pg_session
{
    pg_session found;
    found.id = rows.integer(row, 0);
    found.holder = lock_info::parse(rows.text(row, 1)).value_or(lock_info());
    found.holder.id = std::to_string(found.id);
    found.of_workspace = rows.boolean(row, 2);
    return found;
}

}  // namespace

pg_database::pg_database(pg_settings settings)
    : with_(std::move(settings)),
      schema_(postgres::quoted_identifier(with_.schema_name))
{}

auto pg_database::place_of(std::string const& workspace) const -> std::string
{
    return postgres::connection_settings(with_.conn_str).place() + " (" + with_.schema_name + ", " + workspace + ")";
}

auto pg_database::table(std::string_view name) const -> std::string
{
    return schema_ + "." + std::string(name);
}

auto pg_database::content_query(std::string_view workspace) const -> std::string
{
    return state::postgres_content(schema_, workspace);
}

void pg_database::connect()
{
    if (connection_ && !connection_->is_lost()) return;
    connection_.reset();
    connection made{postgres::connection_settings(with_.conn_str)};
    // A statement outside of a transaction fails and is repeated if it would change rows that others have changed
    // meanwhile.
    made.execute("SET synchronous_commit = on; SET default_transaction_isolation = 'repeatable read'");
    if (!was_connected_) make_tables(made);
    resume(made);
    server_process_ = made.server_process();
    was_connected_ = true;
    connection_ = std::move(made);
}

auto pg_database::is_made() const -> bool
{
    connection on{postgres::connection_settings(with_.conn_str)};
    return has_native_tables(on, with_);
}

auto pg_database::may_repeat(postgres::error const& after) const -> bool
{
    if (after.state() == "40P01" || after.state() == "40001")
        return true;  // deadlock, serialization_failure: rolled back
    return was_connected_ && after.is_loss();  // cannot_connect_now is a loss, too
}

void pg_database::make_tables(connection& on) const
{
    // Reads the catalogue instead of using to_regclass, which may cache within a transaction that a table does not
    // exist.
    auto const exists = [&](std::string const& in, std::string const& name) {
        return on.query("SELECT EXISTS (SELECT FROM " + in + ")", parameters().add(name)).boolean(0, 0);
    };
    std::string const schema = "pg_namespace n WHERE nspname = $1";
    std::string const relation = "pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1"
                                 " AND relname = ";
    std::string const last_column =  // of the current format
        "pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace"
        " WHERE nspname = $1 AND relname = 'session' AND attname = 'content'";
    if (exists(last_column, with_.schema_name)) return;
    // If several processes are the first ones, only one of them creates the tables.
    pg_records tables = records(on, 0);
    state::transaction making(tables, state::database::purpose::writing);
    on.query("SELECT pg_advisory_xact_lock(hashtext('iacctl'), hashtext($1))", parameters().add(with_.schema_name));
    if (exists(last_column, with_.schema_name)) return;
    if (exists(relation + "'workspace'", with_.schema_name)) {
        on.execute(state::postgres_upgrade(exists(relation + "'base'", with_.schema_name) ? 2 : 1, schema_));
        return making.commit();
    }
    if (!with_.skip_schema_creation && !exists(schema, with_.schema_name)) on.execute("CREATE SCHEMA " + schema_);
    if (!with_.skip_table_creation) on.execute(state::postgres_tables(schema_));
    making.commit();
}

auto pg_database::lock_key(std::string const& session) const -> std::string
{
    return postgres::quoted_literal(table("session")) + "::regclass::oid::int, (" + session + " % 2147483648)::int";
}

auto pg_database::is_alive(std::string const& session) const -> std::string
{
    return "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = "
        + postgres::quoted_literal(table("session")) + "::regclass AND objid::bigint = " + session
        + " % 2147483648 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
}

void pg_database::resume(connection& on)
{
    for (auto const& [_, own] : own_) {
        parameters const number = parameters().add(own.id);
        for (auto const until = std::chrono::steady_clock::now() + reconnect_timeout;;) {
            if (on.query("SELECT pg_try_advisory_lock(" + lock_key("$1::bigint") + ")", number).boolean(0, 0)) break;
            // The server may not have noticed that the connection is lost, and may still commit statements that it
            // received.
            on.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                     " AND objsubid = 2 AND classid = "
                    + postgres::quoted_literal(table("session"))
                    + "::regclass AND objid::bigint = $1::bigint % 2147483648 AND pid = $2::int",
                parameters().add(own.id).add(std::int64_t{server_process_}));
            if (std::chrono::steady_clock::now() > until) throw session_ended_error();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        if (on.query("SELECT FROM " + table("session") + " WHERE id = $1", number).size() == 0)
            throw session_ended_error();
    }
}

auto pg_database::query(std::string const& statement, parameters const& p) -> postgres::result_set
{
    return repeat([&](connection& on) { return on.query(statement, p); });
}

auto pg_database::interchange_state(std::string const& workspace, std::string const& lineage, std::uint64_t serial)
    -> std::optional<std::string>
{
    if (migrates_) return std::nullopt;
    auto found = repeat([&](connection& on) { return find_interchange_state(on, with_, workspace); });
    if (found && is_earlier_version(*found, lineage, serial)) return std::nullopt;
    return found;
}

void pg_database::guard(std::string const& workspace)
{
    repeat([&](connection& on) {
        put_native_guard(on, with_, workspace);
        return 0;
    });
}

void pg_database::drop_guard(std::string const& workspace)
{
    repeat([&](connection& on) {
        if (on.query("SELECT to_regclass($1) IS NOT NULL", parameters().add(interchange_table(with_))).boolean(0, 0))
            on.query("DELETE FROM " + interchange_table(with_) + " WHERE name = $1 AND data = $2",
                parameters().add(workspace).add(native_guard()));
        return 0;
    });
}

auto pg_database::find(std::string const& workspace) -> std::optional<std::int64_t>
{
    auto const rows = query("SELECT id FROM " + table("workspace") + " WHERE name = $1", parameters().add(workspace));
    return rows.size() == 0 ? std::nullopt : std::optional(rows.integer(0, 0));
}

auto pg_database::make(std::string const& workspace) -> std::int64_t
{
    if (auto const there = find(workspace)) return *there;
    query("INSERT INTO " + table("workspace")
            + " (name, format, features, lineage, serial) VALUES ($1, $2, '', '', 0) ON CONFLICT (name) DO NOTHING",
        parameters().add(workspace).add(state::postgres_format_version));
    return find(workspace).value();
}

void pg_database::lock_row(connection& on, std::int64_t workspace) const
{
    on.query("SELECT FROM " + table("workspace") + " WHERE id = $1 FOR NO KEY UPDATE", parameters().add(workspace));
}

auto pg_database::end_sessions(std::string const& condition) const -> std::string
{
    // Their shares are added to the workspace.
    return "WITH gone AS (DELETE FROM " + table("session") + " WHERE workspace = $1 AND " + condition
        + " RETURNING serial, content), kept AS (UPDATE " + table("workspace")
        + " SET serial = serial + (SELECT sum(serial) FROM gone), content = content + (SELECT sum(content) FROM gone)"
          " WHERE id = $1 AND EXISTS (SELECT FROM gone)) SELECT count(*) FROM gone";
}

void pg_database::drop_dead_sessions(connection& on, std::int64_t workspace, std::int64_t own)
{
    // The lock is held until this transaction ends, so that the process cannot take it again meanwhile.
    on.query(end_sessions("id <> $2 AND pg_try_advisory_xact_lock(" + lock_key("id") + ")"),
        parameters().add(workspace).add(own));
}

auto pg_database::find_conflict(connection& on, std::int64_t workspace, std::int64_t own,
    std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>
{
    auto const rows = on.query("SELECT id, description, of_workspace, written, read FROM " + table("session")
            + " WHERE workspace = $1 AND id <> $2 AND locks ORDER BY id",
        parameters().add(workspace).add(own));
    for (int i = 0; i < rows.size(); ++i) {
        pg_session other = session_in(rows, i);
        if (!parts || other.of_workspace) return pg_conflict{std::move(other), {}};
        if (auto shared = state::overlap(*parts, {rows.texts(i, 3), rows.texts(i, 4)}); !shared.empty())
            return pg_conflict{std::move(other), std::move(shared)};
    }
    return std::nullopt;
}

auto pg_database::lock(std::string const& workspace, std::string const& operation,
    std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>
{
    std::int64_t const number = make(workspace);
    auto const known = own_.find(workspace);
    std::int64_t const old = known == own_.end() ? 0 : known->second.id;
    std::optional<own_session> started;
    auto conflict = repeat([&](connection& on) -> std::optional<pg_conflict> {
        pg_records tables = records(on, number);
        state::transaction taking(tables, state::database::purpose::writing);
        lock_row(on, number);
        drop_dead_sessions(on, number, old);
        if (auto found = find_conflict(on, number, old, parts)) {
            taking.commit();
            return found;
        }
        state::state_parts const none;
        parameters with;
        with.add(!parts.has_value()).add_texts((parts ? *parts : none).written);
        with.add_texts((parts ? *parts : none).read);
        if (old != 0) {
            auto const rows = on.query("UPDATE " + table("session")
                    + " SET locks = true, of_workspace = $1, written = $2, read = $3 WHERE id = $4 RETURNING id",
                with.add(old));
            if (rows.size() == 0) throw session_ended_error();
        } else {
            with.add(number).add(lock_info::of_this_process(operation, with_.schema_name).text());
            auto const rows = on.query("INSERT INTO " + table("session")
                    + " (of_workspace, written, read, workspace, description, locks) VALUES ($1, $2, $3, $4, $5, true)"
                      " RETURNING id",
                with);
            started = own_session{rows.integer(0, 0), number, 0};
            on.query("SELECT pg_advisory_lock(" + lock_key("$1::bigint") + ")", parameters().add(started->id));
        }
        taking.commit();
        return std::nullopt;
    });
    if (conflict) return conflict;
    if (started) own_.insert_or_assign(workspace, *started);
    return std::nullopt;
}

auto pg_database::session_of(std::string const& workspace, std::string const& operation) -> std::int64_t
{
    if (auto const known = own_.find(workspace); known != own_.end()) return known->second.id;
    std::int64_t const number = make(workspace);
    own_session const started = repeat([&](connection& on) {
        pg_records tables = records(on, number);
        state::transaction taking(tables, state::database::purpose::writing);
        lock_row(on, number);
        auto const rows = on.query("INSERT INTO " + table("session")
                + " (of_workspace, written, read, workspace, description, locks) VALUES (false, '{}', '{}', $1, $2, "
                  "false)"
                  " RETURNING id",
            parameters().add(number).add(lock_info::of_this_process(operation, with_.schema_name).text()));
        own_session made{rows.integer(0, 0), number, 0};
        on.query("SELECT pg_advisory_lock(" + lock_key("$1::bigint") + ")", parameters().add(made.id));
        taking.commit();
        return made;
    });
    own_.insert_or_assign(workspace, started);
    return started.id;
}

void pg_database::in_turn(std::string const& workspace, transaction_work const& work)
{
    std::int64_t const number = make(workspace);
    repeat([&](connection& on) {
        pg_records tables = records(on, number);
        state::transaction working(tables, state::database::purpose::writing);
        lock_row(on, number);
        if (work(on)) working.commit();
        return 0;
    });
}

auto pg_database::alone(std::string const& workspace, transaction_work const& work) -> std::optional<pg_session>
{
    std::int64_t const number = make(workspace);
    auto const known = own_.find(workspace);
    std::int64_t const own = known == own_.end() ? 0 : known->second.id;
    return repeat([&](connection& on) -> std::optional<pg_session> {
        pg_records tables = records(on, number);
        state::transaction working(tables, state::database::purpose::writing);
        lock_row(on, number);
        drop_dead_sessions(on, number, own);
        auto const rows = on.query("SELECT id, description, of_workspace FROM " + table("session")
                + " WHERE workspace = $1 AND id <> $2 ORDER BY id LIMIT 1",
            parameters().add(number).add(own));
        if (rows.size() > 0) return session_in(rows, 0);
        if (work(on)) working.commit();
        return std::nullopt;
    });
}

void pg_database::release(std::string const& workspace)
{
    auto const known = own_.find(workspace);
    if (known == own_.end()) return;
    own_session const own = known->second;
    own_.erase(known);
    if (!connection_ || connection_->is_lost()) return;  // the next session that starts removes the row
    terminate(workspace, own.id);
    connection_->query("SELECT pg_advisory_unlock(" + lock_key("$1::bigint") + ")", parameters().add(own.id));
}

auto pg_database::terminate(std::string const& workspace, std::int64_t session) -> bool
{
    auto const number = find(workspace);
    if (!number) return false;
    // Waits for a running append.
    return query(end_sessions("id = $2"), parameters().add(*number).add(session)).integer(0, 0) > 0;
}

auto pg_database::sessions(std::string const& workspace) -> std::vector<pg_session>
{
    auto const known = own_.find(workspace);
    auto const rows =
        query("SELECT s.id, s.description, s.of_workspace, s.written, s.read FROM " + table("session") + " s JOIN "
                + table("workspace") + " w ON w.id = s.workspace WHERE w.name = $1 AND s.id <> $2 AND s.locks AND "
                + is_alive("s.id") + " ORDER BY s.id",
            parameters().add(workspace).add(known == own_.end() ? 0 : known->second.id));
    std::vector<pg_session> all;
    for (int i = 0; i < rows.size(); ++i) {
        all.push_back(session_in(rows, i));
        all.back().written = rows.texts(i, 3);
        all.back().read = rows.texts(i, 4);
    }
    return all;
}

void pg_database::append(std::string const& workspace, std::string const& statement, parameters const& p,
    std::function<void(connection&)> const& before)
{
    own_session& own = own_.at(workspace);
    std::int64_t const batch = own.batch + 1;
    parameters all;
    all.add(own.id).add(batch);
    for (auto const& value : p.values()) value ? all.add(*value) : all.add_null();
    bool first = true;
    repeat([&](connection& on) {
        if (!std::exchange(first, false)) {
            // The connection was lost. Its server process has ended, so its commit has either succeeded or failed.
            auto const rows =
                on.query("SELECT batch FROM " + table("session") + " WHERE id = $1", parameters().add(own.id));
            if (rows.size() > 0 && rows.integer(0, 0) == batch) return 0;
        }
        pg_records tables = records(on, own.workspace);
        std::optional<state::transaction> whole;
        if (before) {
            whole.emplace(tables, state::database::purpose::writing);
            lock_row(on, own.workspace);
            on.query(end_sessions("id <> $2"), parameters().add(own.workspace).add(own.id));
            before(on);
        }
        if (on.query(statement, all).size() == 0) throw session_ended_error();
        if (whole) whole->commit();
        return 0;
    });
    own.batch = batch;
}

}  // namespace iacctl::backends
