// SPDX-License-Identifier: BSL-1.0
#include "workspace_files.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "commit_mark.hpp"
#include "sqlite_database.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// Returns whether the directory belongs to this program: ".iacctl", or "terraform.tfstate.iacctl" for a state with this
// name.
auto is_workspaces_directory(fs::path const& directory) -> bool
{
    return directory.filename().string().ends_with(workspaces_directory);
}

}  // namespace

auto keep_out_of_version_control(fs::path const& directory) -> error_code
{
    std::error_code error;
    fs::path const file = directory / ".gitignore";
    if (!is_workspaces_directory(directory) || fs::exists(fs::symlink_status(file, error))) return {};
    auto const failed = write_new_file(file, "*\n");
    bool const other_was_faster = failed == boost::system::errc::file_exists;
    return other_was_faster ? error_code() : failed;
}

auto workspace_files::look() const -> expected<condition>
{
    std::error_code error;
    auto const size = fs::file_size(database(), error);
    if (!error) return size == 0 ? condition::lost : condition::present;
    if (error != std::errc::no_such_file_or_directory)
        return make_failure(messages::state_unreadable, {database().string(), error.message()});
    for (fs::path const& trace : {lock(), backups(), spool(), log(), mark()}) {
        bool const found = fs::exists(fs::symlink_status(trace, error));
        if (error && error != std::errc::no_such_file_or_directory)
            return make_failure(messages::state_unreadable, {trace.string(), error.message()});
        if (!found) continue;
        // Another process may have created the workspace, atomically, since this one looked for the database.
        auto const now = fs::file_size(database(), error);
        return !error && now > 0 ? condition::present : condition::lost;
    }
    return condition::never_made;
}

auto workspace_files::make() const -> expected<void>
{
    auto const found = look();
    if (!found) return found.error();
    if (*found == condition::present) return {};
    if (*found == condition::lost) return lost_database();

    fs::path const parent = directory_.parent_path().empty() ? "." : directory_.parent_path();
    fs::path const draft = parent / (".new-" + directory_.filename().string() + "-" + random_hex(8));
    std::error_code error;
    std::string why;
    try {
        throw_on(make_private_directories(parent));
        (void)keep_out_of_version_control(parent);
        workspace_files const made(draft);
        for (fs::path const& one : {draft, made.backups(), made.spool()}) throw_on(make_private_directories(one));
        throw_on(make_private_file(made.lock()));
        sqlite_database::make(made.database());
        throw_on(sync_file(made.database()));
        throw_on(commit_mark::make(made.mark(), {}));
        throw_on(sync_directory(draft));
        fs::rename(draft, directory_, error);
        if (!error) {
            throw_on(sync_directory(parent));
            return {};
        }
        why = error.message();
    } catch (fs::filesystem_error const& failed) {
        why = failed.code().message();
    } catch (std::system_error const& failed) {
        why = failed.code().message();
    } catch (database_error const& failed) {
        why = failed.what();
    }
    fs::remove_all(draft, error);
    // Another process may have created it first.
    auto const now = look();
    if (now && *now == condition::present) return {};
    return make_failure(messages::state_workspace_not_made, {directory_.string(), why});
}

auto workspace_files::lost_database() const -> infra::failure
{
    return make_failure(messages::state_database_lost, {database().string(), directory_.string(), recovery_advice()});
}

auto workspace_files::newest_backup() const -> fs::path
{
    std::error_code error;
    fs::path newest;
    for (fs::directory_iterator it(backups(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".db" && it->path().filename() > newest.filename()) newest = it->path();
    return newest;
}

auto workspace_files::recovery_advice() const -> std::string
{
    fs::path const newest = newest_backup();
    if (newest.empty()) return "Nothing was changed. There is no backup in " + backups().string() + ".";
    return "Nothing was changed. To restore the newest backup:\n\n"
           "    iacctl state restore "
        + newest.string() + "\n\nThe replaced files are kept.";
}

void workspace_files::protect() const
{
    fs::path const parent = directory_.parent_path();
    std::error_code ignored;
    auto const close = [&](fs::path const& file) {
        auto const about = fs::symlink_status(file, ignored);
        if (about.type() != fs::file_type::directory && about.type() != fs::file_type::regular) return;
        fs::permissions(file, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove, ignored);
    };
    if (is_workspaces_directory(parent)) close(parent);
    close(directory_);
    for (fs::recursive_directory_iterator it(directory_, ignored), end; !ignored && it != end; it.increment(ignored))
        close(it->path());
    (void)keep_out_of_version_control(parent);
}

}  // namespace iacctl::state
