// SPDX-License-Identifier: BSL-1.0
// The history before the first entry of an SQLite database is in its backups.
#include "history_rows.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

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
