// SPDX-License-Identifier: BSL-1.0
#include "durable_file.hpp"

#include "random.hpp"

#include <boost/system/errc.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace iacctl {

namespace {

namespace fs = std::filesystem;

auto result_of(int call) -> error_code
{
    return call == 0 ? error_code() : last_error();
}

auto directory_of(fs::path const& file) -> fs::path
{
    return file.has_parent_path() ? file.parent_path() : ".";
}

/// The content of a new file that is not visible yet. If the system supports it, the content has no name, so that a
/// killed process leaves nothing behind. Otherwise it has a temporary name beside the file.
class unpublished_file {
public:
    explicit unpublished_file(fs::path file) : file_(std::move(file)) {}
    unpublished_file(unpublished_file const&) = delete;
    auto operator=(unpublished_file const&) -> unpublished_file& = delete;
    ~unpublished_file()
    {
        if (!draft_.empty()) ::unlink(draft_.c_str());
    }

    [[nodiscard]] auto write(std::string_view text, mode_t mode) -> error_code
    {
        // The system would use only the part of the name before a NUL.
        if (file_.native().find('\0') != std::string::npos)
            return make_error_code(boost::system::errc::invalid_argument);
        if (::access("/proc/self/fd", X_OK) == 0)
            fd_ = file_descriptor(::open(directory_of(file_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
        if (!fd_) {
            fs::path const draft = other_name();
            fd_ = file_descriptor(::open(draft.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
            if (!fd_) return last_error();
            draft_ = draft;
        }
        if (auto const error = write_all(fd_.get(), text)) return error;
        return result_of(::fsync(fd_.get()));
    }

    [[nodiscard]] auto lock() const noexcept -> error_code { return lock_whole_file(fd_.get(), F_WRLCK); }
    /// Exchanges the descriptors of this file and of another one.
    void swap(file_descriptor& descriptor) noexcept { std::swap(fd_, descriptor); }

    /// Publishes the file, unless another file with this name exists.
    [[nodiscard]] auto publish_new() -> error_code
    {
        // A link does not replace an existing file, but a rename does.
        auto const error = link_to(file_);
        bool const no_links = error.value() == EPERM || error.value() == ENOTSUP || error.value() == ENOSYS;
        if (draft_.empty() || !no_links || ::access(file_.c_str(), F_OK) == 0) return error;
        return rename_draft();
    }

    /// Publishes the file, which replaces an existing one.
    [[nodiscard]] auto publish() -> error_code
    {
        if (draft_.empty()) {
            auto const error = link_to(file_);
            if (error.value() != EEXIST) return error;
            // The content gets a second name, which then replaces the existing file.
            fs::path const second = other_name();
            if (auto const failed = link_to(second)) return failed;
            draft_ = second;
        }
        return rename_draft();
    }

private:
    [[nodiscard]] auto other_name() const -> fs::path { return directory_of(file_) / (".draft-" + random_hex(16)); }
    [[nodiscard]] auto link_to(fs::path const& name) const -> error_code
    {
        std::string const self = draft_.empty() ? "/proc/self/fd/" + std::to_string(fd_.get()) : draft_.string();
        return result_of(::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW));
    }
    [[nodiscard]] auto rename_draft() -> error_code
    {
        auto const error = result_of(::rename(draft_.c_str(), file_.c_str()));
        if (!error) draft_.clear();
        return error;
    }

    fs::path file_;
    fs::path draft_;  // empty: there is no name yet
    file_descriptor fd_;
};

auto write_into(fs::path const& special, std::string_view text) -> error_code
{
    // A pipe without a reader is an error; this call does not wait for a reader.
    file_descriptor const fd(::open(special.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd || ::fcntl(fd.get(), F_SETFL, 0) != 0) return last_error();
    return write_all(fd.get(), text);
}

}  // namespace

auto is_special(fs::path const& file) -> bool
{
    struct stat there{};
    if (file.native().find('\0') != std::string::npos || ::stat(file.c_str(), &there) != 0) return false;
    std::error_code no_link;
    bool const of_process = fs::read_symlink(file, no_link).native().starts_with("/proc/");
    return of_process || (!S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

auto write_all(int fd, std::string_view text) noexcept -> error_code
{
    while (!text.empty()) {
        ssize_t const written = ::write(fd, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return last_error();
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

auto make_private_file(fs::path const& file) -> error_code
{
    file_descriptor const fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return fd ? error_code() : last_error();
}

auto make_private_directories(fs::path const& directory) -> error_code
{
    for (;;) {
        if (::mkdir(directory.c_str(), 0700) == 0) return sync_directory(directory_of(directory));
        error_code const error = last_error();
        std::error_code ignored;
        if (fs::is_directory(directory, ignored)) {
            // A process that was killed may have made it without synchronizing its name, in a directory that it can read.
            error_code const unsynchronized = sync_directory(directory_of(directory));
            return unsynchronized.value() == EACCES ? error_code() : unsynchronized;
        }
        if (error.value() != ENOENT || directory.parent_path() == directory || directory.parent_path().empty())
            return error;
        if (auto const above = make_private_directories(directory.parent_path())) return above;
    }
}

auto sync_directory(fs::path const& directory) -> error_code
{
    file_descriptor const fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd ? result_of(::fsync(fd.get())) : last_error();
}

auto sync_file_system(fs::path const& directory) -> error_code
{
    file_descriptor const fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd ? result_of(::syncfs(fd.get())) : last_error();
}

auto sync_file(fs::path const& file) -> error_code
{
    file_descriptor const fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return fd ? result_of(::fsync(fd.get())) : last_error();
}

auto write_new_file(fs::path const& file, std::string_view text) -> error_code
{
    unpublished_file made(file);
    if (auto const error = made.write(text, 0600)) return error;
    if (auto const error = made.publish_new()) return error;
    return sync_directory(directory_of(file));
}

auto replace_file(fs::path const& file, std::string_view text, mode_t mode) -> error_code
{
    if (is_special(file)) return write_into(file, text);
    // The error of a rename to "." would be another one.
    if (std::error_code ignored; fs::is_directory(file, ignored))
        return make_error_code(boost::system::errc::is_a_directory);
    unpublished_file made(file);
    if (auto const error = made.write(text, mode)) return error;
    return made.publish();
}

auto replace_locked_file(fs::path const& file, std::string_view text, file_descriptor& lock) -> error_code
{
    if (is_special(file)) return write_into(file, text);
    unpublished_file made(file);
    if (auto const error = made.write(text, 0600)) return error;
    if (auto const error = made.lock()) return error;
    if (auto const error = made.publish()) return error;
    made.swap(lock);
    return {};
}

auto check_replaceable(fs::path const& file) -> error_code
{
    file_descriptor const fd(::open(file.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd && errno != ENOENT) return last_error();
    if (is_special(file)) return {};
    return unpublished_file(file).write({}, 0600);
}

auto lock_whole_file(int fd, short type) noexcept -> error_code
{
    struct flock desired{};
    desired.l_type = type;
    desired.l_whence = SEEK_SET;
    while (::fcntl(fd, F_OFD_SETLK, &desired) != 0)
        if (errno != EINTR) return last_error();
    return {};
}

}  // namespace iacctl
