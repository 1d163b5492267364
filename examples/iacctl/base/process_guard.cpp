// SPDX-License-Identifier: BSL-1.0
#include "process_guard.hpp"

#include "file_descriptor.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace iacctl {

namespace {

namespace fs = std::filesystem;

// The first character of a message; a number or a path follows.
constexpr char add_group = 'g';
constexpr char drop_group = 'G';
constexpr char add_sockets = 's';
constexpr char drop_sockets = 'S';
constexpr char add_directory = 'd';
constexpr char drop_directory = 'D';
constexpr std::size_t longest_message = 8192;

std::atomic<bool> allowed = false;

// Starts this program as a guard. \param connection  becomes its standard input
void start_guard(int connection)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::string name = "iacctl";
    std::string argument(process_guard_argument);
    std::array<char*, 3> arguments{name.data(), argument.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    pid_t pid = -1;
    (void)::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
}

// The connection to the guard; -1 if there is none.
auto guard_connection() -> int
{
    static file_descriptor const own = [] {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return file_descriptor();
        file_descriptor mine(ends[0]);
        file_descriptor const other(ends[1]);
        start_guard(other.get());
        return mine;
    }();
    return own.get();
}

void send(char kind, std::string_view text)
{
    if (!allowed) return;
    std::string const message = kind + std::string(text);
    while (::send(guard_connection(), message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

// Removes entries of a directory, and then the directory if it is empty.
template <class Condition>
void empty_directory(fs::path const& path, Condition is_removed)
{
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(path, error))) return;
    std::vector<fs::path> entries;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
        entries.push_back(at->path());
    for (fs::path const& one : entries)
        if (is_removed(fs::symlink_status(one, error))) fs::remove(one, error);
    fs::remove(path, error);
}

}  // namespace

void allow_process_guard() noexcept
{
    allowed = true;
}

void guard_group(pid_t group)
{
    send(add_group, std::to_string(group));
}

void release_group(pid_t group) noexcept
{
    send(drop_group, std::to_string(group));
}

void guard_sockets(std::string const& path)
{
    send(add_sockets, path);
}

void release_sockets(std::string const& path)
{
    send(drop_sockets, path);
}

void guard_directory(std::string const& path)
{
    send(add_directory, path);
}

void release_directory(std::string const& path)
{
    send(drop_directory, path);
}

void remove_sockets(std::string const& path) noexcept
{
    std::error_code error;
    try {
        if (fs::is_socket(fs::symlink_status(path, error))) fs::remove(path, error);
        empty_directory(path, [](fs::file_status const& of) { return fs::is_socket(of); });
    } catch (std::bad_alloc const&) {
        return;
    }
}

void remove_directory(std::string const& path) noexcept
{
    try {
        empty_directory(path, [](fs::file_status const& of) { return !fs::is_directory(of); });
    } catch (std::bad_alloc const&) {
        return;
    }
}

auto run_process_guard() -> int
{
    std::set<pid_t> groups;
    std::set<std::string> sockets;
    std::set<std::string> directories;
    std::array<char, longest_message> buffer{};
    for (;;) {
        ssize_t const size = ::recv(STDIN_FILENO, buffer.data(), buffer.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        std::string_view const text(buffer.data() + 1, static_cast<std::size_t>(size) - 1);
        char const kind = buffer[0];
        pid_t group = 0;
        (void)std::from_chars(text.data(), text.data() + text.size(), group);
        if (kind == add_group && group > 1) groups.insert(group);
        if (kind == drop_group) groups.erase(group);
        if (kind == add_sockets) sockets.emplace(text);
        if (kind == drop_sockets) sockets.erase(std::string(text));
        if (kind == add_directory) directories.emplace(text);
        if (kind == drop_directory) directories.erase(std::string(text));
    }
    for (pid_t const group : groups) ::kill(-group, SIGKILL);
    for (std::string const& one : sockets) remove_sockets(one);
    for (std::string const& one : directories) remove_directory(one);
    return 0;
}

}  // namespace iacctl
