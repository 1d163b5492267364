// SPDX-License-Identifier: BSL-1.0
#include "interrupts.hpp"

#include "sudden_end.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace iacctl::commands {

namespace {

constexpr std::chrono::seconds time_to_stop(3);

auto is_ignored(int signal) noexcept -> bool
{
    struct sigaction now{};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

[[noreturn]] void leave() noexcept
{
    leave_now(
        "\nThe program ended before everything had stopped. Operations that were under way are recorded as such: the "
        "next plan finds out how they ended.\n",
        interrupted_code);
}

}  // namespace

void interrupts::begin()
{
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
    wait();
    thread_ = std::thread([this] { context_.run(); });
}

interrupts::~interrupts()
{
    context_.stop();
    if (thread_.joinable()) thread_.join();
}

void interrupts::wait()
{
    signals_.async_wait([this](boost::system::error_code error, int) {
        if (error) return;
        interrupted();
        wait();
    });
}

void interrupts::interrupted()
{
    std::scoped_lock const held(guard_);
    if (++count_ > 2) leave();
    if (!to_) return;
    to_(count_);
    if (count_ < 2) return;
    deadline_.expires_after(time_to_stop);
    deadline_.async_wait([this](boost::system::error_code error) {
        std::scoped_lock const again(guard_);
        if (!error && to_) leave();
    });
}

void interrupts::tell(handler to)
{
    if (!thread_.joinable()) begin();
    std::scoped_lock const held(guard_);
    to_ = std::move(to);
    if (to_ && count_ > 0) to_(count_);
}

}  // namespace iacctl::commands
