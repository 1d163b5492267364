// SPDX-License-Identifier: BSL-1.0
#include "interrupts.hpp"

#include "abnormal_termination.hpp"

#include <chrono>
#include <csignal>
#include <memory>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace {

constexpr std::chrono::seconds time_to_stop(3);

auto is_ignored(int signal) noexcept -> bool
{
    struct sigaction now{};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

constexpr std::string_view first_notice =
    "\nInterrupt received. The command releases its lock and ends. A second interrupt ends it at once.\n";
constexpr std::string_view end_of_command = "\nThe second interrupt ended the command.\n";
constexpr std::string_view end_of_run = "\nThe program ended while operations were running. State records these "
                                        "operations, and the next plan determines their results.\n";

}  // namespace

void interrupts::defer()
{
    if (handling_) return;
    handling_ = std::make_unique<handling>();
    handling_->signals.add(SIGINT);
    handling_->signals.add(SIGTERM);
    if (!is_ignored(SIGHUP)) handling_->signals.add(SIGHUP);
    wait();
    thread_ = std::thread([this] { handling_->context.run(); });
}

void interrupts::restore()
{
    if (!handling_) return;
    handling_->context.stop();
    if (thread_.joinable()) thread_.join();
    handling_.reset();
}

void interrupts::wait()
{
    handling_->signals.async_wait([this](boost::system::error_code error, int) {
        if (error) return;
        interrupted();
        wait();
    });
}

void interrupts::interrupted()
{
    std::scoped_lock const held(guard_);
    if (++count_ > deferred_) exit_immediately(deferred_ > 1 ? end_of_run : end_of_command, interrupted_code);
    if (!to_ && count_ == 1) print_to_standard_error(first_notice);
    if (!to_) return;
    to_(count_);
    if (count_ < 2) return;
    handling_->deadline.expires_after(time_to_stop);
    handling_->deadline.async_wait([this](boost::system::error_code error) {
        std::scoped_lock const again(guard_);
        if (!error && to_) exit_immediately(end_of_run, interrupted_code);
    });
}

void interrupts::set_handler(handler to)
{
    defer();
    std::scoped_lock const held(guard_);
    to_ = std::move(to);
    if (to_) deferred_ = 2;
    if (to_ && count_ > 0) to_(count_);
}

}  // namespace iacctl::commands
