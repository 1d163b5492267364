// SPDX-License-Identifier: BSL-1.0
// The functions below replace those of the C library: no header may define them inline or under another name.
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include "file_recorder.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <random>
#include <string_view>
#include <utility>

namespace iacctl::durability {

namespace {

std::atomic<file_recorder*> active = nullptr;

using kind_type = operation::kind_type;

auto inode_of(char const* path) -> file_id
{
    struct stat about{};
    return ::syscall(SYS_newfstatat, AT_FDCWD, path, &about, AT_SYMLINK_NOFOLLOW) == 0 ? about.st_ino : 0;
}

auto inode_of(int fd) -> file_id
{
    struct stat about{};
    return ::fstat(fd, &about) == 0 ? about.st_ino : 0;
}

auto path_of(int fd) -> std::string
{
    std::array<char, 4096> target{};
    std::string const link = "/proc/self/fd/" + std::to_string(fd);
    long const size = ::syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), target.data(), target.size());
    return size <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

auto size_of(int fd) -> off_t
{
    struct stat about{};
    return ::fstat(fd, &about) == 0 ? about.st_size : 0;
}

constexpr std::uint64_t page_size = 4096;

// The descriptor may be open for writing only.
auto page_of(int fd, std::uint64_t at) -> std::string
{
    std::string const link = "/proc/self/fd/" + std::to_string(fd);
    int const reader = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, link.c_str(), O_RDONLY | O_CLOEXEC, 0));
    std::string content(page_size, '\0');
    long const got = ::syscall(SYS_pread64, reader, content.data(), content.size(), at);
    ::syscall(SYS_close, reader);
    content.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return content;
}

auto path_at(int directory, char const* name) -> std::string
{
    if (name[0] == '/' || directory == AT_FDCWD) return name;
    return path_of(directory) + '/' + name;
}

auto directory_of(std::string const& path) -> std::string
{
    auto const slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

auto name_of(std::string const& path) -> std::string
{
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

/// A call on a file below the recorded directory, from before its effect until it is recorded. For other files it
/// converts to false, and nothing is recorded.
class intercepted_call {
public:
    explicit intercepted_call(std::string_view path) : of_(active.load())
    {
        // The path must be the directory itself, or below it.
        if (of_ == nullptr || !(std::string(path) + '/').starts_with(of_->root_)) {
            of_ = nullptr;
            return;
        }
        lock_ = std::unique_lock(of_->mutex_);
    }
    explicit intercepted_call(int fd) : intercepted_call(active.load() == nullptr ? std::string() : path_of(fd)) {}

    explicit operator bool() const noexcept { return of_ != nullptr; }

    enum class call_type : std::uint8_t { changes, frees_space, synchronizes, synchronizes_data };

    /// Sets errno and returns true if this call must fail.
    [[nodiscard]] auto fails(call_type made = call_type::changes) const -> bool
    {
        if (of_ == nullptr) return false;
        std::uint64_t const number = ++of_->calls_;
        auto const& error = of_->error_;
        if (!error
            || !(error->calls == failing_calls::all ? is_hit(number, made) : is_hit_synchronization(number, made)))
            return false;
        ++of_->failures_;
        errno = error->code;
        return true;
    }
    [[nodiscard]] auto stores_half() const -> bool { return of_->error_->half && of_->failures_ == 1; }

    void add(operation done) const { of_->operations_.push_back(std::move(done)); }

    /// Remembers the pages that a write will change.
    void keep_pages(int fd, std::uint64_t offset, std::uint64_t size) const
    {
        if (!of_->error_ || of_->error_->pages == pages_after_failure::kept) return;
        auto& pages = of_->changed_pages_[number(inode_of(fd))];
        for (std::uint64_t at = offset / page_size * page_size; at < offset + size; at += page_size)
            if (!pages.contains(at)) pages.emplace(at, page_of(fd, at));
    }
    /// Forgets the pages of a file, or those from a size on.
    void forget_pages(int fd, std::uint64_t from = 0) const
    {
        auto const found = of_->changed_pages_.find(number(inode_of(fd)));
        if (found != of_->changed_pages_.end())
            found->second.erase(found->second.lower_bound(from), found->second.end());
    }
    /// Gives pages the content that they had at the last synchronization. The size of the file stays.
    void drop_pages(int fd) const
    {
        auto const found = of_->changed_pages_.find(number(inode_of(fd)));
        if (found == of_->changed_pages_.end()) return;
        auto const size = static_cast<std::uint64_t>(size_of(fd));
        std::mt19937_64 random(of_->error_->seed + of_->failures_);
        for (auto& [at, content] : found->second) {
            if (at >= size || (of_->error_->pages == pages_after_failure::mixed && random() % 2 == 0)) continue;
            content.resize(std::min(page_size, size - at), '\0');
            ::syscall(SYS_pwrite64, fd, content.data(), content.size(), at);
            add({kind_type::drop, found->first, 0, {}, 0, {}, at, content});
        }
        of_->changed_pages_.erase(found);
    }
    [[nodiscard]] auto number(file_id inode) const -> file_id
    {
        auto const found = of_->renumbered_.find(inode);
        return found == of_->renumbered_.end() ? inode : found->second;
    }
    void renumber(file_id inode) const { of_->renumbered_[inode] = (file_id{1} << 48U) + ++of_->created_; }
    void add_name(kind_type kind, std::string const& path, bool is_new) const
    {
        file_id const inode = inode_of(path.c_str());
        if (is_new) renumber(inode);
        add({kind, number(inode), number(inode_of(directory_of(path).c_str())), name_of(path), 0, {}, 0, {}});
    }

private:
    [[nodiscard]] auto is_hit(std::uint64_t number, call_type made) const -> bool
    {
        auto const& error = *of_->error_;
        return error.persistent && made != call_type::frees_space ? number >= error.at : number == error.at;
    }
    [[nodiscard]] auto is_hit_synchronization(std::uint64_t number, call_type made) const -> bool
    {
        auto const& error = *of_->error_;
        bool const is_meant = made == call_type::synchronizes_data
            || (made == call_type::synchronizes && error.calls == failing_calls::synchronizations);
        return is_meant && number >= error.at && (error.persistent || of_->failures_ == 0);
    }

    file_recorder* of_;
    std::unique_lock<std::mutex> lock_;
};

file_recorder::file_recorder(fs::path const& root) : root_(root.string() + '/')
{
    active = this;
}

file_recorder::~file_recorder()
{
    active = nullptr;
    std::lock_guard const last(mutex_);
}

void file_recorder::mark(std::uint64_t number)
{
    std::lock_guard const lock(mutex_);
    operation made;
    made.offset = number;
    operations_.push_back(std::move(made));
}

namespace {

auto open_recorded(int directory, char const* name, int flags, mode_t mode) -> int
{
    if (active.load() == nullptr) return static_cast<int>(::syscall(SYS_openat, directory, name, flags, mode));
    std::string const path = path_at(directory, name);
    intercepted_call const call(path);
    bool const changes = (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    using call_type = intercepted_call::call_type;
    if (call && call.fails(changes ? call_type::changes : call_type::frees_space)) return -1;
    bool const existed = call && inode_of(path.c_str()) != 0;
    int const fd = static_cast<int>(::syscall(SYS_openat, directory, name, flags, mode));
    if (!call || fd < 0) return fd;
    if ((flags & O_TMPFILE) == O_TMPFILE) call.renumber(inode_of(fd));
    else if ((flags & O_CREAT) != 0 && !existed) call.add_name(kind_type::add_file, path, true);
    else if ((flags & O_TRUNC) != 0) {
        call.forget_pages(fd);
        call.add({kind_type::truncate, call.number(inode_of(fd)), 0, {}, 0, {}, 0, {}});
    }
    return fd;
}

auto write_recorded(int fd, void const* data, std::size_t size, std::optional<off_t> at) -> ssize_t
{
    auto const perform = [&](std::size_t bytes) -> ssize_t {
        return at ? ::syscall(SYS_pwrite64, fd, data, bytes, *at) : ::syscall(SYS_write, fd, data, bytes);
    };
    intercepted_call const call(fd);
    if (!call) return perform(size);
    off_t const offset = at ? *at : static_cast<off_t>(::syscall(SYS_lseek, fd, 0, SEEK_CUR));
    if (call.fails()) {
        // The stored part ends at the end of a sector.
        off_t const end = (offset + static_cast<off_t>(size / 2)) / 512 * 512;
        if (!call.stores_half() || end <= offset) return -1;
        size = static_cast<std::size_t>(end - offset);
    }
    call.keep_pages(fd, static_cast<std::uint64_t>(offset), size);
    ssize_t const written = perform(size);
    if (written > 0)
        call.add({kind_type::write, call.number(inode_of(fd)), 0, {}, 0, {}, static_cast<std::uint64_t>(offset),
            std::string(static_cast<char const*>(data), static_cast<std::size_t>(written))});
    return written;
}

auto write_vector_recorded(int fd, iovec const* parts, int count) -> ssize_t
{
    ssize_t all = 0;
    for (int i = 0; i < count; ++i) {
        if (parts[i].iov_len == 0) continue;
        ssize_t const written = write_recorded(fd, parts[i].iov_base, parts[i].iov_len, {});
        if (written < 0) return all > 0 ? all : -1;
        all += written;
        if (static_cast<std::size_t>(written) < parts[i].iov_len) break;
    }
    return all;
}

auto read_recorded(int fd, void* data, std::size_t size, std::optional<off_t> at) -> ssize_t
{
    if (intercepted_call const call(fd); call && call.fails(intercepted_call::call_type::frees_space)) return -1;
    return at ? ::syscall(SYS_pread64, fd, data, size, *at) : ::syscall(SYS_read, fd, data, size);
}

// Copies parts of a file by reads and writes.
auto send_recorded(int to, int from, off_t* offset, std::size_t size) -> ssize_t
{
    if (active.load() == nullptr) return ::syscall(SYS_sendfile, to, from, offset, size);
    std::vector<char> data(std::min<std::size_t>(size, 1U << 20U));
    std::optional<off_t> at;
    if (offset != nullptr) at = *offset;
    ssize_t const got = read_recorded(from, data.data(), data.size(), at);
    if (got <= 0) return got;
    ssize_t const written = write_recorded(to, data.data(), static_cast<std::size_t>(got), {});
    if (written > 0 && offset != nullptr) *offset += written;
    return written;
}

auto truncate_recorded(int fd, off_t size) -> int
{
    intercepted_call const call(fd);
    if (call && call.fails()) return -1;
    int const result = static_cast<int>(::syscall(SYS_ftruncate, fd, size));
    if (call && result == 0) call.forget_pages(fd, static_cast<std::uint64_t>(size));
    if (call && result == 0)
        call.add({kind_type::truncate, call.number(inode_of(fd)), 0, {}, 0, {}, static_cast<std::uint64_t>(size), {}});
    return result;
}

auto synchronize_recorded(long number, int fd) -> int
{
    intercepted_call const call(fd);
    if (!call) return static_cast<int>(::syscall(number, fd));
    using call_type = intercepted_call::call_type;
    bool const failed = call.fails(number == SYS_fdatasync ? call_type::synchronizes_data : call_type::synchronizes);
    call.add({failed ? kind_type::fail_to_synchronize : kind_type::synchronize, call.number(inode_of(fd)), 0, {}, 0, {},
        0, {}});
    if (!failed) {
        call.forget_pages(fd);
        return 0;
    }
    int const code = errno;
    call.drop_pages(fd);
    errno = code;
    return -1;
}

auto allocate_recorded(int fd, int mode, off_t offset, off_t size) -> int
{
    intercepted_call const call(fd);
    if (call && call.fails()) return -1;
    return static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, size));
}

auto rename_recorded(int from_directory, char const* from, int to_directory, char const* to, unsigned flags) -> int
{
    auto const perform = [&] {
        return static_cast<int>(::syscall(SYS_renameat2, from_directory, from, to_directory, to, flags));
    };
    if (active.load() == nullptr) return perform();
    std::string const old_path = path_at(from_directory, from);
    std::string const new_path = path_at(to_directory, to);
    intercepted_call const call(old_path);
    if (call && call.fails()) return -1;
    int const result = perform();
    if (call && result == 0)
        call.add({kind_type::rename, call.number(inode_of(new_path.c_str())),
            call.number(inode_of(directory_of(old_path).c_str())), name_of(old_path),
            call.number(inode_of(directory_of(new_path).c_str())), name_of(new_path), 0, {}});
    return result;
}

auto link_recorded(int from_directory, char const* from, int to_directory, char const* to, int flags) -> int
{
    auto const perform = [&] {
        return static_cast<int>(::syscall(SYS_linkat, from_directory, from, to_directory, to, flags));
    };
    if (active.load() == nullptr) return perform();
    std::string const path = path_at(to_directory, to);
    intercepted_call const call(path);
    if (call && call.fails()) return -1;
    int const result = perform();
    if (call && result == 0) call.add_name(kind_type::add_file, path, false);
    return result;
}

auto unlink_recorded(int directory, char const* name, int flags) -> int
{
    auto const perform = [&] { return static_cast<int>(::syscall(SYS_unlinkat, directory, name, flags)); };
    if (active.load() == nullptr) return perform();
    std::string const path = path_at(directory, name);
    intercepted_call const call(path);
    if (call && call.fails(intercepted_call::call_type::frees_space)) return -1;
    int const result = perform();
    if (call && result == 0)
        call.add(
            {kind_type::remove, 0, call.number(inode_of(directory_of(path).c_str())), name_of(path), 0, {}, 0, {}});
    return result;
}

auto make_directory_recorded(int directory, char const* name, mode_t mode) -> int
{
    auto const perform = [&] { return static_cast<int>(::syscall(SYS_mkdirat, directory, name, mode)); };
    if (active.load() == nullptr) return perform();
    std::string const path = path_at(directory, name);
    intercepted_call const call(path);
    if (call && call.fails()) return -1;
    int const result = perform();
    if (call && result == 0) call.add_name(kind_type::add_directory, path, true);
    return result;
}

auto mode_of(int flags, va_list arguments) -> mode_t
{
    bool const has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

}  // namespace iacctl::durability

namespace recorded = iacctl::durability;

extern "C" {

int open(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = recorded::mode_of(flags, arguments);
    va_end(arguments);
    return recorded::open_recorded(AT_FDCWD, path, flags, mode);
}
int open64(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = recorded::mode_of(flags, arguments);
    va_end(arguments);
    return recorded::open_recorded(AT_FDCWD, path, flags, mode);
}
int openat(int directory, char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = recorded::mode_of(flags, arguments);
    va_end(arguments);
    return recorded::open_recorded(directory, path, flags, mode);
}
int openat64(int directory, char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = recorded::mode_of(flags, arguments);
    va_end(arguments);
    return recorded::open_recorded(directory, path, flags, mode);
}
// Functions that code compiled with _FORTIFY_SOURCE calls.
int __open_2(char const* path, int flags)
{
    return recorded::open_recorded(AT_FDCWD, path, flags, 0);
}
int __open64_2(char const* path, int flags)
{
    return recorded::open_recorded(AT_FDCWD, path, flags, 0);
}
int __openat_2(int directory, char const* path, int flags)
{
    return recorded::open_recorded(directory, path, flags, 0);
}
int __openat64_2(int directory, char const* path, int flags)
{
    return recorded::open_recorded(directory, path, flags, 0);
}

ssize_t write(int fd, void const* data, size_t size)
{
    return recorded::write_recorded(fd, data, size, {});
}
ssize_t pwrite(int fd, void const* data, size_t size, off_t at)
{
    return recorded::write_recorded(fd, data, size, at);
}
ssize_t pwrite64(int fd, void const* data, size_t size, off64_t at)
{
    return recorded::write_recorded(fd, data, size, at);
}
ssize_t writev(int fd, iovec const* parts, int count)
{
    return recorded::write_vector_recorded(fd, parts, count);
}
ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept
{
    return recorded::send_recorded(to, from, offset, size);
}
ssize_t sendfile64(int to, int from, off64_t* offset, size_t size) noexcept
{
    return recorded::send_recorded(to, from, offset, size);
}
ssize_t read(int fd, void* data, size_t size)
{
    return recorded::read_recorded(fd, data, size, {});
}
ssize_t pread(int fd, void* data, size_t size, off_t at)
{
    return recorded::read_recorded(fd, data, size, at);
}
ssize_t pread64(int fd, void* data, size_t size, off64_t at)
{
    return recorded::read_recorded(fd, data, size, at);
}
ssize_t __read_chk(int fd, void* data, size_t size, size_t)
{
    return recorded::read_recorded(fd, data, size, {});
}
ssize_t __pread_chk(int fd, void* data, size_t size, off_t at, size_t)
{
    return recorded::read_recorded(fd, data, size, at);
}
ssize_t __pread64_chk(int fd, void* data, size_t size, off64_t at, size_t)
{
    return recorded::read_recorded(fd, data, size, at);
}
int ftruncate(int fd, off_t size) noexcept
{
    return recorded::truncate_recorded(fd, size);
}
int ftruncate64(int fd, off64_t size) noexcept
{
    return recorded::truncate_recorded(fd, size);
}
int fsync(int fd)
{
    return recorded::synchronize_recorded(SYS_fsync, fd);
}
int fdatasync(int fd)
{
    return recorded::synchronize_recorded(SYS_fdatasync, fd);
}
int fallocate(int fd, int mode, off_t at, off_t size)
{
    return recorded::allocate_recorded(fd, mode, at, size);
}
int fallocate64(int fd, int mode, off64_t at, off64_t size)
{
    return recorded::allocate_recorded(fd, mode, at, size);
}

int rename(char const* from, char const* to) noexcept
{
    return recorded::rename_recorded(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_directory, char const* from, int to_directory, char const* to) noexcept
{
    return recorded::rename_recorded(from_directory, from, to_directory, to, 0);
}
int link(char const* from, char const* to) noexcept
{
    return recorded::link_recorded(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_directory, char const* from, int to_directory, char const* to, int flags) noexcept
{
    return recorded::link_recorded(from_directory, from, to_directory, to, flags);
}
int unlink(char const* path) noexcept
{
    return recorded::unlink_recorded(AT_FDCWD, path, 0);
}
int unlinkat(int directory, char const* path, int flags) noexcept
{
    return recorded::unlink_recorded(directory, path, flags);
}
int rmdir(char const* path) noexcept
{
    return recorded::unlink_recorded(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(char const* path) noexcept
{
    int const result = recorded::unlink_recorded(AT_FDCWD, path, 0);
    return result != 0 && errno == EISDIR ? recorded::unlink_recorded(AT_FDCWD, path, AT_REMOVEDIR) : result;
}
int mkdir(char const* path, mode_t mode) noexcept
{
    return recorded::make_directory_recorded(AT_FDCWD, path, mode);
}

}  // extern "C"
