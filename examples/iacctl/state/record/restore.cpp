// SPDX-License-Identifier: BSL-1.0
#include "restore.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "check.hpp"
#include "commit_mark.hpp"
#include "sqlite_database.hpp"
#include "workspace_files.hpp"

#include <algorithm>
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

// Makes a copy that passes every check, or returns the reason why it does not.
auto copy_checked(fs::path const& from, fs::path const& draft, workspace_files const& files) -> expected<state_content>
{
    {
        sqlite_database source(from, open_mode::read_only);
        source.preserve();
        source.copy_to(draft);
    }
    auto content = read_copy(draft, files);
    if (!content && fs::exists(from.string() + "-wal")) {
        // If only a part of the log can be read, the database may nevertheless contain all of its transactions.
        fs::copy_file(from, draft, fs::copy_options::overwrite_existing);
        content = read_copy(draft, files);
    }
    if (content) return content;
    infra::failure const why = content.error();
    if (kind_of(why) != state_error::damaged) return why;
    infra::diagnostic const& first = why.why().front();
    return make_failure(
        messages::state_backup_damaged, {from.string(), first.address.empty() ? first.code : first.address});
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
        throw_on(make_private_directories(done.replaced));
        // The log is moved first, because SQLite would apply it to any database beside it. Until the mark is written,
        // the mark is that of the old database.
        for (fs::path const& file : {files.log(), fs::path(files.database().string() + "-shm"), files.database()})
            if (fs::exists(fs::symlink_status(file))) fs::rename(file, done.replaced / file.filename());
        fs::rename(draft, files.database());
        throw_on(sync_directory(done.replaced));
        throw_on(sync_directory(files.directory()));
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
