// SPDX-License-Identifier: BSL-1.0
#include "file_state.hpp"

#include "base/durable_file.hpp"
#include "base/file_descriptor.hpp"
#include "base/input_file.hpp"
#include "base/shell_words.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/workspace_name.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace iacctl::backends {

namespace fs = std::filesystem;

using state::make_failure;

namespace {

auto read_document(fs::path const& file) -> expected<std::optional<std::string>>
{
    auto text = read_input(file);
    if (!text && is_missing(text.error())) return std::optional<std::string>();
    if (!text) return make_failure(messages::state_unreadable, {file.string(), text.error().message()});
    if (text->empty()) return std::optional<std::string>();
    return std::optional(std::move(*text));
}

auto directory_of(fs::path const& file) -> fs::path
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The file to which a symbolic link leads, so that writing keeps the link. A link to a descriptor of this process is
// not followed.
auto target_of(fs::path const& file) -> fs::path
{
    std::error_code error;
    auto const link = fs::read_symlink(file, error);
    if (error || link.native().starts_with("/proc/")) return file;
    auto target = fs::canonical(file, error);
    return error ? file : target;
}

// \param lock  the held lock of the file, which the new file receives; null: none
auto write_document(fs::path const& file, std::string const& text, file_descriptor* lock = nullptr) -> expected<void>
{
    auto const target = target_of(file);
    error_code error = make_private_directories(directory_of(target));
    if (!error) error = lock == nullptr ? replace_file(target, text) : replace_locked_file(target, text, *lock);
    if (!error) error = sync_directory(directory_of(target));
    if (error) return make_failure(messages::state_file_not_written, {file.string(), error.message()});
    return {};
}

// Returns the failure if `write_document` cannot write the file. Its directory is created if it is missing.
auto check_document(fs::path const& file) -> expected<void>
{
    auto const target = target_of(file);
    error_code error = make_private_directories(directory_of(target));
    if (!error) error = check_replaceable(target);
    if (error) return make_failure(messages::state_not_writable, {file.string(), error.message()});
    return {};
}

// Returns whether a path leads to an open file. Another process may have replaced or deleted the file since.
auto leads_to(fs::path const& file, int fd) -> bool
{
    struct stat opened{};
    struct stat there{};
    return ::fstat(fd, &opened) == 0 && ::stat(file.c_str(), &there) == 0 && opened.st_dev == there.st_dev
        && opened.st_ino == there.st_ino;
}

// Returns whether a process holds the lock of a file to change it.
auto is_being_changed(fs::path const& file) -> bool
{
    file_descriptor const fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct flock wanted{};
    wanted.l_type = F_RDLCK;
    wanted.l_whence = SEEK_SET;
    return fd && ::fcntl(fd.get(), F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

// Terraform's description of a lock, beside the locked file.
auto info_file(fs::path const& file) -> fs::path
{
    auto name = file.filename().string();
    if (name.starts_with('.')) name.erase(0, 1);
    return file.parent_path() / ("." + name + ".lock.info");
}

auto read_info(fs::path const& file) -> std::optional<lock_info>
{
    auto const text = read_input(info_file(file));
    return text ? lock_info::parse(*text) : std::nullopt;
}

// The holder of a lock, which may not have described itself yet.
auto holder_of(fs::path const& file) -> lock_info
{
    lock_info unknown;
    unknown.who = "unknown";
    return read_info(file).value_or(unknown);
}

// A file and its lock. On destruction, the lock ends, and the file is deleted if it was created for the lock and is
// still empty.
class locked_file {
public:
    // \param fd  has the lock; without a descriptor there is nothing to lock: no file, a device or a pipe
    locked_file(fs::path path, file_descriptor fd, bool made) : path_(std::move(path)), fd_(std::move(fd)), made_(made)
    {}
    locked_file(locked_file&&) = default;
    auto operator=(locked_file&&) -> locked_file& = default;
    ~locked_file()
    {
        struct stat now{};
        if (made_ && fd_ && ::fstat(fd_.get(), &now) == 0 && now.st_size == 0 && leads_to(path_, fd_.get()))
            ::unlink(path_.c_str());
    }

    [[nodiscard]] auto path() const noexcept -> fs::path const& { return path_; }
    [[nodiscard]] auto descriptor() noexcept -> file_descriptor& { return fd_; }

private:
    fs::path path_;
    file_descriptor fd_;
    bool made_;
};

// Makes one attempt to lock a file. With F_WRLCK, a missing file is created, as Terraform does.
// \return nothing if another process has a lock that excludes this one
auto try_lock(fs::path const& file, short type) -> expected<std::optional<locked_file>>
{
    bool const writes = type == F_WRLCK;
    auto const refused = [&](error_code why) {
        return make_failure(
            writes ? messages::state_not_writable : messages::state_unreadable, {file.string(), why.message()});
    };
    int const flags = (writes ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    for (bool made = false;;) {
        file_descriptor fd(::open(file.c_str(), flags));
        if (!fd && !writes && (errno == ENOENT || errno == ENOTDIR))
            return std::optional(locked_file(file, file_descriptor(), false));
        if (!fd && errno == ENOENT) {
            if (auto const error = make_private_directories(directory_of(file))) return refused(error);
            fd = file_descriptor(::open(file.c_str(), flags | O_CREAT, 0600));
            made = true;
        }
        struct stat opened{};
        if (!fd || ::fstat(fd.get(), &opened) != 0) return refused(last_error());
        if (!S_ISREG(opened.st_mode)) return std::optional(locked_file(file, file_descriptor(), false));
        auto const error = lock_whole_file(fd.get(), type);
        if (error.value() == EAGAIN || error.value() == EACCES) return std::optional<locked_file>();
        if (error) return refused(error);
        // The last holder may have replaced or deleted the file after it was opened here.
        if (!leads_to(file, fd.get())) continue;
        // The mirror will name this content, which a process that was killed may not have synchronized.
        if (writes && ::fsync(fd.get()) != 0) return refused(last_error());
        if (writes)
            if (auto const unnamed = sync_directory(directory_of(file))) return refused(unnamed);
        return std::optional(locked_file(file, std::move(fd), made));
    }
}

class file_state : public state_client {
public:
    explicit file_state(state::terraform_state_paths places) : places_(std::move(places)) {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "local"; }
    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string override
    {
        return file_of(workspace).string();
    }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        std::vector<std::string> all;
        std::error_code error;
        fs::directory_iterator at(places_.workspace_dir, error);
        for (fs::directory_iterator const end; !error && at != end; at.increment(error)) {
            auto name = at->path().filename().string();
            std::error_code ignored;
            if (name != state::default_workspace && state::is_workspace_name(name)
                && fs::is_regular_file(file_of(name), ignored))
                all.push_back(std::move(name));
        }
        if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
            return make_failure(messages::state_unreadable, {places_.workspace_dir.string(), error.message()});
        std::ranges::sort(all);
        all.emplace(all.begin(), state::default_workspace);
        return all;
    }

    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>> override
    {
        return read_document(file_of(workspace));
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const&)
        -> expected<void> override
    {
        return write_document(file_of(workspace), text);
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> expected<void> override
    {
        std::error_code error;
        fs::remove(file_of(workspace), error);
        if (error) return make_failure(messages::state_not_writable, {place_of(workspace), error.message()});
        return {};
    }

    [[nodiscard]] auto may_go_back() const noexcept -> bool override { return true; }
    [[nodiscard]] auto can_lock() const noexcept -> bool override { return true; }
    [[nodiscard]] auto lock_outlasts_process() const noexcept -> bool override { return false; }
    [[nodiscard]] auto can_force_unlock() const noexcept -> bool override { return false; }
    // These files are only read. A read lock excludes a terraform, and needs no write permission.
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        return lock_to_read(workspace, as);
    }
    [[nodiscard]] auto lock_to_read(std::string const& workspace, lock_info const& as)
        -> expected<lock_attempt> override
    {
        std::vector<locked_file> held;
        auto const file = file_of(workspace);
        auto taken = add_lock(held, file, F_RDLCK);
        if (!taken) return taken.error();
        return *taken ? keep(workspace, std::move(held), as) : lock_attempt{false, holder_of(file)};
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const& info) -> expected<void> override
    {
        auto const held = locks_.find(workspace);
        if (held == locks_.end()) return {};
        // Another process that only reads may have described its lock there since.
        auto const& file = held->second.front().path();
        std::error_code ignored;
        if (auto const there = read_info(file); there && there->id == info.id) fs::remove(info_file(file), ignored);
        locks_.erase(held);
        return {};
    }
    // The holder that changes the state. A description without its lock is of a process that has ended.
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        auto const file = written_file_of(workspace);
        return is_being_changed(file) ? std::optional(holder_of(file)) : std::nullopt;
    }

protected:
    // Adds the lock of a file to the held ones. \return false if another process has a lock that excludes this one
    [[nodiscard]] static auto add_lock(std::vector<locked_file>& to, fs::path const& file, short type) -> expected<bool>
    {
        auto taken = try_lock(file, type);
        if (!taken) return taken.error();
        if (*taken) to.push_back(std::move(**taken));
        return taken->has_value();
    }
    auto keep(std::string const& workspace, std::vector<locked_file> held, lock_info const& as) -> lock_attempt
    {
        auto& kept = locks_.insert_or_assign(workspace, std::move(held)).first->second;
        // For the message of another process that finds the file locked.
        if (kept.front().descriptor()) (void)replace_file(info_file(kept.front().path()), as.text());
        return {true, std::nullopt};
    }
    // The held lock of the file that is written; null: none.
    [[nodiscard]] auto lock_of(std::string const& workspace) -> file_descriptor*
    {
        auto const held = locks_.find(workspace);
        if (held == locks_.end() || !held->second.front().descriptor()) return nullptr;
        return &held->second.front().descriptor();
    }

private:
    [[nodiscard]] virtual auto file_of(std::string const& workspace) const -> fs::path
    {
        return places_.file_of(workspace);
    }
    [[nodiscard]] virtual auto written_file_of(std::string const& workspace) const -> fs::path
    {
        return file_of(workspace);
    }

    state::terraform_state_paths places_;
    std::map<std::string, std::vector<locked_file>> locks_;  // the first one is described in its info file
};

class chosen_file_state final : public file_state {
public:
    explicit chosen_file_state(state_files files) : file_state({}), files_(std::move(files)) {}

    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        return make_failure(messages::workspaces_of_state_file, {files_.state.string()});
    }
    [[nodiscard]] auto get(std::string const&) -> expected<std::optional<std::string>> override
    {
        return read_document(written_ ? files_.out : files_.state);
    }
    [[nodiscard]] auto check_writable(std::string const&) -> expected<void> override
    {
        if (auto const ok = check_document(files_.out); !ok) return ok.error();
        if (written_ || files_.backup.empty()) return {};
        auto const before = read_document(files_.state);
        return before && *before ? check_document(files_.backup) : expected<void>();
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const&)
        -> expected<void> override
    {
        if (!written_ && !files_.backup.empty()) {
            auto const before = read_document(files_.state);
            if (!before) return before.error();
            if (*before)
                if (auto const ok = write_document(files_.backup, **before); !ok) return ok.error();
        }
        written_ = true;
        return write_document(files_.out, text, lock_of(workspace));
    }
    [[nodiscard]] auto erase(std::string const&) -> expected<void> override
    {
        return make_failure(messages::workspaces_of_state_file, {files_.state.string()});
    }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        std::vector<locked_file> held;
        auto taken = add_lock(held, files_.out, F_WRLCK);
        if (!taken) return taken.error();
        if (!*taken) return lock_attempt{false, holder_of(files_.out), files_.out.string()};
        std::error_code ignored;
        if (files_.state != files_.out && !fs::equivalent(files_.state, files_.out, ignored)) {
            taken = add_lock(held, files_.state, F_RDLCK);
            if (!taken) return taken.error();
            if (!*taken) return lock_attempt{false, holder_of(files_.state)};
        }
        return keep(workspace, std::move(held), as);
    }
    [[nodiscard]] auto options() const -> std::string override { return options_of(files_); }
    [[nodiscard]] auto written_place_of(std::string const&) const -> std::string override
    {
        return files_.out.string();
    }

private:
    [[nodiscard]] auto file_of(std::string const&) const -> fs::path override { return files_.state; }
    [[nodiscard]] auto written_file_of(std::string const&) const -> fs::path override { return files_.out; }

    state_files files_;
    bool written_ = false;
};

}  // namespace

auto options_of(state_files const& files) -> std::string
{
    return " -state=" + shell_word(files.out.string());
}

auto make_file_state(state_files files) -> std::shared_ptr<state_client>
{
    return std::make_shared<chosen_file_state>(std::move(files));
}

auto make_file_state(state::terraform_state_paths places) -> std::shared_ptr<state_client>
{
    return std::make_shared<file_state>(std::move(places));
}

}  // namespace iacctl::backends
