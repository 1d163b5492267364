// SPDX-License-Identifier: BSL-1.0
#include "child_process.hpp"

#include "file_descriptor.hpp"
#include "last_error.hpp"
#include "memory_file.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace iacctl {

namespace {

namespace asio = strider::asio;

struct started_child {
    process child;
    file_descriptor output;
    file_descriptor errors;
};

auto start_child(child_command const& c) -> boost::system::result<started_child>
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return last_error();
    file_descriptor output(pipe[0]);
    file_descriptor const writing(pipe[1]);
    file_descriptor input(-1);
    file_descriptor errors(-1);
    if (c.input) input = memory_file(*c.input);
    if (c.keeps_errors_apart) errors = bounded_memory_file(child_outcome::longest_errors);
    if ((c.input && input.get() < 0) || (c.keeps_errors_apart && errors.get() < 0)) return last_error();
    auto started = process::start(c, {input.get(), writing.get(), c.keeps_errors_apart ? errors.get() : writing.get()});
    if (!started) return started.error();
    return started_child{std::move(*started), std::move(output), std::move(errors)};
}

// Ends a group, and waits up to a second until its first process has ended and its output is closed.
auto end_group(process const& child, asio::posix::stream_descriptor& reading_end,
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
    std::string const how = process_status_text(status);
    return stopped ? "stopped by iacctl (" + how + ")" : how;
}

auto run_child(child_command command, std::function<bool(std::string_view)> output)
    -> strider::infra::task<child_outcome>
{
    child_outcome outcome;
    auto started = start_child(command);
    if (!started) {
        outcome.start_error = started.error().value();
        co_return outcome;
    }
    process child = std::move(started->child);

    co_await asio::this_coro::throw_if_cancelled(false);
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor reading_end(executor, started->output.release());
    std::array<char, 4096> buffer{};
    while (!outcome.stopped) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = reading_end.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        bool const desired = output(std::string_view(buffer.data(), size));
        outcome.stopped = error == asio::error::operation_aborted || !desired;
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
    if (command.keeps_errors_apart) outcome.errors = content_of(started->errors);
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

}  // namespace iacctl
