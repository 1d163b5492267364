// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PLUGINS_CLIENT_SUPPORT_HPP
#define STRIDER_TESTS_IACCTL_PLUGINS_CLIENT_SUPPORT_HPP

#include "providers/plugin/client.hpp"

#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace plugin_tests {

namespace asio = boost::asio;

/// The running fake providers that this process has started. A sanitizer may have started other programs.
inline auto children() -> std::vector<pid_t>
{
    std::vector<pid_t> all;
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(thread.path() / "children");
        for (pid_t one = 0; list >> one;) {
            std::string name;
            std::getline(std::ifstream("/proc/" + std::to_string(one) + "/comm"), name);
            if (name == "fake_provider") all.push_back(one);
        }
    }
    return all;
}

inline auto runs(pid_t process) -> bool
{
    return ::kill(process, 0) == 0;
}

/// The process of the client that was started last.
inline auto last_process() -> pid_t&
{
    static pid_t process = 0;
    auto const all = children();
    if (!all.empty()) process = all.back();
    return process;
}

inline auto command(std::string const& mode, std::string const& program = FAKE_PROVIDER) -> iacctl::process_command
{
    iacctl::process_command made;
    made.words = {program};
    made.added = {{"FAKE_PROVIDER", mode}};
    return made;
}

/// Starts the fake provider in a mode and runs `body(client)` if the start succeeds.
template <class Body>
void start_and(asio::io_context& context, std::string const& mode, iacctl::plugin::client_options co, Body body,
    std::optional<iacctl::plugin::failure>* failed = nullptr, std::string const& program = FAKE_PROVIDER)
{
    auto work = [](asio::io_context& in, iacctl::process_command pc, iacctl::plugin::client_options options, Body run,
                    std::optional<iacctl::plugin::failure>* why) -> asio::awaitable<void> {
        auto starting = iacctl::plugin::client::start(in.get_executor(), "fake", std::move(pc), std::move(options));
        auto const made = co_await std::move(starting);
        (void)last_process();
        if (made) {
            auto running = run(*made);
            co_await std::move(running);
        } else if (why != nullptr) {
            *why = made.error();
        } else {
            ADD_FAILURE() << made.error().what.detail;
        }
    };
    auto const done = [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    };
    asio::co_spawn(context, work(context, command(mode, program), std::move(co), std::move(body), failed), done);
}

/// The result of `body(client)` with a fake provider, which is closed afterwards.
template <class Body>
auto with_provider(std::string const& mode, iacctl::plugin::client_options options, Body body)
{
    using result = typename std::invoke_result_t<Body, iacctl::plugin::client&>::value_type;
    std::optional<result> made;
    asio::io_context context(1);
    bool closed = false;
    start_and(context, mode, std::move(options),
        [&](std::shared_ptr<iacctl::plugin::client> provider) -> asio::awaitable<void> {
            auto running = body(*provider);
            made.emplace(co_await std::move(running));
            auto closing = provider->close();
            co_await std::move(closing);
            closed = true;
        });
    context.run_for(std::chrono::seconds(30));
    EXPECT_TRUE(closed) << "the provider takes longer than 30 s";
    return made ? std::move(*made) : result{};
}

inline auto failure_of_start(std::string const& mode, iacctl::plugin::client_options options,
    std::string const& program = FAKE_PROVIDER) -> iacctl::plugin::failure
{
    std::optional<iacctl::plugin::failure> failed;
    asio::io_context context(1);
    auto none = [](std::shared_ptr<iacctl::plugin::client>) -> asio::awaitable<void> { co_return; };
    start_and(context, mode, std::move(options), none, &failed, program);
    context.run_for(std::chrono::seconds(30));
    EXPECT_TRUE(failed) << mode;
    return failed.value_or(iacctl::plugin::failure{});
}

/// Runs several coroutines at the same time and waits for all of them.
inline auto all_of(std::vector<asio::awaitable<void>> all) -> asio::awaitable<void>
{
    auto const executor = co_await asio::this_coro::executor;
    asio::steady_timer done(executor, asio::steady_timer::time_point::max());
    std::size_t left = all.size();
    for (auto& one : all)
        asio::co_spawn(executor, std::move(one), [&](std::exception_ptr) {
            if (--left == 0) done.cancel();
        });
    while (left > 0) {
        auto waiting = done.async_wait(asio::as_tuple(asio::use_awaitable));
        (void)co_await std::move(waiting);
    }
}

/// A provider that is started without a client, so it uses no TLS. It ends with this object.
class started_by_hand {
public:
    started_by_hand(iacctl::process its_process, std::string line)
        : first_line(std::move(line)),
          process(its_process.id()),
          owned_(std::move(its_process))
    {}

    std::string first_line;
    pid_t process;

private:
    iacctl::process owned_;
};

inline auto start_by_hand(std::string const& mode) -> started_by_hand
{
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    auto what = command(mode);
    what.added.merge(iacctl::plugin::handshake_environment(""));
    auto started = iacctl::process::start(what, {-1, pipe[1], -1});
    ::close(pipe[1]);
    std::string line;
    for (char c = 0; ::read(pipe[0], &c, 1) == 1 && c != '\n';) line += c;
    ::close(pipe[0]);
    return {std::move(started).value(), line};
}

}  // namespace plugin_tests

#endif  // STRIDER_TESTS_IACCTL_PLUGINS_CLIENT_SUPPORT_HPP
