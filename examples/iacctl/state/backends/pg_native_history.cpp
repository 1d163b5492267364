// SPDX-License-Identifier: BSL-1.0
// The history of a state in tables of PostgreSQL.
//
// Entries form one history, regardless of the session that has written them. A session that needs the changes of
// another one holds the locks for them, and thus starts later. The pruned part of the history is replaced by entries
// that create the state after it.
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "pg_native_store.hpp"
#include "state/document/difference.hpp"
#include "state/record_text.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

namespace iacctl::backends {

using infra::journal_entry;
using postgres::array_text;
using postgres::connection;
using postgres::parameters;
using state::make_failure;
using state::record_place;

namespace {

// Names of entries in `base` that begin an operation. Names of objects are their deposed keys; those of outputs have no
// address.
constexpr std::string_view operation_prefix = "operation ";

auto name_in_base(journal_entry const& e) -> std::string
{
    if (e.kind() == journal_entry::kind_type::begin) return std::string(operation_prefix) + e.operation().operation;
    return e.is_of_state() ? e.output_name() : e.deposed_key();
}

}  // namespace

auto pg_native_store::begin(std::string_view command, std::int64_t now) -> std::int64_t
{
    auto const rows = database_->query("INSERT INTO " + database_->table("generation")
            + " (workspace, command, started, serial, sequence) SELECT id, $2, $3, $4, coalesce((SELECT max(sequence)"
              " FROM "
            + database_->table("entry") + " e WHERE e.workspace = w.id), pruned) FROM " + database_->table("workspace")
            + " w WHERE name = $1 RETURNING number",
        parameters().add(workspace_).add(std::string(command)).add(now).add(static_cast<std::int64_t>(data().serial)));
    return rows.size() == 0 ? 0 : rows.integer(0, 0);
}

void pg_native_store::end(std::string_view result, std::int64_t now)
{
    database_->query(
        "UPDATE " + database_->table("generation") + " SET ended = $2, result = $3, serial = $4 WHERE number = $1",
        parameters()
            .add(data().generation)
            .add(now)
            .add(std::string(result))
            .add(static_cast<std::int64_t>(data().serial)));
    prune(now);
}

auto pg_native_store::read_base(state::database& db, content const& c, std::string const* addresses)
    -> std::vector<state::entry_row>
{
    state::statement rows = db.prepare("SELECT address, name, document, sha256" + db.rows_of("base")
        + (addresses == nullptr ? "" : " AND address = ANY ($1::text[])"));
    if (addresses != nullptr) rows.bind(*addresses);
    std::vector<state::entry_row> all;
    while (rows.step()) {
        state::entry_row& row = all.emplace_back();
        std::string_view const address = rows.text(0);
        std::string_view const name = rows.text(1);
        row.address = address;
        if (!name.empty()) row.address += (row.address.empty() ? "output " : " ") + std::string(name);
        row.hash = rows.hash(3);
        auto const document = c.key.cipher.open(rows.text(2), [&] { return record_place::base(address, name); });
        auto entry = document ? state::read_entry(*document, c.sets) : std::nullopt;
        row.damaged = !entry || state::address_of(*entry) != address || name_in_base(*entry) != name
            || row.hash != base_hash(data().hasher, address, name, rows.text(2));
        if (entry) row.content.entry = std::move(*entry);
    }
    std::ranges::partition(
        all, [](state::entry_row const& e) { return e.content.entry.kind() == journal_entry::kind_type::begin; });
    return all;
}

auto pg_native_store::base_before(state::database& db, state::state_records const& records,
    std::vector<state::entry_row> const& entries, std::int64_t sequence) -> expected<history_base>
{
    auto const& with = static_cast<content const&>(records);
    std::int64_t const pruned = with.header->pruned;
    std::int64_t const last = entries.empty() ? pruned : std::max(pruned, entries.back().content.sequence);
    if (sequence < 0 || sequence > last)
        return make_failure(
            messages::state_has_no_such_sequence, {place(), std::to_string(sequence), std::to_string(last)});
    if (sequence < pruned)
        return make_failure(
            messages::state_history_pruned, {place(), std::to_string(sequence), std::to_string(pruned + 1)});
    history_base base;
    base.sequence = pruned;
    if (!replay_all(base.content, read_base(db, with)))
        return make_failure(messages::state_history_damaged, {place(), std::to_string(pruned), recovery_advice});
    // The serial number is the current one minus the changes since.
    infra::snapshot today = base.content;
    for (state::entry_row const& e : entries)
        if (e.damaged || !replay(today, e.content.entry)) ++today.serial;
    base.content.serial = with.header->serial - std::min(with.header->serial, today.serial - base.content.serial);
    return base;
}

auto pg_native_store::verify() -> expected<state::verification>
{
    return attempt(stage::reading, [&]() -> expected<state::verification> {
        content with;
        state::verification done;
        in_one_view(with, [&](connection& on) {
            done = state::verification();
            if (with.header->lineage.empty()) return;
            read_content(on, with);
            bool const sound = with.damaged.empty();
            done.add("rows", std::exchange(with.damaged, {}),
                state::counted(with.rows, " row, ", " rows, ") + state::counted(with.bytes, " byte", " bytes"));
            infra::diagnostics incomplete;
            if (!with.header->complete)
                incomplete.add(messages::make_error(messages::state_records_missing, {place(), recovery_advice}));
            done.add("checksum", std::move(incomplete));
            if (sound && with.header->complete) {
                auto contradictions = verify_integrity(with.snapshot);
                contradictions.add(verify_lineage(with.snapshot));
                done.add("structure", std::move(contradictions),
                    state::counted(with.snapshot.resources.size(), " resource instance", " resource instances"));
            } else {
                done.add_skipped("structure", "rows are damaged or missing");
            }
            check_history(on, with, done);
        });
        if (!with.damaged.empty()) return infra::failure(std::move(with.damaged));
        if (done.checks.empty()) return done;
        done.format = with.header->format;
        done.rows = with.rows;
        done.bytes = with.bytes;
        done.content = std::move(with.snapshot);
        return done;
    });
}

void pg_native_store::check_history(connection& on, content& c, state::verification& to)
{
    pg_records db = database_->records(on, c.header->id);
    auto const base = read_base(db, c);
    auto const entries = read_entries(db, data().hasher, c);
    infra::diagnostics damaged;
    for (state::entry_row const& row : base)
        if (row.damaged)
            damaged.add(messages::make_error(messages::state_damaged,
                {place(), "state before the history", row.address, recovery_advice}, row.address));
    for (state::entry_row const& row : entries)
        if (row.damaged)
            damaged.add(messages::make_error(
                messages::state_history_damaged, {place(), std::to_string(row.content.sequence), recovery_advice}));
    bool const sound = damaged.empty();
    to.sequence = entries.empty() ? c.header->pruned : std::max(c.header->pruned, entries.back().content.sequence);
    to.add("history", std::move(damaged), state::counted(entries.size(), " entry", " entries"));
    if (!sound || !to.passed()) return to.add_skipped("records", "rows or entries are damaged or missing");

    infra::snapshot made;
    bool same = replay_all(made, base) && replay_all(made, entries);
    // Commands that change disjoint parts at the same time write results of checks in any order.
    made.checks = c.snapshot.checks;
    made.serial = c.snapshot.serial;
    made.lineage = c.snapshot.lineage;
    same = same && made == c.snapshot;
    infra::diagnostics missing;
    if (!same) missing.add(messages::make_error(messages::state_records_missing, {place(), recovery_advice}));
    to.add("records", std::move(missing), "those that the history makes");
}

void pg_native_store::write_base(connection& on, content const& c, std::vector<journal_entry> const& all)
{
    array_text columns[4];
    for (journal_entry const& e : all) {
        std::string const address = state::address_of(e);
        std::string const name = name_in_base(e);
        std::string const document =
            c.key.cipher.sealed(state::text_of(e), [&] { return record_place::base(address, name); });
        columns[0].add(address);
        columns[1].add(name);
        columns[2].add(document);
        columns[3].add_bytes(bytes_of(base_hash(data().hasher, address, name, document)));
    }
    parameters values;
    values.add(c.header->id);
    for (array_text& column : columns) values.add(column.finish());
    on.query("INSERT INTO " + database_->table("base")
            + " (workspace, address, name, document, sha256) SELECT $1, b.* FROM unnest($2::text[], $3::text[], "
              "$4::text[], $5::bytea[]) AS b",
        values);
}

void pg_native_store::prune(std::int64_t now)
{
    auto const rows = database_->query("SELECT max(number) FROM " + database_->table("generation") + " g JOIN "
            + database_->table("workspace")
            + " w ON w.id = g.workspace WHERE w.name = $1 AND coalesce(ended, started) < $2 AND number < (SELECT "
              "min(number) FROM (SELECT number FROM "
            + database_->table("generation") + " k WHERE k.workspace = w.id ORDER BY number DESC LIMIT $3) AS kept)",
        parameters()
            .add(workspace_)
            .add(now - data().keep.milliseconds)
            .add(std::max<std::int64_t>(data().keep.generations, 1)));
    if (rows.is_null(0, 0)) return;
    std::int64_t const last = rows.integer(0, 0);
    database_->in_turn(workspace_, [&](connection& on) { return prune_entries(on, last); });
    (void)database_->alone(workspace_, [&](connection& on) { return prune_sets(on); });
}

auto pg_native_store::prune_entries(connection& on, std::int64_t last_generation) -> bool
{
    content with;
    read_header(on, with);
    if (!with.header || !with.damaged.empty()) return false;
    // A generation stores the last sequence before it, so the next generation determines the last sequence of this one.
    auto const next = on.query("SELECT sequence FROM " + database_->table("generation")
            + " WHERE workspace = $1 AND number > $2 ORDER BY number LIMIT 1",
        parameters().add(with.header->id).add(last_generation));
    if (next.size() == 0) return false;
    std::int64_t const until = std::max(next.integer(0, 0), with.header->pruned);
    read_sets(on, with);
    pg_records db = database_->records(on, with.header->id);
    auto const entries = read_entries(db, data().hasher, with, 0, until);
    std::set<std::string> touched;
    for (state::entry_row const& e : entries) touched.insert(state::address_of(e.content.entry));
    array_text names;
    for (std::string const& address : touched) names.add(address);
    std::string const addresses = names.finish();
    infra::snapshot s;
    if (!with.damaged.empty() || !replay_all(s, read_base(db, with, &addresses)) || !replay_all(s, entries))
        return false;

    on.query("DELETE FROM " + database_->table("base") + " WHERE workspace = $1 AND address = ANY ($2::text[])",
        parameters().add(with.header->id).add(addresses));
    write_base(on, with, state::entries_between({}, s));
    on.query("DELETE FROM " + database_->table("entry") + " WHERE workspace = $1 AND sequence <= $2",
        parameters().add(with.header->id).add(until));
    on.query("DELETE FROM " + database_->table("generation") + " WHERE workspace = $1 AND number <= $2",
        parameters().add(with.header->id).add(last_generation));
    on.query("UPDATE " + database_->table("workspace") + " SET pruned = $2 WHERE id = $1",
        parameters().add(with.header->id).add(until));
    return true;
}

auto pg_native_store::prune_sets(connection& on) -> bool
{
    content with;
    read_header(on, with);
    if (!with.header || !with.damaged.empty()) return false;
    auto const count = on.query("SELECT (SELECT count(*) FROM " + database_->table("dependency_set")
            + " WHERE workspace = $1), (SELECT count(*) FROM " + database_->table("resource")
            + " WHERE workspace = $1)",
        parameters().add(with.header->id));
    if (count.integer(0, 0) <= state::few_sets + 4 * count.integer(0, 1)) return false;

    read_content(on, with);
    pg_records db = database_->records(on, with.header->id);
    auto const base = read_base(db, with);
    auto const entries = read_entries(db, data().hasher, with);
    bool sound = with.damaged.empty();
    std::unordered_set<infra::dependency_set::id_type> seen;
    array_text used;
    auto const is_new = [&](infra::dependency_set const& set) { return seen.insert(set.id()).second; };
    auto const use = [&](infra::object const& o) {
        o.dependencies.for_each_set(
            is_new, [&](infra::dependency_set const& set) { used.add(state::dependency_catalog::key_of(set)); });
    };
    for (auto const& [_, record] : with.snapshot.resources) {
        if (record.current) use(*record.current);
        for (auto const& [key, object] : record.deposed) use(object);
    }
    for (auto const* const list : {&base, &entries})
        for (state::entry_row const& e : *list) {
            sound = sound && !e.damaged;
            if (e.content.entry.result()) use(*e.content.entry.result());
        }
    if (!sound) return false;
    on.query("DELETE FROM " + database_->table("dependency_set") + " WHERE workspace = $1 AND id <> ALL ($2::text[])",
        parameters().add(with.header->id).add(used.finish()));
    data().sets.clear();
    return true;
}

}  // namespace iacctl::backends
