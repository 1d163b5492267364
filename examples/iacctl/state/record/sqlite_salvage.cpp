// SPDX-License-Identifier: BSL-1.0
// Recovers the state of a damaged SQLite database, in a separate workspace whose database then replaces it.
#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "commit_mark.hpp"
#include "restore.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// The newest backup that passes every check.
auto find_backup(workspace_files const& files, field_hasher& hasher) -> expected<std::optional<earlier_state>>
{
    for (known_backup const& backup : backups_of(files, hasher)) {
        try {
            sqlite_database db(backup.file, open_mode::read_only);
            db.preserve();
            auto content = read_state(db, files, hasher);
            if (!content) continue;
            return std::optional(earlier_state{std::move(content->snapshot), backup.meta.sequence, backup.file});
        } catch (database_error const& failed) {
            if (!failed.is_damage()) return read_failure(files, failed);
        }
    }
    return std::optional<earlier_state>();
}

// Creates a separate workspace with the state of the recipe.
auto build(recipe const& r, std::uint64_t serial, workspace_files const& draft) -> expected<void>
{
    if (auto const ok = draft.make(); !ok) return ok.error();
    if (r.on_base) {
        field_hasher hasher;
        fs::remove(draft.database());
        sqlite_database source(r.choice.from, open_mode::read_only);
        source.preserve();
        source.copy_to(draft.database());
        auto const meta = meta_row::read(source, hasher);
        throw_on(commit_mark::make(draft.mark(), meta ? meta->point() : commit_point()));
    }
    sqlite_store store(draft, open_mode::read_write);
    if (auto const now = store.read_now(); !now) return now.error();
    if (auto const begun = store.begin_generation("state repair"); !begun) return begun.error();
    auto entries = r.entries;
    if (entries.empty()) entries.push_back(infra::journal_entry::checks(r.choice.content.checks));
    infra::snapshot after = r.choice.content;
    after.serial = serial;
    if (auto const ok = store.append_now(entries, after); !ok) return ok.error();
    return store.end_generation("complete");
}

}  // namespace

auto sqlite_store::find_remains() -> expected<remains>
{
    workspace_files const& files = impl_->files;
    field_hasher& hasher = impl_->hasher;
    remains all;
    inspection found;
    std::error_code error;
    all.has_rows = false;
    if (fs::exists(files.database(), error)) {
        try {
            sqlite_database db(files.database(), open_mode::read_only);
            db.preserve();
            found = inspect(db, files, hasher);
            if (!found.key) return found.key.error();
            all.has_rows = true;
            all.entries = read_entries(db, hasher, found.content);
        } catch (database_error const& failed) {
            auto why = read_failure(files, failed);
            if (!failed.is_damage()) return why;
            all.broken_history = why.why();
        }
    }
    all.has_header = found.header.empty();
    auto backup = find_backup(files, hasher);
    if (!backup) return backup.error();
    if (*backup) {
        all.base = std::move(**backup);
    } else {
        all.backup = make_failure(
            messages::state_salvage_lost, {files.backups().string(), "it has no backup that passes every check"});
        all.base = all.backup.error();
    }
    all.in_rows = found.content.meta.sequence;
    all.last = all.in_rows;
    if (!all.entries.empty()) all.last = std::max(all.last, all.entries.back().content.sequence);
    if (auto const noted = commit_mark::read(files.mark()); noted && *noted)
        all.last = std::max(all.last, (*noted)->sequence);
    all.serial = static_cast<std::uint64_t>(found.content.meta.serial);
    if (all.base) {
        all.last = std::max(all.last, all.base->sequence);
        // No entry raises the serial by more than one.
        all.serial =
            std::max(all.serial, all.base->content.serial + static_cast<std::uint64_t>(all.last - all.base->sequence));
    }
    all.rows = std::move(found.content);
    return all;
}

auto sqlite_store::replace(remains const& all, recipe const& chosen) -> expected<restored_state>
{
    workspace_files const& files = impl_->files;
    workspace_files const draft = files.at(files.directory() / (".salvage-" + random_hex(8)));
    auto const failed_with = [&](std::string_view why) {
        return make_failure(messages::state_restore_failed, {draft.directory().string(), why});
    };
    auto const work = [&]() -> expected<restored_state> {
        try {
            if (auto const ok = build(chosen, all.serial + 1, draft); !ok) return ok.error();
            auto done = restore(files, draft.database());
            if (done) done->from = chosen.choice.from;
            return done;
        } catch (database_error const& failed) {
            return failed_with(failed.what());
        } catch (std::system_error const& failed) {
            return failed_with(failed.code().message());
        }
    };
    auto done = work();
    std::error_code ignored;
    fs::remove_all(draft.directory(), ignored);
    return done;
}

}  // namespace iacctl::state
