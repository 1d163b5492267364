// SPDX-License-Identifier: BSL-1.0
#include "worker.hpp"

#include "command_codec.hpp"
#include "providers/blocking_child.hpp"
#include "support/environment.hpp"

#include <strider/remote.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <utility>

namespace iacctl::remote {

namespace {

namespace asio = strider::asio;
using asio::ip::tcp;
using strider::error_code;

constexpr std::uint32_t slots = 10;

struct commands : command_codec {
    auto run(strider::remote::visit_context, command what) -> asio::awaitable<command_end>
    {
        providers::child_command child;
        child.words = std::move(what.words);
        child.directory = std::move(what.directory);
        for (std::string const& one : what.environment) {
            auto const sign = one.find('=');
            if (sign != std::string::npos) child.added.emplace(one.substr(0, sign), one.substr(sign + 1));
        }
        // The variables that Slurm sets describe this node; others are those of the machine that sent the program.
        for (auto const& [name, text] : environment()) {
            if (name.starts_with("SLURM")) child.added.insert_or_assign(std::string(name), std::string(text));
            else child.withheld.emplace(name);
        }
        command_end end;
        auto running = providers::run_child(std::move(child), [&](std::string_view got) {
            end.output += got;
            if (end.output.size() > 2 * longest_output) end.output.erase(0, end.output.size() - longest_output);
            return true;
        });
        auto const outcome = co_await std::move(running);
        if (end.output.size() > longest_output) end.output.erase(0, end.output.size() - longest_output);
        end.start_error = static_cast<std::uint32_t>(outcome.start_error);
        end.status = static_cast<std::uint32_t>(outcome.status);
        end.stopped = outcome.stopped;
        co_return end;
    }
};
using worker = strider::remote::basic_worker<commands>;

// The features of a node, which the administrator of the cluster has given it.
auto features_of(std::string const& node) -> std::vector<std::string>
{
    providers::child_command asking;
    asking.words = {"sinfo", "--noheader", "--nodes=" + node, "--format=%b"};
    auto const answer = providers::run_child(std::move(asking), std::chrono::seconds(20), std::size_t{1} << 16U);
    std::vector<std::string> all;
    std::string one;
    for (char const c : answer.output + "\n") {
        bool const between = c == ',' || c == '\n' || c == ' ';
        if (!between) one += c;
        else if (!one.empty()) all.push_back(std::exchange(one, {}));
    }
    return all;
}

auto serve_at(worker& w, tcp::endpoint where) -> asio::awaitable<error_code>
{
    tcp::socket socket(co_await asio::this_coro::executor);
    auto connecting = socket.async_connect(where, asio::as_tuple(asio::use_awaitable));
    auto const [refused] = co_await std::move(connecting);
    if (refused) co_return refused;
    auto serving = w.async_serve(std::move(socket), asio::as_tuple(asio::use_awaitable));
    auto const [error] = co_await std::move(serving);
    co_return error;
}

}  // namespace

auto serve(std::string const& address) -> std::string
{
    error_code error;
    auto const colon = address.rfind(':');
    auto const ip = asio::ip::make_address(address.substr(0, colon), error);
    std::uint16_t port = 0;
    if (colon != std::string::npos) std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
    if (error || port == 0) return "the address is invalid";
    asio::io_context context(1);
    strider::remote::worker_options options;
    options.name = environment_variable("SLURMD_NODENAME");
    if (!options.name.empty()) options.labels = features_of(options.name);
    else options.name = asio::ip::host_name();
    options.application = application;
    options.credential = environment_variable(credential_variable);
    options.slots = slots;
    ::unsetenv(credential_variable);
    worker w(context.get_executor(), commands(), options);
    asio::signal_set stop(context, SIGTERM);
    stop.async_wait([&](error_code cancelled, int) {
        if (!cancelled) w.drain();
    });
    std::exception_ptr thrown;
    asio::co_spawn(context, serve_at(w, tcp::endpoint(ip, port)), [&](std::exception_ptr failed, error_code end) {
        thrown = failed;
        error = end;
        stop.cancel();
        w.close();
    });
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    return error ? error.message() : std::string();
}

}  // namespace iacctl::remote
