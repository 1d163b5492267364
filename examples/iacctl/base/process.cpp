// SPDX-License-Identifier: BSL-1.0
#include "process.hpp"

#include "environment.hpp"
#include "last_error.hpp"
#include "process_guard.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

namespace iacctl {

namespace {

namespace asio = boost::asio;

/// The running process groups.
class running_groups {
public:
    void add(pid_t group)
    {
        std::scoped_lock const held(guard_);
        groups_.insert(group);
    }
    void remove(pid_t group)
    {
        std::scoped_lock const held(guard_);
        groups_.erase(group);
    }
    void kill_all() noexcept
    {
        // The thread that holds the lock may be unable to continue, which may be the reason why the process ends.
        std::unique_lock const held(guard_, std::try_to_lock);
        if (!held) return;
        for (pid_t const group : groups_) ::kill(-group, SIGKILL);
    }

private:
    std::mutex guard_;
    std::set<pid_t> groups_;
};

auto groups() noexcept -> running_groups&
{
    static running_groups all;
    return all;
}

auto pointers(std::vector<std::string>& words) -> std::vector<char*>
{
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

// Returns whether a word contains a NUL, at which the system would truncate it.
auto has_nul(process_command const& c) -> bool
{
    auto const in = [](std::string const& text) { return text.find('\0') != std::string::npos; };
    return in(c.directory) || std::ranges::any_of(c.words, in)
        || std::ranges::any_of(c.added, [&](auto const& item) { return in(item.first) || in(item.second); });
}

}  // namespace

auto environment_of(process_command const& c) -> std::vector<std::string>
{
    bool const passes_secrets = environment_variable("IACCTL_PASS_SENSITIVE") == "1";
    std::vector<std::string> all;
    for (auto const& [inherited, text] : environment()) {
        std::string const name(inherited);
        if (is_own_secret(name, text) && !passes_secrets) continue;
        if (!c.added.contains(name) && !c.withheld.contains(name)) all.push_back(name + "=" + std::string(text));
    }
    for (auto const& [name, text] : c.added) all.push_back(name + "=" + text);
    return all;
}

process::process(pid_t pid) : pid_(pid)
{
    guard_group(pid);
    groups().add(pid);
}

process::process(process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

auto process::operator=(process&& other) noexcept -> process&
{
    std::swap(pid_, other.pid_);
    return *this;
}

process::~process()
{
    if (pid_ < 0) return;
    signal(SIGKILL);
    (void)reap();
}

auto process::start(process_command const& command, process_streams const& streams) -> boost::system::result<process>
{
    if (has_nul(command)) return boost::system::error_code(EINVAL, boost::system::system_category());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    auto const connect = [&](int from, int to, int mode) {
        if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
        else posix_spawn_file_actions_addopen(&actions, to, "/dev/null", mode, 0);
    };
    connect(streams.input, STDIN_FILENO, O_RDONLY);
    connect(streams.output, STDOUT_FILENO, O_WRONLY);
    connect(streams.errors, STDERR_FILENO, O_WRONLY);
    if (!command.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    auto words = command.words;
    auto arguments = pointers(words);
    auto texts = environment_of(command);
    auto environment = pointers(texts);
    pid_t pid = -1;
    int const error =
        ::posix_spawnp(&pid, words.front().c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return boost::system::error_code(error, boost::system::system_category());
    return process(pid);
}

void process::signal(int number) const noexcept
{
    if (pid_ > 0) ::kill(-pid_, number);
}

auto process::has_ended() const noexcept -> bool
{
    siginfo_t found{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid == pid_;
}

auto process::wait() const -> asio::awaitable<bool>
{
    // The descriptor of a process becomes readable when it ends.
    auto const executor = co_await asio::this_coro::executor;
    auto const descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (descriptor < 0) co_return true;
    asio::posix::stream_descriptor end(executor, descriptor);
    auto token = asio::as_tuple(asio::use_awaitable);
    auto ended = end.async_wait(asio::posix::stream_descriptor::wait_read, token);
    auto const [error] = co_await std::move(ended);
    co_return error != asio::error::operation_aborted;
}

auto process::reap() -> int
{
    pid_t const pid = std::exchange(pid_, -1);
    groups().remove(pid);
    release_group(pid);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

auto process_status_text(int status) -> std::string
{
    return WIFSIGNALED(status) ? std::string("signal: ") + ::strsignal(WTERMSIG(status))
                               : "exit status " + std::to_string(WEXITSTATUS(status));
}

void kill_processes() noexcept
{
    groups().kill_all();
}

}  // namespace iacctl
