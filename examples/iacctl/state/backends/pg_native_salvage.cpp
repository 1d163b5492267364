// SPDX-License-Identifier: BSL-1.0
// Recovers states from tables of PostgreSQL that another program has changed: from the undamaged rows, or from the
// history.
#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "pg_native_store.hpp"
#include "state/document/difference.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace iacctl::backends {

using postgres::connection;
using postgres::parameters;
using state::make_failure;
using state::salvage_choice;
using state::salvage_source;

namespace {

auto addresses_of(infra::snapshot const& s) -> std::set<std::string>
{
    std::set<std::string> all;
    for (auto const& [target, _] : s.resources) all.insert(infra::to_string(target));
    for (auto const& [name, _] : s.outputs) all.insert("output " + name);
    for (auto const& [operation, _] : s.pending) all.insert("operation " + operation);
    return all;
}

// Appends lines about the parts that only the first of two states has.
void append_differences(std::vector<std::string>& to, infra::snapshot const& all, infra::snapshot const& some)
{
    std::ranges::set_difference(addresses_of(all), addresses_of(some), std::back_inserter(to));
}

void judge(salvage_choice& choice)
{
    if (auto why = verify_integrity(choice.content); !why.empty()) choice.impossible = infra::failure(std::move(why));
}

}  // namespace

auto pg_native_store::read_remains() -> expected<remains>
{
    auto const checked = verify();
    if (!checked) return checked.error();
    if (checked->passed()) return make_failure(messages::state_is_sound, {place()});
    return attempt(stage::reading, [&]() -> expected<remains> {
        remains all;
        bool is_read = false;
        in_one_view(all.rows, [&](connection& on) {
            read_content(on, all.rows);
            pg_records db = database_->records(on, all.rows.header->id);
            all.base = read_base(db, all.rows);
            all.entries = read_entries(db, data().hasher, all.rows);
            is_read = true;
        });
        if (!is_read) return infra::failure(std::move(all.rows.damaged));
        all.last = all.rows.header->pruned;
        if (!all.entries.empty()) all.last = std::max(all.last, all.entries.back().content.sequence);
        return all;
    });
}

auto pg_native_store::choices_of(remains const& all) const -> std::vector<salvage_choice>
{
    auto const impossible = [&](salvage_choice& choice, std::string_view why) {
        choice.impossible = make_failure(messages::state_salvage_lost, {place(), why});
    };
    salvage_choice rows{salvage_source::rows, {}, place(), all.rows.snapshot, {}};
    salvage_choice backup{salvage_source::backup, {}, place(), {}, {}};
    salvage_choice replay_choice{salvage_source::replay, {}, place(), {}, {}};

    infra::snapshot& made = replay_choice.content;
    auto const fits = [&](state::entry_row const& e) { return !e.damaged && replay(made, e.content.entry); };
    bool const has_base = std::ranges::all_of(all.base, fits);
    auto const broken = has_base ? std::ranges::find_if_not(all.entries, fits) : all.entries.begin();
    made.lineage = all.rows.header->lineage;
    if (!has_base) impossible(replay_choice, "the state before the history is damaged");
    else if (all.base.empty() && all.entries.empty()) impossible(replay_choice, "it has no history");
    std::set<std::string> changed;
    for (auto at = broken; at != all.entries.end(); ++at)
        changed.insert("the change of entry " + std::to_string(at->content.sequence)
            + (at->damaged || at->content.entry.is_of_state() ? ""
                                                              : ": " + infra::to_string(at->content.entry.target())));
    replay_choice.losses.assign(changed.begin(), changed.end());
    append_differences(replay_choice.losses, all.rows.snapshot, made);

    for (infra::diagnostic const& d : all.rows.damaged) rows.losses.push_back(d.address);
    std::set<std::string> const damaged(rows.losses.begin(), rows.losses.end());
    bool const is_known = !replay_choice.impossible && broken == all.entries.end();
    if (is_known) {
        append_differences(rows.losses, made, all.rows.snapshot);
        std::ranges::sort(rows.losses);
        rows.losses.erase(std::ranges::unique(rows.losses).begin(), rows.losses.end());
    } else if (!all.rows.header->complete && damaged.empty()) {
        rows.losses.emplace_back("missing records, whose names are not known");
    }
    if (all.rows.rows == 0) impossible(rows, "it has no record that can be read");
    impossible(
        backup, "the native mode makes no backups; restore a backup of the database with the programs of PostgreSQL");

    judge(rows);
    if (!replay_choice.impossible) judge(replay_choice);
    return {std::move(rows), std::move(backup), std::move(replay_choice)};
}

auto pg_native_store::salvage_choices() -> expected<std::vector<salvage_choice>>
{
    auto const all = read_remains();
    if (!all) return all.error();
    return choices_of(*all);
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

auto pg_native_store::salvage(salvage_source from, std::filesystem::path const& directory)
    -> expected<state::restored_state>
{
    auto const all = read_remains();
    if (!all) return all.error();
    auto const choices = choices_of(*all);
    salvage_choice const& chosen = choices[static_cast<std::size_t>(from)];
    if (chosen.impossible) return *chosen.impossible;

    pg_workspace const& header = *all->rows.header;
    infra::snapshot after = chosen.content;
    after.serial = header.serial + 1;
    auto entries = state::entries_between({}, after);
    if (entries.empty()) entries.push_back(infra::journal_entry::checks({}));

    state::restored_state done{place(),
        directory / ("replaced-" + timestamp::now().compact_text() + "-" + random_hex(4) + ".json"), after.serial,
        after.resources.size(), after.pending.size()};
    std::optional<infra::failure> refused;
    auto const replace = [&](connection& on) {
        auto const now = pg_workspace::read(*database_, on, workspace_);
        if (!now || now->serial != header.serial || now->encryption != header.encryption) {
            refused = make_failure(messages::state_overtaken, {place()});
        } else if (error_code const error = make_private_directories(directory)) {
            refused = make_failure(messages::state_restore_failed, {directory.string(), error.message()});
        } else {
            error_code failed = replace_file(done.replaced, kept_rows(on, header.id));
            if (!failed) failed = sync_directory(directory);
            if (failed)
                refused = make_failure(messages::state_restore_failed, {done.replaced.string(), failed.message()});
        }
        if (refused) throw session_ended_error();
        clear(on, header.id, all->last);
    };
    try {
        (void)database_->session_of(workspace_, "state repair");
        data().generation = database_
                                ->query("SELECT nextval(pg_get_serial_sequence("
                                    + postgres::quoted_literal(database_->table("generation")) + ", 'number'))")
                                .integer(0, 0);
        data().key = all->rows.key;
        lineage_ = header.lineage;
        data().serial = header.serial;
        data().sets.clear();
        write_rows(state::changes_of(entries, after.checks), after, {}, replace);
        data().generation = 0;
        return done;
    } catch (postgres::error const& e) {
        return failure_of(e);
    } catch (session_ended_error const&) {
        return refused ? *refused : session_ended();
    }
}

}  // namespace iacctl::backends
