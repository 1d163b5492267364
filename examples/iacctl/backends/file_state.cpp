// SPDX-License-Identifier: BSL-1.0
#include "file_state.hpp"

#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/workspace_name.hpp"
#include "support/durable_file.hpp"
#include "support/file_descriptor.hpp"
#include "support/input_file.hpp"

#include <fcntl.h>

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

auto write_document(fs::path const& file, std::string const& text) -> std::optional<infra::failure>
{
    auto const directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
    error_code error = make_private_directories(directory);
    if (!error) error = replace_file(file, text);
    if (!error) error = sync_directory(directory);
    if (error) return make_failure(messages::state_not_writable, {file.string(), error.message()});
    return std::nullopt;
}

class file_state : public state_client {
public:
    explicit file_state(state::terraform_places places) : places_(std::move(places)) {}

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
        -> std::optional<infra::failure> override
    {
        return write_document(file_of(workspace), text);
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> std::optional<infra::failure> override
    {
        std::error_code error;
        fs::remove(file_of(workspace), error);
        if (error) return make_failure(messages::state_not_writable, {place_of(workspace), error.message()});
        return std::nullopt;
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override { return true; }
    [[nodiscard]] auto lock_outlasts_process() const noexcept -> bool override { return false; }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        std::string const name = place_of(workspace);
        file_descriptor fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
        if (!fd && (errno == ENOENT || errno == ENOTDIR)) return lock_attempt{true, std::nullopt};
        int error = fd ? 0 : errno;
        // Terraform locks the whole file for writing, so a read lock excludes it, and needs no write permission.
        struct flock desired{};
        desired.l_type = F_RDLCK;
        desired.l_whence = SEEK_SET;
        while (error == 0 && ::fcntl(fd.get(), F_OFD_SETLK, &desired) != 0)
            if (errno != EINTR) error = errno;
        if (error == EAGAIN) return lock_attempt{false, holder(workspace)};
        if (error != 0) return make_failure(messages::state_unreadable, {name, std::generic_category().message(error)});
        locks_.insert_or_assign(workspace, std::move(fd));
        // For the message of a terraform that finds the file locked.
        (void)replace_file(info_file(workspace), as.text());
        return lock_attempt{true, std::nullopt};
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const&) -> std::optional<infra::failure> override
    {
        std::error_code ignored;
        if (locks_.contains(workspace)) fs::remove(info_file(workspace), ignored);
        locks_.erase(workspace);
        return std::nullopt;
    }
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        auto const text = read_input(info_file(workspace));
        return text ? lock_info::parse(*text) : std::nullopt;
    }

private:
    [[nodiscard]] virtual auto file_of(std::string const& workspace) const -> fs::path
    {
        return places_.file_of(workspace);
    }
    [[nodiscard]] auto info_file(std::string const& workspace) const -> fs::path
    {
        auto const file = file_of(workspace);
        auto name = file.filename().string();
        if (name.starts_with('.')) name.erase(0, 1);
        return file.parent_path() / ("." + name + ".lock.info");
    }

    state::terraform_places places_;
    std::map<std::string, file_descriptor> locks_;
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
    [[nodiscard]] auto put(std::string const&, std::string const& text, std::string const&)
        -> std::optional<infra::failure> override
    {
        if (!written_ && !files_.backup.empty()) {
            auto const before = read_document(files_.state);
            if (!before) return before.error();
            if (*before)
                if (auto failed = write_document(files_.backup, **before)) return failed;
        }
        written_ = true;
        return write_document(files_.out, text);
    }
    [[nodiscard]] auto erase(std::string const&) -> std::optional<infra::failure> override
    {
        return make_failure(messages::workspaces_of_state_file, {files_.state.string()});
    }

private:
    [[nodiscard]] auto file_of(std::string const&) const -> fs::path override { return files_.state; }

    state_files files_;
    bool written_ = false;
};

}  // namespace

auto make_file_state(state_files files) -> std::shared_ptr<state_client>
{
    return std::make_shared<chosen_file_state>(std::move(files));
}

auto make_file_state(state::terraform_places places) -> std::shared_ptr<state_client>
{
    return std::make_shared<file_state>(std::move(places));
}

}  // namespace iacctl::backends
