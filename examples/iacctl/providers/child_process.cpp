// SPDX-License-Identifier: BSL-1.0
#include "child_process.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace iacctl::providers {

namespace {

/// A file descriptor that is closed.
class owned_descriptor {
public:
    explicit owned_descriptor(int fd = -1) noexcept : fd_(fd) {}
    owned_descriptor(owned_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    auto operator=(owned_descriptor&& other) noexcept -> owned_descriptor&
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~owned_descriptor()
    {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] auto get() const noexcept -> int { return fd_; }
    [[nodiscard]] auto release() noexcept -> int { return std::exchange(fd_, -1); }

private:
    int fd_;
};

// A file without a name: a program that does not read, or writes too much, makes nobody wait.
auto memory_file(std::string_view content) -> owned_descriptor
{
    owned_descriptor file(::memfd_create("stream", MFD_CLOEXEC));
    while (file.get() >= 0 && !content.empty()) {
        ssize_t const written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return owned_descriptor();
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (file.get() >= 0) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

auto content_of(owned_descriptor const& file) -> std::string
{
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        ssize_t const got = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

struct started_child {
    pid_t pid = -1;
    owned_descriptor output;
    owned_descriptor errors;
    int error = 0;
};

auto pointers(std::vector<std::string>& words) -> std::vector<char*>
{
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

auto environment_with(std::map<std::string, std::string> const& added) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (char** inherited = environ; *inherited != nullptr; ++inherited) {
        std::string const entry = *inherited;
        if (!added.contains(entry.substr(0, entry.find('=')))) all.push_back(entry);
    }
    for (auto const& [name, text] : added) all.push_back(name + "=" + text);
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
    started.output = owned_descriptor(pipe[0]);
    owned_descriptor const writing(pipe[1]);
    owned_descriptor input(-1);
    if (c.input) input = memory_file(*c.input);
    if (c.keeps_errors_apart) started.errors = memory_file({});
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
    auto texts = environment_with(c.added);
    auto environment = pointers(texts);
    started.error = ::posix_spawnp(
        &started.pid, c.words.front().c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

// Waits for the end of a process as for anything else: its descriptor becomes readable.
auto wait_for_child(pid_t pid) -> strider::infra::task<int>
{
    namespace asio = strider::asio;
    auto const executor = co_await asio::this_coro::executor;
    int status = 0;
    auto const descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (descriptor >= 0) {
        asio::posix::stream_descriptor end(executor, descriptor);
        auto token = asio::as_tuple(asio::use_awaitable);
        auto ended = end.async_wait(asio::posix::stream_descriptor::wait_read, token);
        co_await std::move(ended);
    }
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    co_return status;
}

}  // namespace

auto child_outcome::text() const -> std::string
{
    if (WIFSIGNALED(status)) return std::string("signal: ") + ::strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

auto run_child(child_command command, std::function<void(std::string_view)> output)
    -> strider::infra::task<child_outcome>
{
    namespace asio = strider::asio;
    child_outcome outcome;
    started_child started = start_child(command);
    outcome.start_error = started.error;
    if (started.error != 0) co_return outcome;

    co_await asio::this_coro::throw_if_cancelled(false);
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor reading_end(executor, started.output.release());
    std::array<char, 4096> buffer{};
    for (;;) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = reading_end.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        if (error == asio::error::operation_aborted) {
            outcome.stopped = true;
            ::kill(-started.pid, SIGTERM);
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            continue;
        }
        output(std::string_view(buffer.data(), size));
        if (error) break;
    }
    auto waiting = wait_for_child(started.pid);
    outcome.status = co_await std::move(waiting);
    if (command.keeps_errors_apart) outcome.errors = content_of(started.errors);
    co_return outcome;
}

}  // namespace iacctl::providers
