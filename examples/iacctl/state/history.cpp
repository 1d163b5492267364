// SPDX-License-Identifier: BSL-1.0
#include "history.hpp"

#include "history_rows.hpp"
#include "record_text.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& with)
{
    statement rows = db.prepare(
        "SELECT sequence, generation, epoch, time, address, document, sha256 FROM entry WHERE sequence > ? ORDER BY 1");
    rows.bind(after);
    while (rows.step()) {
        entry_row row;
        history_entry& of = row.content;
        of.sequence = rows.integer(0);
        of.generation = rows.integer(1);
        of.epoch = rows.integer(2);
        of.time = rows.integer(3);
        row.address = rows.text(4);
        row.hash = rows.hash(6);
        auto const text = cipher.open(
            rows.text(5), [&] { return record_place::entry(of.sequence, of.generation, of.epoch, of.time); });
        auto entry = text ? read_entry(*text, sets) : std::nullopt;
        row.damaged =
            !entry || row.hash != entry_hash(hasher, of.sequence, of.generation, of.epoch, of.time, rows.text(5));
        if (!row.damaged) of.entry = std::move(*entry);
        if (!with(std::move(row))) return;
    }
}

auto read_generations(database& db) -> std::vector<generation_record>
{
    std::vector<generation_record> all;
    statement rows = db.prepare(
        "SELECT number, command, started, ended, result, serial, sequence, ended IS NULL FROM generation ORDER BY 1");
    while (rows.step()) {
        generation_record& one = all.emplace_back();
        one.number = rows.integer(0);
        one.command = rows.text(1);
        one.started = rows.integer(2);
        if (rows.integer(7) == 0) one.ended = rows.integer(3);
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
    std::ranges::sort(all, std::ranges::greater(), [](known_backup const& one) { return one.file.filename(); });
    return all;
}

auto sqlite_store::verify() -> expected<verification>
{
    return verify_workspace(impl_->files);
}

auto sqlite_store::generations() -> expected<std::vector<generation_record>>
{
    impl& self = *impl_;
    if (auto problem = self.connect()) return *problem;
    if (!self.db) return std::vector<generation_record>();
    try {
        return read_generations(*self.db);
    } catch (database_error const& error) {
        return read_failure(self.files, error);
    }
}

auto sqlite_store::entries_after(std::int64_t after) -> expected<std::vector<history_entry>>
{
    impl& self = *impl_;
    if (auto problem = self.connect()) return *problem;
    std::vector<history_entry> all;
    if (!self.db) return all;
    try {
        if (auto problem = self.read_new_sets()) return *problem;
        std::optional<infra::failure> damaged;
        for_each_entry(*self.db, self.hasher, self.sets, self.key.cipher, after, [&](entry_row row) {
            if (row.damaged)
                damaged = make_failure(messages::state_history_damaged,
                    {self.files.database().string(), std::to_string(row.content.sequence),
                        self.files.recovery_advice()});
            else all.push_back(std::move(row.content));
            return !damaged;
        });
        if (damaged) return *damaged;
        return all;
    } catch (database_error const& error) {
        return read_failure(self.files, error);
    }
}

auto sqlite_store::read_at(std::int64_t sequence) -> expected<infra::snapshot>
{
    impl& self = *impl_;
    if (auto problem = self.connect()) return *problem;
    std::string const file = self.files.database().string();
    if (sequence < 0 || sequence > self.meta.sequence)
        return make_failure(
            messages::state_has_no_such_sequence, {file, std::to_string(sequence), std::to_string(self.meta.sequence)});
    if (!self.db || sequence == self.meta.sequence) return read_now();
    try {
        if (auto problem = self.read_new_sets()) return *problem;
        std::vector<entry_row> entries;
        for_each_entry(*self.db, self.hasher, self.sets, self.key.cipher, 0, [&](entry_row row) {
            entries.push_back(std::move(row));
            return entries.back().content.sequence < sequence;
        });
        std::int64_t const first = entries.empty() ? self.meta.sequence + 1 : entries.front().content.sequence;
        auto const at = [&](std::int64_t number) {
            return std::ranges::find(entries, number, [](entry_row const& e) { return e.content.sequence; });
        };

        infra::snapshot base;
        std::int64_t from = first == 1 ? 0 : -1;
        for (known_backup const& backup : backups_of(self.files, self.hasher)) {
            std::int64_t const last = backup.meta.sequence;
            if (last > sequence || last <= from || last + 1 < first || backup.meta.lineage != self.meta.lineage)
                continue;
            // After a restore, numbers are used a second time, so the backup must have the same history.
            auto const same = at(last);
            sqlite_database db(backup.file, open_mode::read_only);
            db.preserve();
            if (same != entries.end()) {
                statement theirs = db.prepare("SELECT sha256 FROM entry WHERE sequence = ?");
                if (!theirs.bind(last).step() || theirs.hash(0) != same->hash) continue;
            }
            auto content = read_state(db, self.files, self.hasher);
            if (!content) continue;
            base = std::move(content->snapshot);
            from = last;
        }
        if (from < 0)
            return make_failure(
                messages::state_history_pruned, {file, std::to_string(sequence), std::to_string(first)});
        base.lineage = self.meta.lineage;
        for (std::int64_t next = from + 1; next <= sequence; ++next) {
            auto const entry = at(next);
            if (entry == entries.end())
                return make_failure(
                    messages::state_history_incomplete, {file, std::to_string(next), self.files.recovery_advice()});
            if (entry->damaged || !replay(base, entry->content.entry))
                return make_failure(
                    messages::state_history_damaged, {file, std::to_string(next), self.files.recovery_advice()});
        }
        return base;
    } catch (database_error const& error) {
        return read_failure(self.files, error);
    }
}

}  // namespace iacctl::state
