// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_COMMAND_HPP
#define CLUSTER_MAKE_COMMAND_HPP

#include <strider/remote.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cluster_make {

namespace asio = boost::asio;
namespace remote = strider::remote;

/// A shell script and the folder in which it runs.
struct command {
    std::string script;
    std::string folder;
};
/// The end of a command: its exit code, 128 + the signal that ended it, and the last part of its output.
struct command_result {
    std::uint32_t code = 0;
    std::string output;
};

/// Codec of commands and their ends.
struct command_codec {
    using action_type = command;
    using result_type = command_result;

    void encode_action(command const& c, std::string& to) const
    {
        remote::field_writer(to).text(c.script).text(c.folder);
    }
    [[nodiscard]] auto decode_action(std::string_view bytes) const -> std::optional<command>
    {
        remote::field_reader in(bytes);
        command c;
        c.script = in.text();
        c.folder = in.text();
        return in.at_end() ? std::optional(std::move(c)) : std::nullopt;
    }
    void encode_result(command_result const& e, std::string& to) const
    {
        remote::field_writer(to).number(e.code).text(e.output);
    }
    [[nodiscard]] auto decode_result(std::string_view bytes) const -> std::optional<command_result>
    {
        remote::field_reader in(bytes);
        command_result e;
        e.code = in.number<std::uint32_t>();
        e.output = in.text();
        return in.at_end() ? std::optional(std::move(e)) : std::nullopt;
    }
};

/// Like `fork`. In the child, SIGINT, SIGTERM and SIGCHLD have their default actions from the first instruction.
/// Otherwise a handler of the parent could receive a signal that arrives before `exec`, and the signal would be lost.
inline auto fork_with_default_signals() -> ::pid_t
{
    sigset_t blocked;
    sigset_t before;
    ::sigfillset(&blocked);
    ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
    ::pid_t const id = ::fork();
    int const error = errno;
    if (id == 0)
        for (int const each : {SIGINT, SIGTERM, SIGCHLD}) ::signal(each, SIG_DFL);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return id;
}

/// A process group that ends with the object and with this process.
class child {
public:
    /// \param become  called in the child: replaces it with a program, or returns if that fails
    template <class Become>
    explicit child(Become const& become)
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
        id_ = fork_with_default_signals();
        if (id_ == 0) {
            ::setpgid(0, 0);
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::dup2(ends[1], STDOUT_FILENO);
            ::dup2(ends[1], STDERR_FILENO);
            become();
            ::_exit(127);
        }
        int const error = errno;
        ::close(ends[1]);
        output_ = ends[0];
        if (id_ < 0) {
            ::close(output_);
            throw std::system_error(error, std::generic_category(), "fork");
        }
        ::setpgid(id_, id_);
    }
    child(child const&) = delete;
    auto operator=(child const&) -> child& = delete;
    ~child()
    {
        if (id_ <= 0) return;
        ::kill(-id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }

    /// The end of the pipe from which the output is read. The caller closes it.
    [[nodiscard]] auto output() const noexcept -> int { return output_; }
    /// A descriptor that is readable when the child has ended. The caller closes it.
    [[nodiscard]] auto watched() const -> int
    {
        long const fd = ::syscall(SYS_pidfd_open, id_, 0);
        if (fd < 0) throw std::system_error(errno, std::generic_category(), "pidfd_open");
        return static_cast<int>(fd);
    }
    /// \pre The child has ended.
    auto code() -> std::uint32_t
    {
        int status = 0;
        ::waitpid(id_, &status, 0);
        ::kill(-id_, SIGKILL);  // what it left in the background
        id_ = -1;
        return static_cast<std::uint32_t>(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }

private:
    ::pid_t id_ = -1;
    int output_ = -1;
};

inline constexpr std::size_t kept_output = std::size_t{1} << 20U;

/// Runs a child to its end. A cancellation kills its process group and throws an exception.
template <class Become>
auto run_child(Become become) -> asio::awaitable<command_result>
{
    auto const executor = co_await asio::this_coro::executor;
    child process(become);
    asio::posix::stream_descriptor output(executor, process.output());
    asio::posix::stream_descriptor ended(executor, process.watched());
    command_result end;
    std::array<char, 16384> piece{};
    for (;;) {
        auto reading = output.async_read_some(asio::buffer(piece), asio::as_tuple(asio::use_awaitable));
        auto const [error, size] = co_await std::move(reading);
        if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
        if (error) break;
        end.output.append(piece.data(), size);
        if (end.output.size() > 2 * kept_output) end.output.erase(0, end.output.size() - kept_output);
    }
    auto waiting = ended.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    co_await std::move(waiting);
    if (end.output.size() > kept_output) end.output.erase(0, end.output.size() - kept_output);
    end.code = process.code();
    co_return end;
}

/// Runs commands as processes.
struct commands : command_codec {
    auto run(remote::visit_context context, command what) -> asio::awaitable<command_result>
    {
        auto const become = [&] {
            ::unsetenv("CLUSTER_MAKE_CREDENTIAL");
            ::setenv("CLUSTER_MAKE_KEY", context.key().c_str(), 1);
            ::setenv("CLUSTER_MAKE_TOKEN", std::to_string(context.fencing_token()).c_str(), 1);
            if (::chdir(what.folder.c_str()) == 0) ::execl("/bin/sh", "sh", "-e", "-c", what.script.c_str(), nullptr);
            std::perror(what.folder.c_str());
        };
        auto running = run_child(become);
        co_return co_await std::move(running);
    }
};

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_COMMAND_HPP
