// SPDX-License-Identifier: BSL-1.0
#include "worker.hpp"

#include "base/child_process.hpp"
#include "base/environment.hpp"
#include "node_features.hpp"
#include "providers/built_in/perform.hpp"
#include "providers/operation.hpp"
#include "secure_stream.hpp"
#include "work_codec.hpp"

#include <strider/remote.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>
#include <variant>

namespace iacctl::slurm {

namespace {

namespace asio = strider::asio;
using asio::ip::tcp;
using strider::error_code;

constexpr std::uint32_t slots = 10;

struct tasks : work_codec {
    auto run(strider::remote::visit_context, work w) -> asio::awaitable<work_result>
    {
        if (auto* const operation = std::get_if<typed_operation>(&w)) {
            auto performing = perform(std::move(*operation));
            co_return co_await std::move(performing);
        }
        auto running = run_program(std::get<command>(std::move(w)));
        co_return co_await std::move(running);
    }

private:
    static auto perform(typed_operation to) -> asio::awaitable<typed_answer>
    {
        typed_answer end;
        // All operations of a session have the same directory; a program gets its own directory when it starts.
        if (::chdir(to.directory.c_str()) != 0) {
            end.directory_error = static_cast<std::uint32_t>(errno);
            co_return end;
        }
        auto operation = providers::decode_operation(to.content);
        if (!operation) throw std::runtime_error("the operation cannot be decoded");
        auto performing = providers::perform(std::move(*operation));
        auto const answer = co_await std::move(performing);
        end.content = providers::encode(answer);
        co_return end;
    }

    static auto run_program(command c) -> asio::awaitable<command_result>
    {
        child_command child;
        child.words = std::move(c.words);
        child.directory = std::move(c.directory);
        for (std::string const& one : c.environment) {
            auto const sign = one.find('=');
            if (sign != std::string::npos) child.added.emplace(one.substr(0, sign), one.substr(sign + 1));
        }
        // Variables that Slurm sets describe this node. All other variables are those of the machine that sent the
        // program.
        for (auto const& [name, text] : environment()) {
            if (name.starts_with("SLURM")) child.added.insert_or_assign(std::string(name), std::string(text));
            else child.withheld.emplace(name);
        }
        command_result end;
        auto running = run_child(std::move(child), [&](std::string_view got) {
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
using worker = strider::remote::basic_worker<tasks>;

auto serve_at(worker& w, tcp::endpoint where, asio::ssl::context& security) -> asio::awaitable<error_code>
{
    secure_stream stream(co_await asio::this_coro::executor, security);
    auto connecting = stream.lowest_layer().async_connect(where, asio::as_tuple(asio::use_awaitable));
    auto const [refused] = co_await std::move(connecting);
    if (refused) co_return refused;
    auto shaking = handshake(stream, asio::ssl::stream_base::client);
    if (auto const error = co_await std::move(shaking)) co_return error;
    auto serving = w.async_serve(std::move(stream), asio::as_tuple(asio::use_awaitable));
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
    options.slots = slots;
    auto const secret = plugin::certificate::from_secret_pem(environment_variable(credential_variable));
    ::unsetenv(credential_variable);
    if (!secret) return std::string("the variable ") + credential_variable + " has no key with its certificate";
    auto security = tls_context(asio::ssl::context::tls_client, *secret, *secret, plugin::application_protocol::none);
    if (!security) return "the certificate cannot be used";
    worker w(context.get_executor(), tasks(), options);
    asio::signal_set stop(context, SIGTERM);
    stop.async_wait([&](error_code cancelled, int) {
        if (!cancelled) w.drain();
    });
    std::exception_ptr thrown;
    asio::co_spawn(
        context, serve_at(w, tcp::endpoint(ip, port), *security), [&](std::exception_ptr failed, error_code end) {
            thrown = failed;
            error = end;
            stop.cancel();
            w.close();
        });
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    return error ? error.message() : std::string();
}

}  // namespace iacctl::slurm
