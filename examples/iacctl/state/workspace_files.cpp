// SPDX-License-Identifier: BSL-1.0
#include "workspace_files.hpp"

#include "database.hpp"
#include "files.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

auto workspace_files::look() const -> checked<condition>
{
    std::error_code error;
    auto const size = fs::file_size(database(), error);
    if (!error) return size == 0 ? condition::lost : condition::present;
    if (error != std::errc::no_such_file_or_directory)
        return make_failure(state_error::unreadable, database().string() + ": " + error.message() + ".");
    for (fs::path const& trace : {lock(), backups(), spool(), log()}) {
        bool const found = fs::exists(fs::symlink_status(trace, error));
        if (error && error != std::errc::no_such_file_or_directory)
            return make_failure(state_error::unreadable, trace.string() + ": " + error.message() + ".");
        if (found) return condition::lost;
    }
    return condition::never_made;
}

auto workspace_files::make() const -> std::optional<infra::failure>
{
    auto const found = look();
    if (!found) return found.error();
    if (*found == condition::present) return std::nullopt;
    if (*found == condition::lost) return lost_database();

    fs::path const parent = directory_.parent_path().empty() ? "." : directory_.parent_path();
    fs::path const draft = parent / (".new-" + directory_.filename().string() + "-" + random_hex(8));
    std::error_code error;
    std::string why;
    try {
        fs::create_directories(parent);
        workspace_files const made(draft);
        fs::create_directory(draft);
        fs::create_directory(made.backups());
        fs::create_directory(made.spool());
        file_descriptor const lock_file(::open(made.lock().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!lock_file) throw std::system_error(errno, std::generic_category());
        database::make(made.database());
        if (auto const unsaved = sync_file(made.database())) throw std::system_error(unsaved);
        if (auto const unsaved = sync_directory(draft)) throw std::system_error(unsaved);
        fs::rename(draft, directory_, error);
        if (!error) {
            if (auto const unsaved = sync_directory(parent)) throw std::system_error(unsaved);
            return std::nullopt;
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
    // Another process may have been faster.
    auto const now = look();
    if (now && *now == condition::present) return std::nullopt;
    return make_failure(
        state_error::not_writable, "The workspace " + directory_.string() + " could not be made: " + why + ".");
}

auto workspace_files::lost_database() const -> infra::failure
{
    std::error_code error;
    bool const empty = fs::exists(database(), error);
    return make_failure(state_error::damaged,
        "The database " + database().string() + (empty ? " is empty" : " is missing")
            + ", but its directory shows that there was state here. Taking this for \"no state\" would create "
              "everything a second time.\n\n"
            + way_back() + " If there is truly nothing to keep, delete the directory " + directory_.string() + ".");
}

auto workspace_files::way_back() const -> std::string
{
    std::error_code error;
    fs::path newest;
    for (fs::directory_iterator it(backups(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".db" && it->path().filename() > newest.filename()) newest = it->path();
    std::string const files = database().string();
    if (newest.empty()) return "Nothing was changed. There is no backup in " + backups().string() + ".";
    return "Nothing was changed. To go back to the state before the last command that was backed up, move " + files
        + " (with the files " + files + "-wal and " + files + "-shm, if there are any) to another place and copy "
        + newest.string() + " to " + files + ".";
}

}  // namespace iacctl::state
