// SPDX-License-Identifier: BSL-1.0
#include "read_answer.hpp"

#include "base/input_file.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <iostream>
#include <optional>

namespace iacctl::commands {

namespace {

class silent_terminal {
public:
    silent_terminal() : is_terminal_(tcgetattr(STDIN_FILENO, &shown_) == 0)
    {
        if (!is_terminal_) return;
        termios silent = shown_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &silent);
    }
    silent_terminal(silent_terminal const&) = delete;
    auto operator=(silent_terminal const&) -> silent_terminal& = delete;
    ~silent_terminal()
    {
        if (is_terminal_) tcsetattr(STDIN_FILENO, TCSADRAIN, &shown_);
    }

private:
    termios shown_{};
    bool is_terminal_ = false;
};

// Returns when there is input, or when the input has ended.
void wait_for_input(workspace::interrupt_source const& interrupts)
{
    constexpr int between_checks = 100;  // milliseconds
    if (std::cin.rdbuf()->in_avail() > 0) return;
    for (pollfd input{STDIN_FILENO, POLLIN, 0}; ::poll(&input, 1, between_checks) <= 0;) interrupts.check();
}

}  // namespace

auto read_line_of_input(workspace::interrupt_source* interrupts, bool hidden)
    -> boost::system::result<std::optional<std::string>>
{
    // If the process ended while the echo is off, the terminal would stay in this mode.
    workspace::interrupt_deferral const deferred(interrupts);
    std::optional<silent_terminal> silence;
    if (hidden) silence.emplace();
    if (interrupts == nullptr) return read_line(std::cin);
    wait_for_input(*interrupts);
    auto line = read_line(std::cin);
    interrupts->check();
    return line;
}

}  // namespace iacctl::commands
