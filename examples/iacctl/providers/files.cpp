// SPDX-License-Identifier: BSL-1.0
#include "files.hpp"

#include "support/encoding.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace iacctl::providers {

namespace {

/// Bytes on their way to becoming a file. Until they are one they have no name where the file system can do that, so
/// that a process that is killed leaves nothing behind; elsewhere a name of their own beside the file's.
class unpublished_file {
public:
    unpublished_file(std::string path, mode_t mode) : path_(std::move(path))
    {
        std::string const directory = std::filesystem::path(path_).parent_path().string();
        fd_ = ::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
        if (fd_ >= 0) return;
        name_ = other_name();
        fd_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    }
    unpublished_file(unpublished_file const&) = delete;
    auto operator=(unpublished_file const&) -> unpublished_file& = delete;
    ~unpublished_file()
    {
        if (fd_ < 0) return;
        ::close(fd_);
        if (!name_.empty()) ::unlink(name_.c_str());
    }

    /// False: errno tells why.
    [[nodiscard]] auto write(std::string_view text) const -> bool
    {
        if (fd_ < 0) return false;
        while (!text.empty()) {
            ssize_t const written = ::write(fd_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return ::fsync(fd_) == 0;
    }

    /// The file is there now, whole, in place of what was there. False: errno tells why.
    [[nodiscard]] auto publish() -> bool
    {
        if (name_.empty()) {
            if (link_to(path_)) return true;
            if (errno != EEXIST) return false;
            // A link never replaces: what is there gives way to a second name.
            std::string const second = other_name();
            if (!link_to(second)) return false;
            name_ = second;
        }
        if (::rename(name_.c_str(), path_.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

private:
    [[nodiscard]] auto other_name() const -> std::string { return path_ + "." + hex(random_bytes(4)); }
    [[nodiscard]] auto link_to(std::string const& name) const -> bool
    {
        std::string const self = "/proc/self/fd/" + std::to_string(fd_);
        return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }

    std::string path_;
    std::string name_;
    int fd_ = -1;
};

// The system would take what stands before it for the name.
auto has_nul(std::string const& path) -> bool
{
    return path.find('\0') != std::string::npos;
}

}  // namespace

auto write_whole(std::string const& path, std::string_view text, mode_t mode) -> std::error_code
{
    if (has_nul(path)) return std::make_error_code(std::errc::invalid_argument);
    unpublished_file file(path, mode);
    if (file.write(text) && file.publish()) return {};
    return {errno, std::generic_category()};
}

}  // namespace iacctl::providers
