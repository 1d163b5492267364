// SPDX-License-Identifier: BSL-1.0
#include "read_answer.hpp"

#include "support/input_file.hpp"

#include <csignal>
#include <iostream>

#include <termios.h>
#include <unistd.h>

namespace iacctl::commands {

namespace {

class silent_terminal {
public:
    silent_terminal()
    {
        sigset_t interrupts;
        sigemptyset(&interrupts);
        sigaddset(&interrupts, SIGINT);
        sigaddset(&interrupts, SIGTERM);
        sigprocmask(SIG_BLOCK, &interrupts, &before_);
        is_terminal_ = tcgetattr(STDIN_FILENO, &shown_) == 0;
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
        sigprocmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t before_{};
    termios shown_{};
    bool is_terminal_ = false;
};

}  // namespace

auto read_answer(bool hidden) -> std::optional<std::string>
{
    std::optional<silent_terminal> silence;
    if (hidden) silence.emplace();
    auto line = read_line(std::cin);
    return line ? std::move(*line) : std::nullopt;
}

}  // namespace iacctl::commands
