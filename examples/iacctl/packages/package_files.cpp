// SPDX-License-Identifier: BSL-1.0
#include "package_files.hpp"

#include "base/durable_file.hpp"
#include "base/last_error.hpp"
#include "base/random.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

auto unwritable(fs::path const& place, error_code error) -> infra::diagnostics
{
    if (!error) return {};
    return {messages::make_error(messages::package_file_unwritable, {place.string(), error.message()})};
}

// Renames the file or directory at a place, if there is one. \return its new name
auto moved_away(fs::path const& place) -> fs::path
{
    fs::path const away = place.parent_path() / (scratch_directory::prefix + random_hex(16));
    return ::rename(place.c_str(), away.c_str()) == 0 ? away : fs::path();
}

}  // namespace

auto files_below(fs::path const& directory) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& entry : fs::recursive_directory_iterator(directory))
        if (entry.is_symlink() || !entry.is_directory())
            names.push_back(entry.path().lexically_relative(directory).generic_string());
    std::ranges::sort(names);
    return names;
}

scratch_directory::scratch_directory(fs::path const& in) : path_(in / (prefix + random_hex(16)))
{
    throw_on(make_private_directories(path_));
}

scratch_directory::~scratch_directory()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

auto publish_directory(fs::path const& made, fs::path const& place) -> infra::diagnostics
{
    if (auto const error = make_private_directories(place.parent_path())) return unwritable(place, error);
    if (auto const error = sync_file_system(made)) return unwritable(place, error);
    // A rename replaces an empty directory only.
    auto const previous = moved_away(place);
    if (::rename(made.c_str(), place.c_str()) != 0) return unwritable(place, last_error());
    std::error_code ignored;
    if (!previous.empty()) fs::remove_all(previous, ignored);
    return unwritable(place, sync_directory(place.parent_path()));
}

auto publish_link(fs::path const& target, fs::path const& place) -> infra::diagnostics
{
    if (auto const error = make_private_directories(place.parent_path())) return unwritable(place, error);
    auto const previous = moved_away(place);
    if (::symlink(target.c_str(), place.c_str()) != 0) return unwritable(place, last_error());
    std::error_code ignored;
    if (!previous.empty()) fs::remove_all(previous, ignored);
    return unwritable(place, sync_directory(place.parent_path()));
}

auto check_links(fs::path const& directory) -> infra::diagnostics
{
    std::error_code error;
    auto const root = fs::canonical(directory, error);
    fs::recursive_directory_iterator entries(root, error);
    for (fs::recursive_directory_iterator const end; !error && entries != end; entries.increment(error)) {
        std::error_code unresolved;
        if (!entries->is_symlink(unresolved)) continue;
        auto const inside = fs::weakly_canonical(entries->path(), unresolved).lexically_relative(root);
        if (unresolved || inside.empty() || *inside.begin() == "..")
            return {messages::make_error(
                messages::link_leaves_package, {entries->path().lexically_relative(root).generic_string()})};
    }
    if (error) return {messages::make_error(messages::package_file_unreadable, {directory.string(), error.message()})};
    return {};
}

directory_guard::directory_guard(fs::path const& directory)
{
    throw_on(make_private_directories(directory));
    fd_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // On a file system without such locks, concurrent processes are not excluded.
    if (fd_ < 0 || ::flock(fd_, LOCK_EX) != 0) return;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entries(directory, ignored), end; !ignored && entries != end;
        entries.increment(ignored)) {
        if (!entries->path().filename().string().starts_with(scratch_directory::prefix)) continue;
        if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) entries.disable_recursion_pending();
        std::error_code unremoved;
        fs::remove_all(entries->path(), unremoved);
    }
}

directory_guard::~directory_guard()
{
    if (fd_ >= 0) ::close(fd_);
}

}  // namespace iacctl::packages
