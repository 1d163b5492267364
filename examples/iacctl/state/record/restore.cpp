// SPDX-License-Identifier: BSL-1.0
#include "restore.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "check.hpp"
#include "commit_mark.hpp"
#include "sqlite_database.hpp"
#include "wal_check.hpp"
#include "workspace_files.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

auto read_copy(fs::path const& draft, workspace_files const& files) -> expected<state_content>
{
    sqlite_database copy(draft, open_mode::read_write);
    field_hasher hasher;
    return read_state(copy, files, hasher);
}

// Makes a copy of a database without its log. Returns its content; nothing if it does not pass every check.
auto copy_without_log(fs::path const& from, fs::path const& copy, workspace_files const& files)
    -> std::optional<state_content>
{
    std::error_code error;
    if (!fs::copy_file(from, copy, error)) return std::nullopt;
    try {
        if (auto content = read_copy(copy, files)) return std::move(*content);
    } catch (database_error const&) {
        // The copy with the log has the reason.
    }
    return std::nullopt;
}

// Makes a copy that passes every check, or returns the reason why it does not.
auto copy_checked(fs::path const& from, fs::path const& draft, workspace_files const& files) -> expected<state_content>
{
    {
        sqlite_database source(from, open_mode::read_only);
        source.preserve();
        source.copy_to(draft);
    }
    auto content = read_copy(draft, files);
    if (fs::exists(from.string() + "-wal")) {
        // If only a part of the log can be read, the database may nevertheless contain all of its transactions. The
        // part then has older pages.
        fs::path const alone = draft.string() + "-alone";
        auto of_database = copy_without_log(from, alone, files);
        if (of_database && (!content || !content->meta.point().covers(of_database->meta.point()))) {
            fs::rename(alone, draft);
            content = std::move(*of_database);
        }
        std::error_code ignored;
        fs::remove(alone, ignored);
    }
    if (content) return content;
    infra::failure const why = content.error();
    if (kind_of(why) != state_error::damaged) return why;
    infra::diagnostic const& first = why.why().front();
    return make_failure(
        messages::state_backup_damaged, {from.string(), first.address.empty() ? first.code : first.address});
}

// Another name for a file, or a copy where the file system has no links.
void keep(fs::path const& file, fs::path const& to)
{
    std::error_code no_link;
    fs::create_hard_link(file, to, no_link);
    if (!no_link) return;
    fs::copy_file(file, to);
    throw_on(sync_file(to));
}

// Copies the log into the database, by way of a draft. The log remains, and has no further changes: it can be removed without a
// loss. Does nothing if SQLite cannot read them, or if the log is damaged: its readable part may have older pages than the
// database.
void fold_log(workspace_files const& files, fs::path const& draft)
{
    fs::path const log = draft.string() + "-wal";
    std::error_code none;
    if (fs::file_size(files.log(), none) == 0 || none || find_wal_damage(files.log())) return;
    try {
        fs::copy_file(files.database(), draft);
        fs::copy_file(files.log(), log);
        // The last connection copies the log when it is closed, if it has read the database.
        (void)sqlite_database(draft, open_mode::read_write).pragma("user_version");
        throw_on(sync_file(draft));
        if (!fs::exists(log)) fs::rename(draft, files.database());
    } catch (database_error const& failed) {
        if (!failed.is_damage()) throw;
    }
    for (std::string_view const suffix : {"", "-wal", "-shm"}) fs::remove(draft.string().append(suffix));
}

// Replaces the database in one step: at each moment the files have the old state or the new one. The old files are kept.
void replace_database(workspace_files const& files, fs::path const& by, fs::path const& kept)
{
    fs::path const index = files.database().string() + "-shm";
    throw_on(make_private_directories(kept));
    for (fs::path const& file : {files.database(), files.log(), index})
        if (fs::exists(fs::symlink_status(file))) keep(file, kept / file.filename());
    throw_on(sync_directory(kept));
    throw_on(sync_directory(files.directory()));
    if (fs::exists(files.database())) fold_log(files, files.directory() / (".draft-" + random_hex(8)));
    throw_on(sync_directory(files.directory()));
    // SQLite would apply the log to any database beside it.
    fs::remove(files.log());
    fs::remove(index);
    throw_on(sync_directory(files.directory()));
    fs::rename(by, files.database());
    throw_on(sync_directory(files.directory()));
}

}  // namespace

auto restore(workspace_files const& files, fs::path from) -> expected<restored_state>
{
    if (from.empty()) from = files.newest_backup();
    if (from.empty()) return make_failure(messages::state_no_backup, {files.backups().string()});
    std::error_code error;
    if (!fs::is_regular_file(from, error) || fs::file_size(from, error) == 0) {
        if (error) return make_failure(messages::state_backup_unreadable, {from.string(), error.message()});
        return make_failure(messages::state_backup_empty, {from.string()});
    }

    std::string const stamp = timestamp::now().compact_text();
    restored_state done{from, files.directory() / ("replaced-" + stamp + "-" + random_hex(4))};
    fs::path const draft = files.directory() / (".draft-" + random_hex(8));
    try {
        auto const content = copy_checked(from, draft, files);
        if (!content) {
            fs::remove(draft, error);
            return content.error();
        }
        throw_on(sync_file(draft));
        replace_database(files, draft, done.replaced);
        // Until the mark is written, it is that of the old database.
        throw_on(commit_mark::make(files.mark(), content->meta.point()));
        throw_on(sync_directory(files.directory()));
        done.serial = content->snapshot.serial;
        done.resources = content->snapshot.resources.size();
        done.pending = content->snapshot.pending.size();
        return done;
    } catch (database_error const& failed) {
        fs::remove(draft, error);
        return make_failure(failed.is_damage() ? messages::state_backup_damaged : messages::state_backup_unreadable,
            {from.string(), failed.what()});
    } catch (std::system_error const& failed) {
        fs::remove(draft, error);
        return make_failure(messages::state_restore_failed, {files.directory().string(), failed.code().message()});
    }
}

}  // namespace iacctl::state
