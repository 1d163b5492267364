// SPDX-License-Identifier: BSL-1.0
#include "child_process.hpp"

#include "support/environment.hpp"
#include "support/file_descriptor.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;

// A file without a name: a program that does not read makes nobody wait.
auto memory_file(std::string_view content) -> file_descriptor
{
    file_descriptor file(::memfd_create("stream", MFD_CLOEXEC));
    while (file.get() >= 0 && !content.empty()) {
        ssize_t const written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return file_descriptor();
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (file.get() >= 0) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

// A file without a name that does not grow beyond a size, where a file may be that large: what is written after that is refused.
// Pages come when they are written.
auto bounded_memory_file(std::size_t size) -> file_descriptor
{
    file_descriptor file(::memfd_create("stream", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    bool const sized = file && ::ftruncate(file.get(), static_cast<off_t>(size)) == 0
        && ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW) == 0;
    return sized ? std::move(file) : memory_file({});
}

// Number of bytes written to a bounded file; all writers share the position.
auto content_of(file_descriptor const& file) -> std::string
{
    off_t const size = std::max<off_t>(::lseek(file.get(), 0, SEEK_CUR), 0);
    std::string text(static_cast<std::size_t>(size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t const got = ::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

/// The process groups that run now.
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
        // The process may end because a thread that holds the lock cannot go on.
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

struct started_child {
    pid_t pid = -1;
    file_descriptor output;
    file_descriptor errors;
    int error = 0;
};

auto pointers(std::vector<std::string>& words) -> std::vector<char*>
{
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

auto environment_of(child_command const& c) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& [inherited, text] : environment()) {
        std::string const name(inherited);
        if (!c.added.contains(name) && !c.withheld.contains(name)) all.push_back(name + "=" + std::string(text));
    }
    for (auto const& [name, text] : c.added) all.push_back(name + "=" + text);
    return all;
}

// The system would take what stands before a NUL for the whole.
auto has_nul(child_command const& c) -> bool
{
    auto const in = [](std::string const& text) { return text.find('\0') != std::string::npos; };
    return in(c.directory) || std::ranges::any_of(c.words, in)
        || std::ranges::any_of(c.added, [&](auto const& one) { return in(one.first) || in(one.second); });
}

auto start_child(child_command& c) -> started_child
{
    started_child started;
    if (has_nul(c)) {
        started.error = EINVAL;
        return started;
    }
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        started.error = errno;
        return started;
    }
    started.output = file_descriptor(pipe[0]);
    file_descriptor const writing(pipe[1]);
    file_descriptor input(-1);
    if (c.input) input = memory_file(*c.input);
    if (c.keeps_errors_apart) started.errors = bounded_memory_file(child_outcome::longest_errors);
    if ((c.input && input.get() < 0) || (c.keeps_errors_apart && started.errors.get() < 0)) {
        started.error = errno;
        return started;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (c.input) posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    else posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(
        &actions, c.keeps_errors_apart ? started.errors.get() : writing.get(), STDERR_FILENO);
    if (!c.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, c.directory.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    auto arguments = pointers(c.words);
    auto texts = environment_of(c);
    auto environment = pointers(texts);
    started.error = ::posix_spawnp(
        &started.pid, c.words.front().c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/// A program that runs in a group of its own. It does not outlive this object.
class running_child {
public:
    explicit running_child(pid_t pid) : pid_(pid) { groups().add(pid); }
    running_child(running_child const&) = delete;
    auto operator=(running_child const&) -> running_child& = delete;
    ~running_child()
    {
        if (pid_ < 0) return;
        signal(SIGKILL);
        (void)reap();
    }

    void signal(int number) const noexcept { ::kill(-pid_, number); }
    [[nodiscard]] auto has_ended() const noexcept -> bool
    {
        siginfo_t found{};
        return ::waitid(P_PID, static_cast<id_t>(pid_), &found, WEXITED | WNOHANG | WNOWAIT) == 0
            && found.si_pid == pid_;
    }
    /// Waits for the end as for anything else: a descriptor becomes readable. False: it was cancelled.
    [[nodiscard]] auto wait() const -> strider::infra::task<bool>
    {
        auto const executor = co_await asio::this_coro::executor;
        auto const descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
        if (descriptor < 0) co_return true;
        asio::posix::stream_descriptor end(executor, descriptor);
        auto token = asio::as_tuple(asio::use_awaitable);
        auto ended = end.async_wait(asio::posix::stream_descriptor::wait_read, token);
        auto const [error] = co_await std::move(ended);
        co_return error != asio::error::operation_aborted;
    }
    /// Its status, as waitpid gives it.
    [[nodiscard]] auto reap() -> int
    {
        pid_t const pid = std::exchange(pid_, -1);
        groups().remove(pid);
        int status = 0;
        while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        return status;
    }

private:
    pid_t pid_;
};

// Ends a group, and waits until its first process has ended and nobody has its output open any more; for a second.
auto end_group(running_child const& child, asio::posix::stream_descriptor& reading_end,
    std::function<bool(std::string_view)> output) -> strider::infra::task<void>
{
    constexpr std::chrono::milliseconds pause(10);
    auto const executor = co_await asio::this_coro::executor;
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    asio::steady_timer timer(executor);
    std::array<char, 4096> buffer{};
    reading_end.native_non_blocking(true);
    child.signal(SIGTERM);
    for (bool open = true; open || !child.has_ended();) {
        ssize_t const got = open ? ::read(reading_end.native_handle(), buffer.data(), buffer.size()) : -1;
        if (got > 0) (void)output(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        open = open && (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
        if (std::chrono::steady_clock::now() > end) break;
        if (got > 0) continue;
        timer.expires_after(pause);
        auto token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        co_await std::move(waiting);
    }
    child.signal(SIGKILL);
}

}  // namespace

auto child_outcome::text() const -> std::string
{
    std::string const how = WIFSIGNALED(status) ? std::string("signal: ") + ::strsignal(WTERMSIG(status))
                                                : "exit status " + std::to_string(WEXITSTATUS(status));
    return stopped ? "stopped by iacctl (" + how + ")" : how;
}

void kill_children() noexcept
{
    groups().kill_all();
}

auto run_child(child_command command, std::function<bool(std::string_view)> output)
    -> strider::infra::task<child_outcome>
{
    child_outcome outcome;
    started_child started = start_child(command);
    outcome.start_error = started.error;
    if (started.error != 0) co_return outcome;
    running_child child(started.pid);

    co_await asio::this_coro::throw_if_cancelled(false);
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor reading_end(executor, started.output.release());
    std::array<char, 4096> buffer{};
    while (!outcome.stopped) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = reading_end.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        bool const wanted = output(std::string_view(buffer.data(), size));
        outcome.stopped = error == asio::error::operation_aborted || !wanted;
        if (error) break;
    }
    if (!outcome.stopped) {
        auto waiting = child.wait();
        bool const ended = co_await std::move(waiting);
        outcome.stopped = !ended;
    }
    if (outcome.stopped) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        auto ending = end_group(child, reading_end, output);
        co_await std::move(ending);
    }
    outcome.status = child.reap();
    if (command.keeps_errors_apart) outcome.errors = content_of(started.errors);
    co_return outcome;
}

auto shown_output(std::string_view output) -> std::string
{
    while (output.ends_with('\n') || output.ends_with('\r')) output.remove_suffix(1);
    if (output.empty()) return "  (nothing)";
    std::string text = "  ";
    for (char const c : output) {
        text += c;
        if (c == '\n') text += "  ";
    }
    return text;
}

}  // namespace iacctl::providers
