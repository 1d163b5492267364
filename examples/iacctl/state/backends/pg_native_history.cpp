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
#include "state/record/pruning.hpp"
#include "state/record/record_checks.hpp"
#include "state/record_text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace iacctl::backends {

using infra::journal_entry;
using postgres::array_text;
using postgres::connection;
using postgres::parameters;
using state::make_failure;
using state::record_place;

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
    if (!replay_all(base.content, state::read_base(db, data().hasher, with)))
        return make_failure(messages::state_history_damaged, {place(), std::to_string(pruned), recovery_advice});
    // The serial number is the current one minus the changes since.
    infra::snapshot today = base.content;
    for (state::entry_row const& e : entries)
        if (e.damaged || !replay(today, e.content.entry)) ++today.serial;
    base.content.serial = with.snapshot.serial - std::min(with.snapshot.serial, today.serial - base.content.serial);
    return base;
}

auto pg_native_store::verify() -> expected<state::verification>
{
    return attempt(stage::reading, [&]() -> expected<state::verification> {
        content with;
        state::verification done;
        bool is_read = false;
        in_one_view(with, [&](connection& on) {
            is_read = true;
            done = state::verification();
            if (with.header->lineage.empty()) return;
            read_content(on, with);
            pg_records db = database_->records(on, with.header->id);
            check_records(done, with, site());
            done.sequence = std::max(with.header->pruned, check_history(done, db, data().hasher, with, site()));
            done.format = with.header->format;
        });
        if (!is_read && !with.damaged.empty()) return infra::failure(std::move(with.damaged));
        done.content = std::move(with.snapshot);
        return done;
    });
}

void pg_native_store::write_base(connection& on, content const& c, std::vector<journal_entry> const& all)
{
    array_text columns[4];
    for (journal_entry const& e : all) {
        std::string const address = state::address_of(e);
        std::string const name = state::name_in_base(e);
        std::string const document =
            c.key.cipher.sealed(state::text_of(e), [&] { return record_place::base(address, name); });
        columns[0].add(address);
        columns[1].add(name);
        columns[2].add(document);
        columns[3].add_bytes(bytes_of(state::base_hash(data().hasher, address, name, document)));
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
    bool has_old = false;
    database_->repeat([&](connection& on) {
        has_old = false;
        auto const header = pg_workspace::read(*database_, on, workspace_);
        if (!header) return 0;
        pg_records db = database_->records(on, header->id);
        has_old = find_old_history(db, data().keep, now).has_value();
        return 0;
    });
    if (!has_old) return;
    database_->in_turn(workspace_, [&](connection& on) { return prune_entries(on, now); });
    (void)database_->alone(workspace_, [&](connection& on) { return prune_sets(on); });
}

auto pg_native_store::prune_entries(connection& on, std::int64_t now) -> bool
{
    content with;
    read_header(on, with);
    find_key_of(with);
    if (!with.header || !with.damaged.empty()) return false;
    pg_records db = database_->records(on, with.header->id);
    auto const old = find_old_history(db, data().keep, now);
    if (!old) return false;
    std::int64_t const until = std::max(old->sequence, with.header->pruned);
    read_sets(on, with);
    auto const entries = read_entries(db, data().hasher, with, 0, until);
    std::set<std::string> touched;
    for (state::entry_row const& e : entries) touched.insert(state::address_of(e.content.entry));
    array_text names;
    for (std::string const& address : touched) names.add(address);
    std::string const addresses = names.finish();
    infra::snapshot s;
    if (!with.damaged.empty() || !replay_all(s, state::read_base(db, data().hasher, with, &addresses))
        || !replay_all(s, entries))
        return false;

    on.query("DELETE FROM " + database_->table("base") + " WHERE workspace = $1 AND address = ANY ($2::text[])",
        parameters().add(with.header->id).add(addresses));
    write_base(on, with, state::entries_between({}, s));
    state::remove_history(db, {old->generation, until});
    on.query("UPDATE " + database_->table("workspace") + " SET pruned = $2 WHERE id = $1",
        parameters().add(with.header->id).add(until));
    return true;
}

auto pg_native_store::prune_sets(connection& on) -> bool
{
    content with;
    read_header(on, with);
    find_key_of(with);
    if (!with.header || !with.damaged.empty()) return false;
    pg_records db = database_->records(on, with.header->id);
    if (state::prune_sets(db, data().hasher, with.key).empty()) return false;
    data().sets.clear();
    return true;
}

}  // namespace iacctl::backends
