// SPDX-License-Identifier: BSL-1.0
// The history of a state in tables of PostgreSQL.
//
// Entries form one history, regardless of the session that has written them. A session that needs the changes of
// another one holds the locks for them, and thus starts later. The pruned part of the history is replaced by entries
// that create the state after it.
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "pg_native_store.hpp"
#include "state/check.hpp"
#include "state/record_text.hpp"
#include "state/stored_name.hpp"
#include "support/timestamp.hpp"

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
// The number of unreferenced sets of dependencies below which they are not searched for.
constexpr std::int64_t few_sets = 64;

auto address_of(journal_entry const& e) -> std::string
{
    return e.is_of_state() ? std::string() : state::stored_name(e.target());
}

auto name_in_base(journal_entry const& e) -> std::string
{
    if (e.kind() == journal_entry::kind_type::begin) return std::string(operation_prefix) + e.operation().operation;
    return e.is_of_state() ? e.output_name() : e.deposed_key();
}

template <class Entries>
auto replay_all(infra::snapshot& to, Entries const& entries) -> bool
{
    return std::ranges::all_of(
        entries, [&](auto const& e) { return !e.damaged && replay(to, e.of.entry).has_value(); });
}

}  // namespace

auto pg_native_store::entries_that_make(infra::snapshot const& s) -> std::vector<journal_entry>
{
    // Operations are first: an object must not be deposed a second time.
    std::vector<journal_entry> all;
    for (auto const& [_, operation] : s.pending) all.push_back(journal_entry::begin(operation));
    for (auto const& [target, record] : s.resources) {
        if (record.current) all.push_back(journal_entry::record(target, {}, *record.current));
        for (auto const& [key, object] : record.deposed) all.push_back(journal_entry::record(target, key, object));
    }
    for (auto const& [name, value] : s.outputs) all.push_back(journal_entry::output(name, value));
    if (!s.checks.empty()) all.push_back(journal_entry::checks(s.checks));
    return all;
}

auto pg_native_store::begin_generation(std::string_view command) -> expected<std::int64_t>
{
    if (failure_) return make_failure(messages::state_earlier_attempt_failed, {place()});
    command_ = command;
    return attempt([&]() -> expected<std::int64_t> {
        if (auto failed = make_ready()) return *failed;
        auto const rows = database_->query("INSERT INTO " + database_->table("generation")
                + " (workspace, command, started, serial, sequence) SELECT id, $2, $3, $4, coalesce((SELECT "
                  "max(sequence) FROM "
                + database_->table("entry") + " e WHERE e.workspace = w.id), pruned) FROM "
                + database_->table("workspace") + " w WHERE name = $1 RETURNING number",
            parameters().add(workspace_).add(command_).add(now_ms()).add(static_cast<std::int64_t>(serial_)));
        generation_ = rows.size() == 0 ? 0 : rows.integer(0, 0);
        return generation_;
    });
}

auto pg_native_store::end_generation(std::string_view result) -> std::optional<infra::failure>
{
    if (generation_ == 0 || failure_) return std::nullopt;
    std::int64_t const number = std::exchange(generation_, 0);
    try {
        std::int64_t const now = now_ms();
        database_->query(
            "UPDATE " + database_->table("generation") + " SET ended = $2, result = $3, serial = $4 WHERE number = $1",
            parameters().add(number).add(now).add(std::string(result)).add(static_cast<std::int64_t>(serial_)));
        prune(now);
        return std::nullopt;
    } catch (postgres::error const& e) {
        return make_failure(messages::state_not_saved, {place(), e.what()});
    } catch (session_ended_error const&) {
        return session_ended();
    }
}

auto pg_native_store::generations() -> expected<std::vector<state::generation_record>>
{
    return attempt([&]() -> expected<std::vector<state::generation_record>> {
        auto const rows = database_->query("SELECT number, command, started, ended, result, g.serial, sequence FROM "
                + database_->table("generation") + " g JOIN " + database_->table("workspace")
                + " w ON w.id = workspace WHERE name = $1 ORDER BY number",
            parameters().add(workspace_));
        std::vector<state::generation_record> all;
        for (int i = 0; i < rows.size(); ++i) {
            state::generation_record one;
            one.number = rows.integer(i, 0);
            one.command = rows.text(i, 1);
            one.started = rows.integer(i, 2);
            if (!rows.is_null(i, 3)) one.ended = rows.integer(i, 3);
            one.result = rows.text(i, 4);
            one.serial = rows.integer(i, 5);
            one.sequence = rows.integer(i, 6);
            all.push_back(std::move(one));
        }
        return all;
    });
}

auto pg_native_store::read_entries(connection& on, content const& with, std::int64_t after, std::int64_t until)
    -> std::vector<stored_entry>
{
    auto const rows =
        on.query("SELECT sequence, generation, epoch, time, document, sha256 FROM " + database_->table("entry")
                + " WHERE workspace = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence",
            parameters().add(with.header->id).add(after).add(until));
    std::vector<stored_entry> all;
    all.reserve(static_cast<std::size_t>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
        stored_entry& row = all.emplace_back();
        state::history_entry& of = row.of;
        of.sequence = rows.integer(i, 0);
        of.generation = rows.integer(i, 1);
        of.epoch = rows.integer(i, 2);
        of.time = rows.integer(i, 3);
        row.name = std::to_string(of.sequence);
        auto const document = with.key.cipher.open(
            rows.text(i, 4), [&] { return record_place::entry(of.sequence, of.generation, of.epoch, of.time); });
        auto entry = document ? state::read_entry(*document, with.sets) : std::nullopt;
        auto const hash = state::entry_hash(hasher_, 0, of.generation, of.epoch, of.time, rows.text(i, 4));
        row.damaged = !entry || rows.bytes(i, 5) != bytes_of(hash);
        if (entry) of.entry = std::move(*entry);
    }
    return all;
}

auto pg_native_store::read_base(connection& on, content const& with, std::string const* addresses)
    -> std::vector<stored_entry>
{
    parameters of;
    of.add(with.header->id);
    if (addresses != nullptr) of.add(*addresses);
    auto const rows = on.query("SELECT address, name, document, sha256 FROM " + database_->table("base")
            + " WHERE workspace = $1" + (addresses == nullptr ? "" : " AND address = ANY ($2::text[])"),
        of);
    std::vector<stored_entry> all;
    all.reserve(static_cast<std::size_t>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
        stored_entry& row = all.emplace_back();
        std::string_view const address = rows.text(i, 0);
        std::string_view const name = rows.text(i, 1);
        row.name = address;
        if (!name.empty()) row.name += (row.name.empty() ? "output " : " ") + std::string(name);
        auto const document = with.key.cipher.open(rows.text(i, 2), [&] { return record_place::base(address, name); });
        auto entry = document ? state::read_entry(*document, with.sets) : std::nullopt;
        row.damaged = !entry || address_of(*entry) != address || name_in_base(*entry) != name
            || rows.bytes(i, 3) != bytes_of(base_hash(hasher_, address, name, rows.text(i, 2)));
        if (entry) row.of.entry = std::move(*entry);
    }
    std::ranges::partition(
        all, [](stored_entry const& e) { return e.of.entry.kind() == journal_entry::kind_type::begin; });
    return all;
}

auto pg_native_store::entries_after(std::int64_t after) -> expected<std::vector<state::history_entry>>
{
    return attempt([&]() -> expected<std::vector<state::history_entry>> {
        content with;
        std::vector<stored_entry> stored;
        in_one_view(with, [&](connection& on) {
            read_sets(on, with);
            stored = read_entries(on, with, after);
        });
        if (!with.damaged.empty()) return infra::failure(std::move(with.damaged));
        std::vector<state::history_entry> all;
        all.reserve(stored.size());
        for (stored_entry& one : stored) {
            if (one.damaged) return make_failure(messages::state_history_damaged, {place(), one.name, recovery_advice});
            all.push_back(std::move(one.of));
        }
        return all;
    });
}

auto pg_native_store::read_at(std::int64_t sequence) -> expected<infra::snapshot>
{
    return attempt([&]() -> expected<infra::snapshot> {
        content with;
        std::vector<stored_entry> base;
        std::vector<stored_entry> entries;
        in_one_view(with, [&](connection& on) {
            read_sets(on, with);
            base = read_base(on, with);
            entries = read_entries(on, with, 0);
        });
        if (!with.damaged.empty()) return infra::failure(std::move(with.damaged));
        std::int64_t const pruned = with.header ? with.header->pruned : 0;
        std::int64_t const last = entries.empty() ? pruned : std::max(pruned, entries.back().of.sequence);
        if (sequence < 0 || sequence > last)
            return make_failure(
                messages::state_has_no_such_sequence, {place(), std::to_string(sequence), std::to_string(last)});
        if (sequence < pruned)
            return make_failure(
                messages::state_history_pruned, {place(), std::to_string(sequence), std::to_string(pruned + 1)});
        if (!with.header) return infra::snapshot();

        infra::snapshot s;
        if (!replay_all(s, base))
            return make_failure(messages::state_history_damaged, {place(), std::to_string(pruned), recovery_advice});
        auto const later =
            std::ranges::find_if(entries, [&](stored_entry const& e) { return e.of.sequence > sequence; });
        for (auto at = entries.begin(); at != later; ++at)
            if (at->damaged || !replay(s, at->of.entry))
                return make_failure(messages::state_history_damaged, {place(), at->name, recovery_advice});
        // The serial number is the current one minus the changes since.
        infra::snapshot today = s;
        for (auto at = later; at != entries.end(); ++at)
            if (at->damaged || !replay(today, at->of.entry)) ++today.serial;
        s.serial = with.header->serial - std::min(with.header->serial, today.serial - s.serial);
        s.lineage = with.header->lineage;
        return s;
    });
}

auto pg_native_store::verify() -> expected<state::verification>
{
    return attempt([&]() -> expected<state::verification> {
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
                incomplete.push_back(messages::make_error(messages::state_records_missing, {place(), recovery_advice}));
            done.add("checksum", std::move(incomplete));
            if (sound && with.header->complete) {
                auto contradictions = verify_integrity(with.snapshot);
                infra::append(contradictions, verify_lineage(with.snapshot));
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

void pg_native_store::check_history(connection& on, content& with, state::verification& to)
{
    auto const base = read_base(on, with);
    auto const entries = read_entries(on, with, 0);
    infra::diagnostics damaged;
    for (stored_entry const& one : base)
        if (one.damaged)
            damaged.push_back(messages::make_error(
                messages::state_damaged, {place(), "state before the history", one.name, recovery_advice}, one.name));
    for (stored_entry const& one : entries)
        if (one.damaged)
            damaged.push_back(
                messages::make_error(messages::state_history_damaged, {place(), one.name, recovery_advice}));
    bool const sound = damaged.empty();
    to.sequence = entries.empty() ? with.header->pruned : std::max(with.header->pruned, entries.back().of.sequence);
    to.add("history", std::move(damaged), state::counted(entries.size(), " entry", " entries"));
    if (!sound || !to.passed()) return to.add_skipped("records", "rows or entries are damaged or missing");

    infra::snapshot made;
    bool same = replay_all(made, base) && replay_all(made, entries);
    // Commands that change disjoint parts at the same time write results of checks in any order.
    made.checks = with.snapshot.checks;
    made.serial = with.snapshot.serial;
    made.lineage = with.snapshot.lineage;
    same = same && made == with.snapshot;
    infra::diagnostics missing;
    if (!same) missing.push_back(messages::make_error(messages::state_records_missing, {place(), recovery_advice}));
    to.add("records", std::move(missing), "those that the history makes");
}

void pg_native_store::write_base(connection& on, content const& with, std::vector<journal_entry> const& all)
{
    array_text columns[4];
    for (journal_entry const& e : all) {
        std::string const address = address_of(e);
        std::string const name = name_in_base(e);
        std::string const document =
            with.key.cipher.sealed(state::text_of(e), [&] { return record_place::base(address, name); });
        columns[0].add(address);
        columns[1].add(name);
        columns[2].add(document);
        columns[3].add_bytes(bytes_of(base_hash(hasher_, address, name, document)));
    }
    parameters values;
    values.add(with.header->id);
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
        parameters().add(workspace_).add(now - keep_.milliseconds).add(std::max<std::int64_t>(keep_.generations, 1)));
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
    auto const entries = read_entries(on, with, 0, until);
    std::set<std::string> touched;
    for (stored_entry const& e : entries) touched.insert(address_of(e.of.entry));
    array_text names;
    for (std::string const& address : touched) names.add(address);
    std::string const addresses = names.finish();
    infra::snapshot s;
    if (!with.damaged.empty() || !replay_all(s, read_base(on, with, &addresses)) || !replay_all(s, entries))
        return false;

    on.query("DELETE FROM " + database_->table("base") + " WHERE workspace = $1 AND address = ANY ($2::text[])",
        parameters().add(with.header->id).add(addresses));
    write_base(on, with, entries_that_make(s));
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
    if (count.integer(0, 0) <= few_sets + 4 * count.integer(0, 1)) return false;

    read_content(on, with);
    auto const base = read_base(on, with);
    auto const entries = read_entries(on, with, 0);
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
        for (stored_entry const& e : *list) {
            sound = sound && !e.damaged;
            if (e.of.entry.result()) use(*e.of.entry.result());
        }
    if (!sound) return false;
    on.query("DELETE FROM " + database_->table("dependency_set") + " WHERE workspace = $1 AND id <> ALL ($2::text[])",
        parameters().add(with.header->id).add(used.finish()));
    sets_.clear();
    return true;
}

}  // namespace iacctl::backends
