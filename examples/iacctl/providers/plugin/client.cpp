// SPDX-License-Identifier: BSL-1.0
#include "client.hpp"

#include "base/environment.hpp"
#include "base/net/byte_stream.hpp"
#include "base/process_guard.hpp"
#include "base/trimmed.hpp"
#include "certificate.hpp"
#include "messages/plugins.hpp"
#include "messages/report.hpp"
#include "plugin_process.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace iacctl::plugin {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

// Time limits after the end of a connection, for the end of the process that caused it.
constexpr milliseconds crash_delay{1'000};
constexpr milliseconds kill_delay{5'000};

auto status_name(int status) -> std::string
{
    static constexpr std::array<char const*, 17> names{"OK", "Canceled", "Unknown", "InvalidArgument",
        "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
        "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated"};
    auto const number = static_cast<std::size_t>(status);
    return number < names.size() ? names[number] : "status " + std::to_string(status);
}

using connected = boost::system::result<net::byte_stream::socket, std::string>;

auto refused(std::string why) -> connected
{
    return {boost::system::in_place_error, std::move(why)};
}

auto connect_locally(asio::any_io_executor on, std::string path) -> asio::awaitable<connected>
{
    asio::local::stream_protocol::socket socket(on);
    asio::local::stream_protocol::endpoint where;
    try {
        where = asio::local::stream_protocol::endpoint(path);
    } catch (boost::system::system_error const& failed) {
        co_return refused("the path of its socket cannot be used: " + failed.code().message());
    }
    auto token = asio::as_tuple(asio::use_awaitable);
    auto connecting = socket.async_connect(where, token);
    auto const [error] = co_await std::move(connecting);
    if (error) co_return refused("its socket cannot be connected: " + error.message());
    co_return connected(std::move(socket));
}

// \param place  "HOST:PORT"
auto connect_by_tcp(asio::any_io_executor on, std::string place) -> asio::awaitable<connected>
{
    auto const colon = place.rfind(':');
    if (colon == std::string::npos) co_return refused("the address of its socket is not HOST:PORT");
    std::string const host(trimmed(std::string_view(place).substr(0, colon), "[]"));
    std::string const port = place.substr(colon + 1);
    auto token = asio::as_tuple(asio::use_awaitable);
    asio::ip::tcp::resolver resolver(on);
    auto resolving = resolver.async_resolve(host, port, token);
    auto const [not_found, endpoints] = co_await std::move(resolving);
    if (not_found) co_return refused("the address of its socket cannot be resolved: " + not_found.message());
    asio::ip::tcp::socket socket(on);
    auto connecting = asio::async_connect(socket, endpoints, token);
    auto const [error, endpoint] = co_await std::move(connecting);
    if (error) co_return refused("its socket cannot be connected: " + error.message());
    co_return connected(std::move(socket));
}

/// The places of the socket of a provider. They are removed even if this process is killed.
class socket_places {
public:
    socket_places() = default;
    socket_places(socket_places const&) = delete;
    auto operator=(socket_places const&) -> socket_places& = delete;
    ~socket_places() { remove(); }

    /// Makes a directory for the socket. \return empty on failure, and if it is too long for the address of a socket
    auto make_directory() -> std::string
    {
        constexpr std::size_t longest_name = 24;  // of a socket, with a slash
        std::error_code error;
        std::string made =
            std::filesystem::absolute(std::filesystem::temp_directory_path(error), error) / "iacctl-XXXXXX";
        if (error || made.size() + longest_name >= sizeof(sockaddr_un::sun_path)) return {};
        if (::mkdtemp(made.data()) == nullptr) return {};
        add(made);
        return made;
    }
    void add(std::string path)
    {
        guard_sockets(path);
        paths_.push_back(std::move(path));
    }
    void remove() noexcept
    {
        for (; !paths_.empty(); paths_.pop_back()) {
            remove_sockets(paths_.back());
            release_sockets(paths_.back());
        }
    }

private:
    std::vector<std::string> paths_;
};

}  // namespace

struct client::impl : std::enable_shared_from_this<impl> {
    impl(asio::any_io_executor const& on, std::string its_provider, client_options its_options)
        : strand(asio::make_strand(on)),
          provider(std::move(its_provider)),
          how(std::move(its_options))
    {}

    [[nodiscard]] static auto start(std::shared_ptr<impl> self, process_command program)
        -> asio::awaitable<std::optional<std::string>>;
    [[nodiscard]] static auto connect(std::shared_ptr<impl> self, std::optional<asio::ssl::context> security,
        milliseconds limit) -> asio::awaitable<std::optional<std::string>>;
    [[nodiscard]] static auto lost(std::shared_ptr<impl> self, method_name name, grpc_reply reply)
        -> asio::awaitable<failure>;
    [[nodiscard]] static auto close(std::shared_ptr<impl> self) -> asio::awaitable<void>;

    [[nodiscard]] auto failed_call(method_name const& name, grpc_reply const& reply) const -> failure;
    [[nodiscard]] auto record_of(method_name const& name) const -> log_record;
    void take_output(std::string_view data) const;
    void abandon();

    asio::strand<asio::any_io_executor> strand;
    std::string provider;
    client_options how;
    int protocol_version = 0;
    plugin_socket socket;
    socket_places places;
    bool lives_on = false;  // it must not be ended by this program
    bool closed = false;
    std::shared_ptr<plugin_process> process;  // null: the provider was started separately
    std::shared_ptr<grpc_channel> channel;
};

auto client::impl::start(std::shared_ptr<impl> self, process_command program)
    -> asio::awaitable<std::optional<std::string>>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    auto const begin = std::chrono::steady_clock::now();
    auto const own = certificate::make();
    if (!own) co_return "no certificate for the connection can be made";
    for (auto& [name, value] : handshake_environment(own->pem()))
        program.added.insert_or_assign(name, std::move(value));
    // Plugins that do not know this variable create their socket in the directory for temporary files.
    if (std::string directory = self->places.make_directory(); !directory.empty())
        program.added.try_emplace("PLUGIN_UNIX_SOCKET_DIR", std::move(directory));
    // Without this setting the plugin SDK logs each of its steps, which takes longer than the calls.
    if (!self->how.log && environment_variable("TF_LOG_SDK").empty()) program.added.try_emplace("TF_LOG_SDK", "OFF");
    std::string const file = program.words.front().substr(program.words.front().rfind('/') + 1);
    auto started = plugin_process::start(self->strand, program, "provider." + file, self->how.log);
    if (!started) co_return started.error().message();
    self->process = *started;

    auto reading = self->process->first_line(self->how.times.start);
    auto const line = co_await std::move(reading);
    if (!line && self->process->has_ended())
        co_return "its process ended (" + self->process->status_text() + ") before it could be called. Its output:\n\n"
            + self->process->last_output();
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return "the start was cancelled";
    if (!line) co_return "it did not report its socket within " + std::to_string(self->how.times.start.count()) + " ms";

    auto const found = handshake::parse(*line);
    if (!found) co_return found.error();
    self->protocol_version = found->protocol_version;
    self->socket = found->socket;
    if (!self->socket.tcp && self->socket.text.starts_with('/')) self->places.add(self->socket.text);
    if (found->certificate.empty()) co_return "it does not use TLS, which is required";
    auto const peer = certificate::from_der(found->certificate);
    if (!peer) co_return "its certificate cannot be read";
    auto security = tls_context(asio::ssl::context::tls_client, *own, *peer);
    if (!security) co_return "its certificate cannot be used";
    auto const passed = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
    auto connecting = connect(self, std::move(security), std::max(milliseconds(1), self->how.times.start - passed));
    auto problem = co_await std::move(connecting);
    if (!problem || self->process == nullptr) co_return problem;
    auto ending = self->process->wait_for_end(crash_delay);
    if (co_await std::move(ending))
        *problem =
            "its process ended (" + self->process->status_text() + "). Its output:\n\n" + self->process->last_output();
    co_return problem;
}

auto client::impl::connect(std::shared_ptr<impl> self, std::optional<asio::ssl::context> security, milliseconds limit)
    -> asio::awaitable<std::optional<std::string>>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    auto connecting = self->socket.tcp ? connect_by_tcp(self->strand, self->socket.text)
                                       : connect_locally(self->strand, self->socket.text);
    auto socket = co_await std::move(connecting);
    if (!socket) co_return socket.error();

    auto const stream = std::make_shared<net::byte_stream>(std::move(*socket), security ? &*security : nullptr);
    stream->expires_after(limit);
    auto shaking = stream->handshake(asio::ssl::stream_base::client);
    auto const refused = co_await std::move(shaking);
    if (stream->has_expired()) co_return "it did not answer within " + std::to_string(limit.count()) + " ms";
    if (refused) co_return "the TLS handshake failed: " + refused.message();

    self->channel = std::make_shared<grpc_channel>(stream, self->how.limits);
    self->channel->open();
    // Without a reader, a provider that writes much output would block.
    auto const known = std::weak_ptr(self);
    self->channel->subscribe(protocol::StreamStdio::name.path(self->protocol_version), [known](std::string_view data) {
        auto const one = known.lock();
        if (one) one->take_output(data);
        return one != nullptr;
    });
    co_return std::nullopt;
}

void client::impl::take_output(std::string_view data) const
{
    protocol::StreamStdio::Event output;
    if (!output.ParseFromArray(data.data(), static_cast<int>(data.size()))) return;
    std::string_view rest = output.data();
    while (!rest.empty()) {
        auto const end = std::min(rest.find('\n'), rest.size());
        if (process) process->log_line(rest.substr(0, end));
        else if (how.log) how.log(log_record::of_line(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

// A connection usually ends because its process has ended, which may be detected later.
auto client::impl::lost(std::shared_ptr<impl> self, method_name name, grpc_reply reply) -> asio::awaitable<failure>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    if (self->process) {
        auto ending = self->process->wait_for_end(crash_delay);
        (void)co_await std::move(ending);
    }
    co_return self->failed_call(name, reply);
}

// A log record of a call in terraform's format.
auto client::impl::record_of(method_name const& name) const -> log_record
{
    log_record made;
    made.level = log_level::trace;
    made.message = protocol_version == 5 ? "GRPCProvider: " : "GRPCProvider.v6: ";
    made.message += name.version_6;
    made.fields.emplace_back("provider", provider);
    return made;
}

// \pre called on the strand, or the connection is not lost
auto client::impl::failed_call(method_name const& name, grpc_reply const& reply) const -> failure
{
    using messages::make_error;
    std::string_view const call = protocol_version == 5 ? name.version_5 : name.version_6;
    failure made;
    made.sent = reply.sent;
    switch (reply.end) {
    case grpc_end::answered:
        made.kind = failure_kind::refused;
        made.status = reply.status;
        made.what =
            make_error(messages::plugin_call_failed, {provider, call, status_name(reply.status) + ": " + reply.text});
        break;
    case grpc_end::malformed:
        made.kind = failure_kind::invalid;
        made.what = make_error(messages::plugin_answer_invalid, {provider, call, reply.text});
        break;
    case grpc_end::timed_out:
        made.kind = failure_kind::timed_out;
        made.what = make_error(messages::plugin_call_timed_out, {provider, call, reply.text});
        break;
    case grpc_end::cancelled:
        made.kind = failure_kind::cancelled;
        made.what = make_error(messages::plugin_call_cancelled, {provider, call});
        break;
    case grpc_end::lost:
        if (process && process->has_ended()) {
            made.kind = failure_kind::crashed;
            made.what =
                make_error(messages::plugin_crashed, {provider, call, process->status_text(), process->last_output()});
        } else {
            made.kind = failure_kind::lost;
            made.what = make_error(messages::plugin_connection_lost, {provider, call, reply.text});
        }
        break;
    }
    return made;
}

auto client::impl::close(std::shared_ptr<impl> self) -> asio::awaitable<void>
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    if (std::exchange(self->closed, true)) co_return;
    bool requested = false;
    if (self->channel && self->channel->is_open() && !self->lives_on) {
        auto const path = protocol::Shutdown::name.path(self->protocol_version);
        auto ending = self->channel->async_call(path, {}, self->how.times.shutdown, asio::use_awaitable);
        auto const reply = co_await std::move(ending);
        requested = reply.sent && reply.end != grpc_end::timed_out;
    }
    if (self->channel) self->channel->close("the client is closed");
    if (!self->process) co_return;
    struct step {
        int signal;
        milliseconds wait;
    };
    std::array const steps{step{0, requested ? self->how.times.shutdown : milliseconds(0)},
        step{SIGTERM, self->how.times.termination}, step{SIGKILL, kill_delay}};
    for (auto const& [signal, wait] : steps) {
        if (signal != 0) self->process->signal(signal);
        auto ending = self->process->wait_for_end(wait);
        if (co_await std::move(ending)) break;
    }
    self->places.remove();
}

void client::impl::abandon()
{
    if (std::exchange(closed, true)) return;
    if (channel) channel->close("the client is closed");
    if (!process) return;
    process->signal(SIGKILL);
    places.remove();
}

client::client(std::shared_ptr<impl> state) : impl_(std::move(state)) {}

client::~client()
{
    auto const strand = impl_->strand;
    asio::post(strand, [state = std::move(impl_)] { state->abandon(); });
}

auto client::start(asio::any_io_executor executor, std::string provider, process_command program,
    client_options options) -> asio::awaitable<outcome<std::shared_ptr<client>>>
{
    std::string const file = program.words.front();
    auto const state = std::make_shared<impl>(executor, std::move(provider), std::move(options));
    auto made = std::shared_ptr<client>(new client(state));
    auto starting = impl::start(state, std::move(program));
    auto spawned = asio::co_spawn(state->strand, std::move(starting), asio::use_awaitable);
    auto const problem = co_await std::move(spawned);
    if (!problem) co_return made;
    co_return failure{failure_kind::not_started, 0, false,
        messages::make_error(messages::plugin_not_started, {state->provider, file, *problem})};
}

auto client::reattach(asio::any_io_executor executor, std::string provider, reattached_provider where,
    client_options options) -> asio::awaitable<outcome<std::shared_ptr<client>>>
{
    auto const state = std::make_shared<impl>(executor, std::move(provider), std::move(options));
    state->socket = where.socket;
    state->protocol_version = where.protocol_version;
    state->lives_on = where.test;
    auto made = std::shared_ptr<client>(new client(state));
    auto connecting = impl::connect(state, std::nullopt, state->how.times.start);
    auto spawned = asio::co_spawn(state->strand, std::move(connecting), asio::use_awaitable);
    auto const problem = co_await std::move(spawned);
    if (!problem) co_return made;
    co_return failure{failure_kind::not_started, 0, false,
        messages::make_error(messages::plugin_reattach_failed, {state->provider, where.socket.text, *problem})};
}

auto client::protocol_version() const noexcept -> int
{
    return impl_->protocol_version;
}

auto client::is_open() const noexcept -> bool
{
    return impl_->channel->is_open();
}

auto client::stop() -> asio::awaitable<std::string>
{
    auto stopping = call<protocol::StopProvider>({}, impl_->how.times.stop);
    auto answer = co_await std::move(stopping);
    co_return answer ? answer->error() : answer.error().what.detail;
}

auto client::close() -> asio::awaitable<void>
{
    auto closing = impl::close(impl_);
    auto spawned = asio::co_spawn(impl_->strand, std::move(closing), asio::use_awaitable);
    co_await std::move(spawned);
}

auto client::send(method_name const& name, std::string request, milliseconds timeout, message_sink on_message)
    -> asio::awaitable<outcome<std::string>>
{
    auto const state = impl_;
    if (state->how.log) state->how.log(state->record_of(name));
    auto path = name.path(state->protocol_version);
    auto calling = on_message
        ? state->channel->async_stream(std::move(path), std::move(request), std::move(on_message), asio::use_awaitable)
        : state->channel->async_call(std::move(path), std::move(request), timeout, asio::use_awaitable);
    grpc_reply reply = co_await std::move(calling);
    if (reply.succeeded()) co_return std::move(reply.message);
    if (reply.end != grpc_end::lost) co_return state->failed_call(name, reply);
    // A cancelled caller receives the reason, too.
    bool const throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto losing = impl::lost(state, name, std::move(reply));
    auto spawned = asio::co_spawn(state->strand, std::move(losing), asio::use_awaitable);
    auto why = co_await std::move(spawned);
    co_await asio::this_coro::throw_if_cancelled(throws);
    co_return why;
}

auto client::invalid(method_name const& name, std::string_view why) const -> failure
{
    grpc_reply reply;
    reply.end = grpc_end::malformed;
    reply.text = why;
    reply.sent = true;
    return impl_->failed_call(name, reply);
}

}  // namespace iacctl::plugin
