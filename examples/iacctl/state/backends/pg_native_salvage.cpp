// SPDX-License-Identifier: BSL-1.0
// Recovers states from tables of PostgreSQL that another program has changed, in one transaction.
#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "pg_native_store.hpp"
#include "state/document/difference.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::backends {

using postgres::connection;
using postgres::parameters;
using state::make_failure;

auto pg_native_store::find_remains() -> expected<state::remains>
{
    content read;
    std::vector<state::entry_row> base;
    state::remains all;
    bool is_read = false;
    in_one_view(read, [&](connection& on) {
        read_content(on, read);
        pg_records db = database_->records(on, read.header->id);
        base = state::read_base(db, data().hasher, read);
        all.entries = read_entries(db, data().hasher, read);
        is_read = true;
    });
    if (!is_read) return infra::failure(std::move(read.damaged));
    auto const lost = [&](std::string_view why) { return make_failure(messages::state_salvage_lost, {place(), why}); };
    all.is_gapless = false;
    all.last = read.header->pruned;
    if (!all.entries.empty()) all.last = std::max(all.last, all.entries.back().content.sequence);
    all.in_rows = all.last;
    all.serial = read.snapshot.serial;
    all.base->sequence = read.header->pruned;
    all.base->from = place();
    if (!replay_all(all.base->content, base)) all.base = lost("the state before the history is damaged");
    else if (base.empty() && all.entries.empty()) all.base = lost("it has no history");
    else all.base->content.lineage = read.header->lineage;
    all.backup =
        lost("the native mode makes no backups; restore a backup of the database with the programs of PostgreSQL");
    all.rows = std::move(read);
    return all;
}

auto pg_native_store::kept_rows(connection& on, std::int64_t workspace) const -> std::string
{
    std::string members;
    for (std::string_view const name :
        {"resource", "dependency_set", "output", "pending", "base", "entry", "generation"})
        members += ", '" + std::string(name) + "', (SELECT coalesce(json_agg(t), '[]') FROM " + database_->table(name)
            + " t WHERE t.workspace = w.id)";
    auto const rows = on.query("SELECT json_build_object('workspace', w" + members + ") FROM "
            + database_->table("workspace") + " w WHERE id = $1",
        parameters().add(workspace));
    return std::string(rows.text(0, 0)) + "\n";
}

void pg_native_store::clear(connection& on, std::int64_t workspace, std::int64_t last) const
{
    parameters const of = parameters().add(workspace);
    for (std::string_view const name : {"resource", "dependency_set", "output", "pending", "base", "entry"})
        on.query("DELETE FROM " + database_->table(name) + " WHERE workspace = $1", of);
    on.query("UPDATE " + database_->table("workspace")
            + " SET pruned = $2, content = -(SELECT coalesce(sum(s.content), 0) FROM " + database_->table("session")
            + " s WHERE s.workspace = $1) WHERE id = $1",
        parameters().add(workspace).add(last));
    on.query("INSERT INTO " + database_->table("generation")
            + " (workspace, number, command, started, ended, result, serial, sequence) OVERRIDING SYSTEM VALUE"
              " VALUES ($1, $2, 'state repair', $3, $3, 'complete', $4, $5)",
        parameters()
            .add(workspace)
            .add(data().generation)
            .add(now_ms())
            .add(static_cast<std::int64_t>(data().serial + 1))
            .add(last));
}

auto pg_native_store::replace(state::remains const& all, state::recipe const& chosen) -> expected<state::restored_state>
{
    infra::snapshot after = chosen.choice.content;
    after.serial = all.serial + 1;
    auto entries = state::entries_between({}, after);
    if (entries.empty()) entries.push_back(infra::journal_entry::checks({}));

    state::restored_state done{place(),
        local_ / ("replaced-" + timestamp::now().compact_text() + "-" + random_hex(4) + ".json"), after.serial,
        after.resources.size(), after.pending.size()};
    expected<void> kept;
    auto const keep_and_clear = [&](connection& on) {
        auto const now = pg_workspace::read(*database_, on, workspace_);
        if (!now || now->serial != static_cast<std::int64_t>(all.serial) || now->encryption != all.rows.key.metadata) {
            kept = make_failure(messages::state_overtaken, {place()});
        } else if (error_code const error = make_private_directories(local_)) {
            kept = make_failure(messages::state_restore_failed, {local_.string(), error.message()});
        } else {
            error_code failed = replace_file(done.replaced, kept_rows(on, now->id));
            if (!failed) failed = sync_directory(local_);
            if (failed) kept = make_failure(messages::state_restore_failed, {done.replaced.string(), failed.message()});
        }
        if (!kept) throw session_ended_error();
        clear(on, now->id, all.last);
    };
    try {
        (void)database_->session_of(workspace_, "state repair");
        data().generation = database_
                                ->query("SELECT nextval(pg_get_serial_sequence("
                                    + postgres::quoted_literal(database_->table("generation")) + ", 'number'))")
                                .integer(0, 0);
        data().key = all.rows.key;
        lineage_ = all.rows.snapshot.lineage;
        data().serial = all.serial;
        data().sets.clear();
        write_rows(state::changes_of(entries, after.checks), after, {}, keep_and_clear);
        data().generation = 0;
        return done;
    } catch (postgres::error const& e) {
        return failure_of(e);
    } catch (session_ended_error const&) {
        return kept ? session_ended() : kept.error();
    }
}

}  // namespace iacctl::backends
