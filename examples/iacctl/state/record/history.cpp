// SPDX-License-Identifier: BSL-1.0
#include "state/history.hpp"

#include "history_rows.hpp"
#include "state/record_text.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& f, std::int64_t until)
{
    statement rows = db.prepare("SELECT sequence, generation, epoch, time, address, document, sha256, "
        + std::string(db.properties().hashed_sequence) + db.rows_of("entry")
        + " AND sequence > $1 AND sequence <= $2 ORDER BY sequence");
    rows.bind(after).bind(until);
    while (rows.step()) {
        entry_row row;
        history_entry& read = row.content;
        read.sequence = rows.integer(0);
        read.generation = rows.integer(1);
        read.epoch = rows.integer(2);
        read.time = rows.integer(3);
        row.address = rows.text(4);
        row.hash = rows.hash(6);
        auto const text = cipher.open(
            rows.text(5), [&] { return record_place::entry(read.sequence, read.generation, read.epoch, read.time); });
        auto entry = text ? read_entry(*text, sets) : std::nullopt;
        row.damaged = !entry
            || row.hash != entry_hash(hasher, rows.integer(7), read.generation, read.epoch, read.time, rows.text(5));
        if (!row.damaged) read.entry = std::move(*entry);
        if (!f(std::move(row))) return;
    }
}

auto read_entries(database& db, field_hasher& hasher, state_records const& records, std::int64_t after,
    std::int64_t until) -> std::vector<entry_row>
{
    std::vector<entry_row> all;
    auto const keep = [&](entry_row row) {
        all.push_back(std::move(row));
        return true;
    };
    for_each_entry(db, hasher, records.sets, records.key.cipher, after, keep, until);
    return all;
}

auto replay_all(infra::snapshot& to, std::vector<entry_row> const& entries) -> bool
{
    return std::ranges::all_of(
        entries, [&](entry_row const& e) { return !e.damaged && replay(to, e.content.entry).has_value(); });
}

auto read_generations(database& db) -> std::vector<generation_record>
{
    std::vector<generation_record> all;
    statement rows = db.prepare("SELECT number, command, started, ended, result, serial, sequence"
        + db.rows_of("generation") + " ORDER BY number");
    while (rows.step()) {
        generation_record& one = all.emplace_back();
        one.number = rows.integer(0);
        one.command = rows.text(1);
        one.started = rows.integer(2);
        if (!rows.is_null(3)) one.ended = rows.integer(3);
        one.result = rows.text(4);
        one.serial = rows.integer(5);
        one.sequence = rows.integer(6);
    }
    return all;
}

auto backups_of(workspace_files const& files, field_hasher& hasher) -> std::vector<known_backup>
{
    std::vector<known_backup> all;
    std::error_code error;
    for (fs::directory_iterator it(files.backups(), error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() != ".db") continue;
        try {
            sqlite_database db(it->path(), open_mode::read_only);
            db.preserve();
            if (auto meta = check_header(db, files, hasher)) all.push_back({it->path(), std::move(*meta)});
        } catch (database_error const&) {
            // An unreadable backup is ignored; restoring it reports the reason.
        }
    }
    std::ranges::sort(all, std::ranges::greater(), [](known_backup const& backup) { return backup.file.filename(); });
    return all;
}

auto sqlite_store::base_before(database&, state_records const&, std::vector<entry_row> const& entries,
    std::int64_t sequence) -> expected<history_base>
{
    impl& self = *impl_;
    std::string const file = self.files.database().string();
    if (sequence < 0 || sequence > self.meta.sequence)
        return make_failure(
            messages::state_has_no_such_sequence, {file, std::to_string(sequence), std::to_string(self.meta.sequence)});
    std::int64_t const first = entries.empty() ? self.meta.sequence + 1 : entries.front().content.sequence;
    history_base base;
    base.is_gapless = true;
    base.is_current = sequence == self.meta.sequence;
    base.sequence = first == 1 ? 0 : -1;
    if (base.is_current) return base;
    for (known_backup const& backup : backups_of(self.files, self.hasher)) {
        std::int64_t const last = backup.meta.sequence;
        if (last > sequence || last <= base.sequence || last + 1 < first || backup.meta.lineage != self.meta.lineage)
            continue;
        // After a restore, numbers are used a second time, so the backup must have the same history.
        auto const same = std::ranges::find(entries, last, [](entry_row const& e) { return e.content.sequence; });
        sqlite_database db(backup.file, open_mode::read_only);
        db.preserve();
        if (same != entries.end()) {
            statement theirs = db.prepare("SELECT sha256 FROM entry WHERE sequence = ?");
            if (!theirs.bind(last).step() || theirs.hash(0) != same->hash) continue;
        }
        auto content = read_state(db, self.files, self.hasher);
        if (!content) continue;
        base.content = std::move(content->snapshot);
        base.sequence = last;
    }
    if (base.sequence < 0)
        return make_failure(messages::state_history_pruned, {file, std::to_string(sequence), std::to_string(first)});
    return base;
}

}  // namespace iacctl::state
