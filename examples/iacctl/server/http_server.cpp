// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"

#include "authenticator.hpp"
#include "base/encoding.hpp"
#include "base/net/byte_stream.hpp"
#include "base/timestamp.hpp"
#include "connection_table.hpp"
#include "listener.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "origin_rules.hpp"
#include "state/state_error.hpp"
#include "state/store_thread.hpp"
#include "state_service.hpp"
#include "tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/dynamic_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using state::make_failure;
using state::task;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t longest_header = 16 * 1024;
constexpr std::uint64_t slowest_rate = 32 * 1024;  // bytes per second
constexpr std::size_t most_drained = 1024 * 1024;
constexpr std::size_t header_read_size = 4096;  // an idle connection keeps a buffer of this size
constexpr std::size_t body_read_size = 64 * 1024;
constexpr std::size_t write_size = 64 * 1024;

using net::byte_stream;
// A body takes memory as it arrives: `string_body` would reserve the length that a client announces.
using http_parser = beast::http::request_parser<beast::http::dynamic_body>;
using http_request = beast::http::request<beast::http::dynamic_body>;
using http_response = beast::http::response<beast::http::string_body>;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

// The limit for a transfer, counted from its beginning: it grows with each byte, so that a client cannot keep the
// connection by announcing a large body.
class transfer_limit {
public:
    transfer_limit(byte_stream& stream, milliseconds timeout)
        : stream_(&stream),
          end_(byte_stream::clock::now() + timeout)
    {
        apply();
    }
    void transferred(std::size_t bytes)
    {
        bytes_ += bytes;
        apply();
    }

private:
    void apply()
    {
        stream_->expires_after(end_ + milliseconds(bytes_ * 1000 / slowest_rate) - byte_stream::clock::now());
    }

    byte_stream* stream_;
    byte_stream::clock::time_point end_;
    std::uint64_t bytes_ = 0;
};

// The printable ASCII characters of a text from a client.
auto loggable(std::string_view text) -> std::string
{
    std::string made;
    for (char const c : text.substr(0, 200)) {
        if (c > ' ' && c < 127) made += c;
        else append_percent(made, c);
    }
    return made;
}

// The status for an invalid request; 0: the connection has ended.
auto status_of(error_code const& error) -> unsigned
{
    if (error == beast::http::error::body_limit) return 413;
    if (error == beast::http::error::header_limit) return 431;
    if (error == beast::http::error::end_of_stream || error == beast::http::error::partial_message) return 0;
    return error.category() == beast::http::make_error_code(beast::http::error::bad_method).category() ? 400 : 0;
}

// Reads the header of a request, or the whole of it. What follows it stays in the buffer.
// \param received  is called with the size of each part
auto read(byte_stream& stream, beast::flat_buffer& buffer, http_parser& parser, bool whole,
    std::function<void(std::size_t)> const& received) -> task<error_code>
{
    parser.eager(whole);
    while (whole ? !parser.is_done() : !parser.is_header_done()) {
        error_code error = beast::http::error::need_more;
        if (buffer.size() > 0) buffer.consume(parser.put(buffer.data(), error));
        if (error && error != beast::http::error::need_more) co_return error;
        if (!error) continue;
        auto reading = stream.read_some(buffer.prepare(whole ? body_read_size : header_read_size));
        auto const got = co_await std::move(reading);
        buffer.commit(got.size);
        received(got.size);
        if (got.error != asio::error::eof) {
            if (got.error) co_return got.error;
            continue;
        }
        if (!parser.got_some()) co_return beast::http::error::end_of_stream;
        parser.put_eof(error);
        if (error) co_return error;
    }
    co_return error_code();
}

auto header_text(http_response const& response) -> std::string
{
    std::string made = response.version() == 10 ? "HTTP/1.0 " : "HTTP/1.1 ";
    made.append(std::to_string(response.result_int())).append(" ").append(response.reason()).append("\r\n");
    for (auto const& field : response)
        made.append(field.name_string()).append(": ").append(field.value()).append("\r\n");
    return made.append("\r\n");
}

}  // namespace

class http_server::impl {
public:
    explicit impl(server_options options) : with_(std::move(options)), connections_(with_.most_connections) {}
    impl(impl const&) = delete;
    auto operator=(impl const&) -> impl& = delete;
    ~impl()
    {
        std::error_code ignored;
        if (listener_ && !listener_->socket.empty()) std::filesystem::remove(listener_->socket, ignored);
    }

    // Reports errors before any request is served.
    [[nodiscard]] auto prepare() -> expected<void>
    {
        bool const has_tls = !with_.tls_certificate.empty();
        if (has_tls == with_.tls_key.empty() || (!has_tls && !with_.client_ca.empty()))
            return make_failure(messages::tls_incomplete);
        if (has_tls) {
            auto made = make_tls_context(with_);
            if (!made) return made.error();
            tls_.emplace(std::move(*made));
        }
        if (!with_.users.empty()) {
            authenticator_.emplace(with_.users);
            if (auto const read = authenticator_->recall({}); !read) return read.error();
        }
        auto listening = listener::open(context_, with_.listen);
        if (!listening) return listening.error();
        listener_.emplace(std::move(*listening));
        bool const is_open = !authenticator_ && with_.client_ca.empty();
        if (is_open && listener_->socket.empty()) origins_ = origin_rules(listener_->host);
        if (!listener_->is_private && is_open) return make_failure(messages::serve_without_users, {listener_->address});
        if (!listener_->is_private && !has_tls && !with_.allow_plain_text)
            return make_failure(messages::serve_without_tls, {listener_->address});
        auto store = state::document_store::open(with_.directory);
        if (!store) return store.error();
        service_.emplace(std::move(*store));
        return {};
    }

    [[nodiscard]] auto address() const -> std::string
    {
        if (!listener_->socket.empty()) return listener_->address;
        return (tls_ ? "https://" : "http://") + listener_->address;
    }
    void run()
    {
        asio::signal_set signals(context_, SIGTERM, SIGINT);
        signals.async_wait([this](error_code const& error, int) {
            if (!error) begin_to_stop();
        });
        signals_ = &signals;
        spawn(accept());
        context_.run();
    }
    void stop()
    {
        asio::post(context_, [this] { begin_to_stop(); });
    }

private:
    void log(std::string const& line) { with_.log(timestamp::now().text() + " " + line); }
    void log_failure(infra::failure const& why)
    {
        for (infra::diagnostic const& one : why.why()) log("error: " + one.summary + ": " + one.detail);
    }
    // Errors of one connection do not end the server.
    void spawn(task<void> work)
    {
        asio::co_spawn(context_, std::move(work), [this](std::exception_ptr const& thrown) {
            try {
                if (thrown) std::rethrow_exception(thrown);
            } catch (std::exception const& e) {
                log(std::string("error: ") + e.what());
            }
        });
    }

    void begin_to_stop()
    {
        if (std::exchange(stopping_, true)) return;
        listener_->acceptor.close();
        signals_->cancel();
        connections_.close_idle();
        grace_.expires_after(with_.grace);
        grace_.async_wait([this](error_code const& error) {
            if (!error) context_.stop();
        });
        finish_stopping();
    }
    void finish_stopping()
    {
        // Connections that were in progress at the end of the grace are destroyed with the context, after the timer.
        if (stopping_ && connections_.empty() && !context_.stopped()) grace_.cancel();
    }

    auto accept() -> task<void>
    {
        while (!stopping_) {
            auto accepting = listener_->acceptor.async_accept(token);
            auto [error, socket] = co_await std::move(accepting);
            if (stopping_) co_return;
            if (error) {
                log("error: accept: " + error.message());
                asio::steady_timer pause(context_, milliseconds(100));  // descriptors may be available then
                auto waiting = pause.async_wait(token);
                co_await std::move(waiting);
                continue;
            }
            spawn(serve(std::move(socket)));
        }
    }

    auto serve(stream_protocol::socket socket) -> task<void>
    {
        auto const self = connections_.add(peer_name(socket));
        struct removal {
            impl* of;
            connection_table::position at;
            ~removal()
            {
                of->connections_.remove(at);
                of->finish_stopping();
            }
        } const at_end{this, self};
        auto const owner = std::make_shared<byte_stream>(std::move(socket), tls_ ? &*tls_ : nullptr);
        byte_stream& stream = *owner;
        self->stream = &stream;
        stream.expires_after(with_.header_timeout);
        auto shaking = stream.handshake(asio::ssl::stream_base::server);
        if (auto const error = co_await std::move(shaking)) {
            log(self->peer + " TLS: " + error.message());
            co_return;
        }
        auto serving = serve_requests(stream, self, tls_ ? certificate_name(stream.tls()) : std::string());
        co_await std::move(serving);
        stream.expires_after(with_.timeout);
        auto ending = stream.shutdown();
        co_await std::move(ending);
    }

    // Serves the requests of one connection sequentially. \param certified  the name in the certificate of the client
    auto serve_requests(byte_stream& stream, connection_table::position self, std::string const certified) -> task<void>
    {
        beast::flat_buffer buffer;
        for (bool more = true; more && !stopping_;) {
            http_parser parser;
            parser.header_limit(longest_header);
            parser.body_limit(with_.longest_body);
            self->is_idle = true;
            stream.expires_after(self->is_admitted ? with_.timeout : with_.header_timeout);
            auto reading_header = read(stream, buffer, parser, false, [](std::size_t) {});
            auto const error = co_await std::move(reading_header);
            self->is_idle = false;
            reply made;
            if (error) {
                unsigned const status = status_of(error);
                if (status == 0) co_return;
                made = error_reply(status, "The request is not valid: " + error.message() + ".");
                more = false;
            } else {
                auto handling = handle(stream, buffer, parser, self, certified, more);
                made = co_await std::move(handling);
            }
            if (made.status == 0) co_return;
            auto answering = answer(stream, std::move(made), parser.get().version(), more && !stopping_);
            if (!co_await std::move(answering)) co_return;
            if (!more) {
                auto draining = drain(stream);
                co_await std::move(draining);
            }
        }
    }

    // The reply to a request whose header has been read; its status is 0 if the connection has ended.
    // \param more  set to false if nothing can be read after it
    auto handle(byte_stream& stream, beast::flat_buffer& buffer, http_parser& parser, connection_table::position self,
        std::string const& certified, bool& more) -> task<reply>
    {
        auto admitting = admit(parser.get(), certified, self->peer);
        admission const admitted = co_await std::move(admitting);
        state_request request;
        request.method = std::string(parser.get().method_string());
        request.target = std::string(parser.get().target());
        reply made;
        if (!admitted.by) {
            more = more && parser.is_done() && parser.keep_alive();
            made = admitted.refusal;
        } else {
            self->is_admitted = true;
            connections_.touch(self);
            reply gone;
            gone.status = 0;
            if (parser.get()[beast::http::field::expect] == "100-continue") {
                stream.expires_after(with_.timeout);
                auto writing = stream.write(asio::buffer(std::string_view("HTTP/1.1 100 Continue\r\n\r\n")));
                auto const error = co_await std::move(writing);
                if (error) co_return gone;
            }
            transfer_limit limit(stream, with_.timeout);
            std::function<void(std::size_t)> const received = [&](std::size_t size) {
                limit.transferred(size);
                connections_.touch(self);
            };
            auto reading = read(stream, buffer, parser, true, received);
            if (auto const error = co_await std::move(reading)) {
                unsigned const status = status_of(error);
                if (status == 0) co_return gone;
                more = false;
                co_return error_reply(status, "The request is not valid: " + error.message() + ".");
            }
            http_request whole = parser.release();
            more = more && whole.keep_alive();
            request.content_md5 = std::string(whole["Content-MD5"]);
            request.body = beast::buffers_to_string(whole.body().data());
            request.by = *admitted.by;
            auto responding = storage_.run([this, &request] { return service_->respond(request); });
            made = co_await std::move(responding);
            if (made.failure) log_failure(*made.failure);
        }
        if (request.method != "GET" || made.status >= 400)
            log(self->peer + " " + (admitted.by && !admitted.by->name.empty() ? loggable(admitted.by->name) : "-") + " "
                + loggable(request.method) + " " + loggable(request.target) + " " + std::to_string(made.status));
        co_return made;
    }

    struct admission {
        std::optional<caller> by;
        reply refusal;
    };
    auto admit(beast::http::request_header<> const& header, std::string const& certified, std::string const& peer)
        -> task<admission>
    {
        if (auto refused = origins_.refusal(header)) co_return admission{std::nullopt, std::move(*refused)};
        std::string const authorization(header[beast::http::field::authorization]);
        auto identifying = identify(authorization, certified, peer);
        co_return co_await std::move(identifying);
    }
    auto identify(std::string const& authorization, std::string const& certified, std::string const& peer)
        -> task<admission>
    {
        if (!authenticator_) co_return admission{caller{certified, role::write}, {}};
        auto known = authenticator_->recall(authorization);
        if (!known) {
            log_failure(known.error());
            co_return admission{std::nullopt, error_reply(500, "The users of this server cannot be read.")};
        }
        if (*known) co_return admission{**known, {}};
        auto const given = credentials::parse(authorization);
        if (given) {
            auto const network = network_of(peer);
            auto const same = static_cast<std::size_t>(std::ranges::count(verifying_, network));
            if (same >= most_verifying_of_one || verifying_.size() >= most_verifying) {
                reply busy = error_reply(503, "Too many passwords are being verified.");
                busy.headers["Retry-After"] = "1";
                co_return admission{std::nullopt, std::move(busy)};
            }
            struct counted {
                std::list<std::string>* all;
                std::list<std::string>::iterator at;
                counted(std::list<std::string>& in, std::string text)
                    : all(&in),
                      at(in.insert(in.end(), std::move(text)))
                {}
                counted(counted const&) = delete;
                auto operator=(counted const&) -> counted& = delete;
                ~counted() { all->erase(at); }
            } const under_way(verifying_, network);
            auto const users = authenticator_->users();
            auto verifying = hashing_.run([&] { return users->verify(given->name, given->password); });
            auto const found = co_await std::move(verifying);
            if (found) {
                authenticator_->remember(authorization, users, *found);
                co_return admission{*found, {}};
            }
        }
        reply refusal = error_reply(401, "This server asks for a user name and a password.");
        refusal.headers["WWW-Authenticate"] = "Basic realm=\"states\", charset=\"UTF-8\"";
        co_return admission{std::nullopt, std::move(refusal)};
    }

    // False if the connection has ended.
    auto answer(byte_stream& stream, reply made, unsigned version, bool keep_alive) -> task<bool>
    {
        http_response message(static_cast<beast::http::status>(made.status), version == 0 ? 11 : version);
        message.set(beast::http::field::content_type, made.content_type);
        message.set(beast::http::field::cache_control, "no-store");
        message.set("X-Content-Type-Options", "nosniff");
        message.set("Cross-Origin-Resource-Policy", "same-origin");
        for (auto const& [name, text] : made.headers) message.set(name, text);
        message.body() = std::move(made.body);
        message.keep_alive(keep_alive);
        message.prepare_payload();
        message.body().insert(0, header_text(message));
        transfer_limit limit(stream, with_.timeout);
        for (std::string_view rest = message.body(); !rest.empty();) {
            std::string_view const part = rest.substr(0, write_size);
            auto writing = stream.write(asio::buffer(part));
            if (co_await std::move(writing)) co_return false;
            limit.transferred(part.size());
            rest.remove_prefix(part.size());
        }
        co_return true;
    }

    // Reads the remaining data of the client after the last reply: a close before that could discard the reply.
    auto drain(byte_stream& stream) -> task<void>
    {
        stream.expires_after(std::min(with_.timeout, milliseconds(2000)));
        std::array<char, 4096> unwanted{};
        stream.shutdown_send();
        for (std::size_t drained = 0; drained < most_drained;) {
            auto reading = stream.read_some(asio::buffer(unwanted));
            auto const got = co_await std::move(reading);
            if (got.error) co_return;
            drained += got.size;
        }
    }

    static constexpr std::size_t most_verifying = 64;
    // Wrong passwords of one client must not refuse those of others.
    static constexpr std::size_t most_verifying_of_one = 16;

    server_options with_;
    std::optional<asio::ssl::context> tls_;
    std::optional<authenticator> authenticator_;
    origin_rules origins_;
    std::optional<state_service> service_;
    // Before the context, whose destruction ends the coroutines that use them.
    connection_table connections_;
    std::list<std::string> verifying_;  // the networks of clients whose passwords are being verified
    asio::io_context context_{1};
    std::optional<listener> listener_;
    asio::steady_timer grace_{context_};
    asio::signal_set* signals_ = nullptr;
    bool stopping_ = false;
    // Last, so that work for a coroutine ends before the coroutine is destroyed.
    state::store_thread storage_;
    state::store_thread hashing_;
};

http_server::http_server(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
http_server::http_server(http_server&&) noexcept = default;
auto http_server::operator=(http_server&&) noexcept -> http_server& = default;
http_server::~http_server() = default;

auto http_server::open(server_options options) -> expected<http_server>
{
    auto made = std::make_unique<impl>(std::move(options));
    if (auto const done = made->prepare(); !done) return done.error();
    return http_server(std::move(made));
}

auto http_server::address() const -> std::string
{
    return impl_->address();
}

void http_server::run()
{
    impl_->run();
}

void http_server::stop()
{
    impl_->stop();
}

}  // namespace iacctl::server
