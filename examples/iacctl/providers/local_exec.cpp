// SPDX-License-Identifier: BSL-1.0
#include "local_exec.hpp"

#include "resource_type.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

extern char** environ;

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;
using language::type;
using strider::infra::diagnostics;
using strider::infra::make_error;

constexpr std::size_t remembered_output = 8 * 1024;

auto text_of(value const& v) -> std::string
{
    value const bare = v.unmarked();
    return bare.has_data() ? bare.as_string() : std::string();
}

auto failed(std::string summary, std::string detail) -> diagnostics
{
    diagnostics d;
    d.push_back(make_error(std::move(summary), std::move(detail)));
    return d;
}

// The text of a Go slice of strings, as Terraform prints the command: ["/bin/sh" "-c" "echo"].
auto quoted(std::vector<std::string> const& words) -> std::string
{
    std::string text = "[";
    for (std::string const& word : words) {
        if (text.size() > 1) text += ' ';
        text += '"';
        for (char const c : word) {
            switch (c) {
            case '"': text += "\\\""; break;
            case '\\': text += "\\\\"; break;
            case '\n': text += "\\n"; break;
            case '\t': text += "\\t"; break;
            case '\r': text += "\\r"; break;
            default: text += c;
            }
        }
        text += '"';
    }
    return text + "]";
}

// What to run, read from the configuration of the provisioner.
struct command_line {
    std::string command;
    std::vector<std::string> words;
    std::vector<std::string> environment;
    std::string directory;
    bool quiet = false;
};

auto read(value const& config) -> command_line
{
    command_line c;
    auto const of = [&](char const* name) {
        value const* const found = config.find(name);
        return found == nullptr ? value() : found->unmarked_deep();
    };
    c.command = text_of(of("command"));
    c.directory = text_of(of("working_dir"));
    value const quiet = of("quiet");
    c.quiet = quiet.has_data() && quiet.as_bool();
    for (value const& word : of("interpreter").elements()) c.words.push_back(text_of(word));
    if (c.words.empty()) c.words = {"/bin/sh", "-c"};
    c.words.push_back(c.command);
    std::map<std::string, std::string> added;
    value const environment = of("environment");
    for (language::value_entry const& e : environment.entries())
        if (!e.of.is_null()) added.insert_or_assign(e.key, text_of(e.of));
    for (char** inherited = environ; *inherited != nullptr; ++inherited) {
        std::string const entry = *inherited;
        if (!added.contains(entry.substr(0, entry.find('=')))) c.environment.push_back(entry);
    }
    for (auto const& [name, text] : added) c.environment.push_back(name + "=" + text);
    return c;
}

struct child {
    pid_t pid = -1;
    int output = -1;
    int error = 0;
};

auto pointers(std::vector<std::string>& words) -> std::vector<char*>
{
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

auto start(command_line& c) -> child
{
    child started;
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {-1, -1, errno};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
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
    auto environment = pointers(c.environment);
    started.error = ::posix_spawnp(
        &started.pid, c.words.front().c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (started.error != 0) ::close(pipe[0]);
    else started.output = pipe[0];
    return started;
}

auto describe(int status) -> std::string
{
    if (WIFSIGNALED(status)) return std::string("signal: ") + ::strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

// Waits for the end of a process as for anything else: its descriptor becomes readable.
auto wait_for(pid_t pid) -> task<int>
{
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

auto local_exec_schema() -> language::schema const&
{
    static language::schema const s{{
        {.name = "command", .of = type::string(), .required = true},
        {.name = "environment", .of = type::map(type::string()), .optional = true},
        {.name = "interpreter", .of = type::list(type::string()), .optional = true},
        {.name = "quiet", .of = type::boolean(), .optional = true},
        {.name = "working_dir", .of = type::string(), .optional = true},
    }};
    return s;
}

auto local_exec(strider::infra::provision_request<value> request) -> task<diagnostics>
{
    command_line c = read(request.config);
    if (c.command.empty()) co_return failed("Invalid local-exec provisioner command", "The command must not be empty.");
    if (c.quiet) request.print("local-exec: Executing: Suppressed by quiet=true");
    else request.print("Executing: " + quoted(c.words));
    child const started = start(c);
    if (started.error != 0)
        co_return failed("local-exec provisioner error",
            "Error running command '" + c.command + "': " + std::generic_category().message(started.error)
                + ". Output: ");

    co_await asio::this_coro::throw_if_cancelled(false);
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor output(executor, started.output);
    std::string line;
    std::string kept;
    std::array<char, 4096> buffer{};
    bool stopped = false;
    for (;;) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = output.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        if (error == asio::error::operation_aborted) {
            stopped = true;
            ::kill(-started.pid, SIGTERM);
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            continue;
        }
        std::string_view got(buffer.data(), size);
        kept += got;
        if (kept.size() > remembered_output) kept.erase(0, kept.size() - remembered_output);
        for (char const ch : got) {
            if (ch == '\n') {
                request.print(line);
                line.clear();
            } else if (ch != '\r') line += ch;
        }
        if (error) break;
    }
    if (!line.empty()) request.print(line);
    auto waiting = wait_for(started.pid);
    int const status = co_await std::move(waiting);
    if (status != 0 || stopped)
        co_return failed("local-exec provisioner error",
            "Error running command '" + c.command + "': " + describe(status) + ". Output: " + kept);
    co_return diagnostics();
}

}  // namespace iacctl::providers
