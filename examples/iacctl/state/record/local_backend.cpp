// SPDX-License-Identifier: BSL-1.0
#include "local_backend.hpp"

#include "messages/state.hpp"
#include "restore.hpp"
#include "sqlite_store.hpp"
#include "state/workspace_name.hpp"
#include "workspace_files.hpp"
#include "workspace_lock.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// A lock that the stores of the same backend can access.
class shared_lock final : public held_lock {
public:
    explicit shared_lock(std::shared_ptr<workspace_lock> held) : held_(std::move(held)) {}

    [[nodiscard]] auto exchange(lock_request const& requested) -> expected<void> override
    {
        return held_->exchange(requested);
    }
    [[nodiscard]] auto check(lock_request requested, std::function<state_parts()> const& parts)
        -> expected<void> override
    {
        return held_->check(std::move(requested), parts);
    }

private:
    std::shared_ptr<workspace_lock> held_;
};

}  // namespace

local_backend::local_backend(fs::path const& configuration, std::shared_ptr<encryption::target const> sealed_with)
    : of_default_(configuration == "." ? fs::path(workspaces_directory) : configuration / workspaces_directory),
      of_others_(of_default_),
      encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
{}

local_backend::local_backend(
    fs::path of_default, fs::path of_others, std::shared_ptr<encryption::target const> sealed_with)
    : of_default_(std::move(of_default)),
      of_others_(std::move(of_others)),
      encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
{}

auto local_backend::files_of(std::string const& workspace) const -> workspace_files
{
    return workspace_files(local_directory(workspace), encryption_);
}

auto local_backend::restore(std::string const& workspace, fs::path const& from) const -> expected<restored_state>
{
    return state::restore(files_of(workspace), from);
}

auto local_backend::workspaces() const -> expected<std::vector<std::string>>
{
    std::vector<std::string> all;
    std::error_code error;
    for (fs::directory_iterator at(of_others_, error), end; !error && at != end; at.increment(error)) {
        auto name = at->path().filename().string();
        auto const found = workspace_files(at->path()).look();
        bool const has_state = found && *found != workspace_files::condition::never_made;
        if (name != default_workspace && is_workspace_name(name) && has_state) all.push_back(std::move(name));
    }
    std::ranges::sort(all);
    all.emplace(all.begin(), default_workspace);
    return all;
}

auto local_backend::exists(std::string const& workspace) const -> expected<bool>
{
    auto const found = workspace_files(local_directory(workspace)).look();
    if (!found) return found.error();
    return *found != workspace_files::condition::never_made;
}

auto local_backend::make(std::string const& workspace) const -> expected<void>
{
    return workspace_files(local_directory(workspace)).make();
}

auto local_backend::remove(std::string const& workspace) const -> expected<void>
{
    // Renamed first, so that other processes never find a part of it.
    std::error_code error;
    auto const directory = local_directory(workspace);
    auto const gone = directory.parent_path() / (".deleted-" + workspace);
    fs::remove_all(gone, error);
    fs::rename(directory, gone, error);
    if (error) return make_failure(messages::workspace_not_deleted, {workspace, directory.string(), error.message()});
    fs::remove_all(gone, error);
    return {};
}

auto local_backend::open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store>
{
    return std::make_unique<sqlite_store>(files_of(workspace), mode, own_lock(workspace));
}

auto local_backend::own_lock(std::string const& workspace) const -> std::weak_ptr<workspace_lock const>
{
    auto const found = own_locks_.find(workspace);
    return found == own_locks_.end() ? std::weak_ptr<workspace_lock const>() : found->second;
}

auto local_backend::lock(std::string const& workspace, lock_request const& requested) const
    -> expected<std::unique_ptr<held_lock>>
{
    auto held = workspace_lock::acquire(local_directory(workspace), requested);
    if (!held) return held.error();
    std::shared_ptr<workspace_lock> lock = std::move(*held);
    own_locks_.insert_or_assign(workspace, lock);
    return std::unique_ptr<held_lock>(std::make_unique<shared_lock>(std::move(lock)));
}

auto local_backend::is_locked(std::string const& workspace) const -> bool
{
    return state::is_locked(local_directory(workspace));
}

auto local_backend::holder(std::string const& workspace) const -> std::optional<std::string>
{
    auto const found = read_holder(local_directory(workspace));
    return found ? std::optional(found->phrase()) : std::nullopt;
}

auto local_backend::locks(std::string const& workspace) const -> expected<std::vector<lock_description>>
{
    return locks_of_others(local_directory(workspace), own_lock(workspace).lock().get());
}

auto local_backend::lock_failure(std::string const& workspace, std::string const& operations) const -> infra::failure
{
    return state::lock_failure(local_directory(workspace), operations);
}

auto local_backend::force_unlock(std::string const& workspace, std::string const&) const -> expected<void>
{
    if (is_locked(workspace)) return lock_failure(workspace, {});
    return make_failure(messages::state_not_locked, {workspace});
}

auto local_backend::salvage_choices(std::string const& workspace) const -> expected<std::vector<salvage_choice>>
{
    return sqlite_store(files_of(workspace), open_mode::read_only).salvage_choices();
}

auto local_backend::salvage(std::string const& workspace, salvage_source from) const -> expected<restored_state>
{
    if (is_about_server(from)) return make_failure(messages::state_salvage_not_offered, {type(), to_string(from)});
    return sqlite_store(files_of(workspace), open_mode::read_write).salvage(from);
}

auto local_backend::local_directory(std::string const& workspace) const -> fs::path
{
    return (workspace == default_workspace ? of_default_ : of_others_) / workspace;
}

}  // namespace iacctl::state
