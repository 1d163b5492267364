// SPDX-License-Identifier: BSL-1.0
#include "salvage.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "check.hpp"
#include "commit_mark.hpp"
#include "history_rows.hpp"
#include "restore.hpp"
#include "sqlite_store.hpp"
#include "state/document/difference.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// All records that can be read from a damaged workspace.
struct remains {
    inspection rows;
    bool readable = false;  // the database, at least in parts
    std::vector<entry_row> entries;
    std::optional<infra::failure> broken_history;
    std::optional<known_backup> backup;
    infra::snapshot of_backup;
    std::int64_t last = 0;  // sequence of the last commit that is known
    std::uint64_t serial = 0;  // the largest that is known
};

// A choice, and the entries that lead to it from its base.
struct recipe {
    salvage_choice choice;
    bool on_backup = false;
    std::vector<infra::journal_entry> entries;
};

auto gather(workspace_files const& files) -> expected<remains>
{
    remains all;
    field_hasher hasher;
    std::error_code error;
    if (fs::exists(files.database(), error)) {
        try {
            sqlite_database db(files.database(), open_mode::read_only);
            db.preserve();
            all.rows = inspect(db, files, hasher);
            if (all.rows.locked) return *all.rows.locked;
            all.readable = true;
            all.entries = read_entries(db, hasher, all.rows.content);
        } catch (database_error const& failed) {
            auto why = read_failure(files, failed);
            if (!failed.is_damage()) return why;
            all.broken_history = std::move(why);
        }
    }
    for (known_backup& backup : backups_of(files, hasher)) {
        try {
            sqlite_database db(backup.file, open_mode::read_only);
            db.preserve();
            auto content = read_state(db, files, hasher);
            if (!content) continue;
            all.of_backup = std::move(content->snapshot);
            all.backup = std::move(backup);
            break;
        } catch (database_error const& failed) {
            if (!failed.is_damage()) return read_failure(files, failed);
        }
    }
    all.last = all.rows.content.meta.sequence;
    if (!all.entries.empty()) all.last = std::max(all.last, all.entries.back().content.sequence);
    if (auto const noted = commit_mark::read(files.mark()); noted && *noted)
        all.last = std::max(all.last, (*noted)->sequence);
    all.serial = static_cast<std::uint64_t>(all.rows.content.meta.serial);
    if (all.backup) {
        all.last = std::max(all.last, all.backup->meta.sequence);
        // No entry raises the serial by more than one.
        auto const later = static_cast<std::uint64_t>(all.last - all.backup->meta.sequence);
        all.serial = std::max(all.serial, all.of_backup.serial + later);
    }
    return all;
}

auto lines_of(std::set<std::string> const& changed, std::int64_t from, std::int64_t to) -> std::vector<std::string>
{
    std::vector<std::string> lines;
    if (from > to) return lines;
    lines.push_back(from == to ? "the change of entry " + std::to_string(to)
                               : "the changes of entries " + std::to_string(from) + " to " + std::to_string(to));
    for (std::string const& name : changed) lines.push_back("a change of " + name);
    return lines;
}

auto changed_after(remains const& all, std::int64_t sequence) -> std::set<std::string>
{
    std::set<std::string> changed;
    for (entry_row const& row : all.entries)
        if (row.content.sequence > sequence) changed.insert(row.address.empty() ? "outputs or checks" : row.address);
    return changed;
}

void judge(salvage_choice& choice, workspace_files const& files)
{
    auto wrong = infra::verify_integrity(choice.content);
    if (wrong.empty()) return;
    infra::diagnostics why = messages::make_error(
        messages::state_contradictory, {choice.from.string(), files.recovery_advice()}, wrong.front().address);
    why.add(std::move(wrong));
    choice.impossible = infra::failure(std::move(why));
}

auto from_rows(remains const& all, workspace_files const& files) -> recipe
{
    recipe made;
    salvage_choice& choice = made.choice;
    choice.source = salvage_source::rows;
    choice.from = files.database();
    if (!all.readable || all.rows.content.rows == 0) {
        choice.impossible = make_failure(
            messages::state_salvage_lost, {files.database().string(), "it has no record that can be read"});
        return made;
    }
    choice.content = all.rows.content.snapshot;
    if (!all.rows.header.empty()) {
        choice.losses.emplace_back("the lineage and the serial");
        choice.content.lineage = all.of_backup.lineage;
    }
    for (infra::diagnostic const& d : all.rows.damaged)
        choice.losses.push_back(d.address.empty() ? d.detail.substr(0, d.detail.find('\n')) : d.address);
    if (all.rows.damaged.empty() && !all.rows.complete)
        choice.losses.emplace_back("missing records, whose names are not known");
    auto const last = all.rows.content.meta.sequence;
    if (all.rows.header.empty())
        for (std::string& line : lines_of({}, last + 1, all.last)) choice.losses.push_back(std::move(line));
    judge(choice, files);
    made.entries = entries_between({}, choice.content);
    return made;
}

auto without_backup(salvage_source source, workspace_files const& files) -> recipe
{
    recipe made;
    made.choice.source = source;
    made.choice.impossible = make_failure(
        messages::state_salvage_lost, {files.backups().string(), "it has no backup that passes every check"});
    return made;
}

auto from_backup(remains const& all, workspace_files const& files) -> recipe
{
    if (!all.backup) return without_backup(salvage_source::backup, files);
    recipe made;
    made.on_backup = true;
    made.choice.source = salvage_source::backup;
    made.choice.from = all.backup->file;
    made.choice.content = all.of_backup;
    auto const at = all.backup->meta.sequence;
    made.choice.losses = lines_of(changed_after(all, at), at + 1, all.last);
    return made;
}

auto from_replay(remains const& all, workspace_files const& files) -> recipe
{
    if (!all.backup) return without_backup(salvage_source::replay, files);
    recipe made;
    made.on_backup = true;
    salvage_choice& choice = made.choice;
    choice.source = salvage_source::replay;
    choice.from = all.backup->file;
    choice.content = all.of_backup;
    std::int64_t last = all.backup->meta.sequence;
    for (entry_row const& row : all.entries) {
        if (row.content.sequence <= last) continue;
        // An entry that does not fit changes nothing.
        bool const fits = row.content.sequence == last + 1 && !row.damaged && replay(choice.content, row.content.entry);
        if (!fits) break;
        made.entries.push_back(row.content.entry);
        last = row.content.sequence;
    }
    if (made.entries.empty() && all.last > last) {
        std::string const why = all.broken_history ? all.broken_history->why().front().detail
                                                   : "entry " + std::to_string(last + 1) + " cannot be read";
        choice.impossible =
            make_failure(messages::state_salvage_lost, {files.database().string(), why.substr(0, why.find('\n'))});
        return made;
    }
    choice.losses = lines_of(changed_after(all, last), last + 1, all.last);
    judge(choice, files);
    return made;
}

auto recipes(remains const& all, workspace_files const& files) -> std::vector<recipe>
{
    std::vector<recipe> made;
    made.push_back(from_rows(all, files));
    made.push_back(from_backup(all, files));
    made.push_back(from_replay(all, files));
    return made;
}

// Creates a separate workspace with the state of the recipe.
auto build(recipe const& r, std::uint64_t serial, workspace_files const& draft) -> expected<void>
{
    if (auto const ok = draft.make(); !ok) return ok.error();
    if (r.on_backup) {
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

auto salvage_choices(workspace_files const& files) -> expected<std::vector<salvage_choice>>
{
    auto const checked = verify_workspace(files);
    if (!checked) return checked.error();
    if (checked->passed()) return make_failure(messages::state_is_sound, {files.database().string()});
    auto const all = gather(files);
    if (!all) return all.error();
    std::vector<salvage_choice> choices;
    for (recipe& made : recipes(*all, files)) choices.push_back(std::move(made.choice));
    return choices;
}

auto salvage(workspace_files const& files, salvage_source from) -> expected<restored_state>
{
    auto const checked = verify_workspace(files);
    if (!checked) return checked.error();
    if (checked->passed()) return make_failure(messages::state_is_sound, {files.database().string()});
    auto const all = gather(files);
    if (!all) return all.error();
    auto const made = recipes(*all, files);
    recipe const& chosen = made[static_cast<std::size_t>(from)];
    if (chosen.choice.impossible) return *chosen.choice.impossible;

    workspace_files const draft = files.at(files.directory() / (".salvage-" + random_hex(8)));
    std::error_code ignored;
    auto const finish = [&](expected<restored_state> result) {
        fs::remove_all(draft.directory(), ignored);
        return result;
    };
    try {
        if (auto const failed = build(chosen, all->serial + 1, draft)) return finish(*failed);
        auto done = restore(files, draft.database());
        if (done) done->from = chosen.choice.from;
        return finish(std::move(done));
    } catch (database_error const& failed) {
        return finish(make_failure(messages::state_restore_failed, {draft.directory().string(), failed.what()}));
    } catch (fs::filesystem_error const& failed) {
        return finish(
            make_failure(messages::state_restore_failed, {draft.directory().string(), failed.code().message()}));
    } catch (std::system_error const& failed) {
        return finish(
            make_failure(messages::state_restore_failed, {draft.directory().string(), failed.code().message()}));
    }
}

}  // namespace iacctl::state
