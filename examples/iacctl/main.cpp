// SPDX-License-Identifier: BSL-1.0
#include "base/process_guard.hpp"
#include "base/ssh/askpass.hpp"
#include "base/ssh/proxy_connection.hpp"
#include "cli/commands/abnormal_termination.hpp"
#include "cli/commands/run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

namespace {

// The next file or socket would get the number of a standard stream that the caller has closed: an answer would be read from
// it, or output written to it. What is opened here is empty, and cannot be written, so lost output is still reported.
void open_closed_streams() noexcept
{
    for (int const stream : {0, 1, 2})
        if (::fcntl(stream, F_GETFD) == -1)
            (void)::open("/dev/null", O_RDONLY);  // opens the lowest number that is free
}

// Returns whether a descriptor is a pipe or socket whose other end is closed.
auto has_no_reader(int fd) noexcept -> bool
{
    pollfd one{fd, POLLOUT, 0};
    return ::poll(&one, 1, 0) == 1 && (one.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && argv[1] == iacctl::process_guard_argument) return iacctl::run_process_guard();
    if (iacctl::ssh::is_askpass(argc)) return iacctl::ssh::run_askpass();
    open_closed_streams();
    // An apply must continue when the reader of its output exits or a file reaches its limit: writes return errors
    // instead of raising signals.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    if (argc == 5 && argv[1] == iacctl::ssh::proxy_connection_argument)
        return iacctl::ssh::run_proxy_connection({argv + 2, argv + argc});
    iacctl::commands::install_terminate_handler();
    iacctl::allow_process_guard();
    std::ios::sync_with_stdio(false);
    std::vector<std::string> const arguments(argv + 1, argv + argc);
    int const code = iacctl::commands::run(arguments, std::cout, std::cerr);
    std::cout.flush();
    std::cerr.flush();
    if (std::cout && std::cerr) return code;
    // The reader has what it wants, for example the first lines. Other programs end in silence then.
    constexpr int code_of_sigpipe = 128 + SIGPIPE;
    if (!std::cout && std::cerr && has_no_reader(STDOUT_FILENO)) return code == 0 ? code_of_sigpipe : code;
    iacctl::commands::report_incomplete_output();
    return code == 0 ? 1 : code;
}
