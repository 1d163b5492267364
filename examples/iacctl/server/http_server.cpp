// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"

#include "authenticator.hpp"
#include "base/encoding.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/net/byte_stream.hpp"
#include "base/timestamp.hpp"
#include "connection_table.hpp"
#include "console.hpp"
#include "listener.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "origin_rules.hpp"
#include "sessions.hpp"
#include "state/state_error.hpp"
#include "state/store_thread.hpp"
#include "state_service.hpp"
#include "tls.hpp"
#include "views/page_frame.hpp"

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
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
constexpr std::uint64_t longest_login = 4096;
constexpr std::size_t most_viewers = 100;
constexpr auto event_pause = milliseconds(150);
constexpr auto heartbeat = milliseconds(10'000);
constexpr std::string_view session_target = "/console/api/session";
constexpr std::string_view events_target = "/console/events";
constexpr std::string_view event_stream_type = "text/event-stream";

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
    std::function<void(std::size_t)> const received) -> task<error_code>
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

auto cookies_of(beast::http::request_header<> const& header) -> std::string
{
    std::string all;
    auto const [first, last] = header.equal_range(beast::http::field::cookie);
    for (auto at = first; at != last; ++at) all.append(all.empty() ? "" : "; ").append(at->value());
    return all;
}

void set_headers(http_response& message, reply const& made)
{
    message.set(beast::http::field::content_type, made.content_type);
    message.set(beast::http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("Cross-Origin-Resource-Policy", "same-origin");
    for (auto const& [name, text] : made.headers) message.set(name, text);
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
        auto opened = state::document_store::open(with_.directory);
        if (!opened) return opened.error();
        auto const store = std::make_shared<state::document_store>(std::move(*opened));
        service_.emplace(store);
        sources_.push_back(make_document_source(store, storage_));
        for (served_project const& one : with_.projects) sources_.push_back(make_backend_source(one.name, one.states));
        std::vector<state_source*> shown;
        for (auto const& one : sources_) shown.push_back(one.get());
        sessions_ = session_table(has_tls);
        auto known = with_.known ? with_.known
                                 : std::make_shared<providers::catalog const>(
                                       std::span<std::shared_ptr<providers::provider_source> const>());
        console_.emplace(std::move(shown), std::move(known), [this](infra::failure const& why) { log_failure(why); });
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
        for (auto* const one : console_->sources()) spawn(console_->watch(*one));
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
        console_->stop();
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
            std::string authorization;
            std::string cookies;
            if (error) {
                unsigned const status = status_of(error);
                if (status == 0) co_return;
                made = error_reply(status, "The request is not valid: " + error.message() + ".");
                more = false;
            } else {
                authorization = std::string(parser.get()[beast::http::field::authorization]);
                cookies = cookies_of(parser.get());
                auto handling = handle(stream, buffer, parser, self, certified, more);
                made = co_await std::move(handling);
            }
            if (made.status == 0) co_return;
            if (made.status == 200 && made.content_type == event_stream_type) {
                auto streaming =
                    stream_events(stream, self, std::move(made), std::move(authorization), std::move(cookies));
                co_await std::move(streaming);
                co_return;
            }
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
        state_request request;
        request.method = std::string(parser.get().method_string());
        request.target = std::string(parser.get().target());
        bool const is_of_console = request.target == "/" || request.target.starts_with("/console");
        auto early = origins_.refusal(parser.get());
        if (!early && is_of_console) early = public_reply(request);
        admission admitted;
        if (!early) {
            auto admitting = request.target == session_target && request.method == "POST"
                ? log_in(stream, buffer, parser, self->peer)
                : admit(parser.get(), certified, self->peer, request);
            admitted = co_await std::move(admitting);
            if (!admitted.by) early = std::move(admitted.refusal);
        }
        reply made;
        if (early) {
            more = more && parser.is_done() && parser.keep_alive();
            made = std::move(*early);
        } else {
            self->is_admitted = true;
            connections_.touch(self);
            auto receiving = receive_body(stream, buffer, parser, self);
            if (auto failed = co_await std::move(receiving)) {
                more = false;
                if (failed->status == 0) co_return std::move(*failed);
                made = std::move(*failed);
            } else {
                http_request whole = parser.release();
                more = more && whole.keep_alive();
                request.content_md5 = std::string(whole["Content-MD5"]);
                request.body = beast::buffers_to_string(whole.body().data());
                request.by = *admitted.by;
                auto responding = respond(request, admitted, whole);
                made = co_await std::move(responding);
            }
            if (made.failure) log_failure(*made.failure);
        }
        if (is_of_console) add_console_headers(made);
        if (request.method != "GET" || made.status >= 400)
            log(self->peer + " " + (admitted.by && !admitted.by->name.empty() ? loggable(admitted.by->name) : "-") + " "
                + loggable(request.method) + " " + loggable(request.target) + " " + std::to_string(made.status));
        co_return made;
    }

    // Reads the body of a request. \return the reply to an invalid one; its status is 0 if the connection has ended
    auto receive_body(byte_stream& stream, beast::flat_buffer& buffer, http_parser& parser,
        connection_table::position self) -> task<std::optional<reply>>
    {
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
            co_return error_reply(status, "The request is not valid: " + error.message() + ".");
        }
        co_return std::nullopt;
    }

    struct admission {
        std::optional<caller> by{};
        reply refusal{};
        std::string token{};  // of the session; empty: there is none
        bool is_genuine = false;  // the request has the token
    };

    auto respond(state_request const& request, admission const& admitted, beast::http::request_header<> const& header)
        -> task<reply>
    {
        if (request.target == session_target) co_return session_reply(request, admitted, cookies_of(header));
        if (request.target == events_target) co_return events_reply(request);
        if (request.target.starts_with("/console/")) {
            auto responding = console_->respond(request, admitted.is_genuine);
            co_return co_await std::move(responding);
        }
        if (request.target.starts_with("/reports/")) {
            auto responding = console_->report(request);
            co_return co_await std::move(responding);
        }
        auto responding = storage_.run([this, &request] { return service_->respond(request); });
        reply made = co_await std::move(responding);
        if (request.method != "GET" && made.status < 300)
            if (auto name = state_service::name_in(request.target)) spawn(console_->observe_document(std::move(*name)));
        co_return made;
    }

    auto admit(beast::http::request_header<> const& header, std::string const& certified, std::string const& peer,
        state_request const& request) -> task<admission>
    {
        bool const is_of_console = request.target.starts_with("/console/");
        std::string const authorization(header[beast::http::field::authorization]);
        if (!is_of_console || (authenticator_ && !authorization.empty())) {
            auto identifying = identify(authorization, certified, peer);
            co_return co_await std::move(identifying);
        }
        auto const* const session = sessions_.find(cookies_of(header));
        auto const known = user_of(session, certified);
        if (!known) {
            log_failure(known.error());
            co_return admission{std::nullopt, error_reply(500, "The users of this server cannot be read.")};
        }
        admission made;
        made.by = *known;
        if (session != nullptr && made.by) {
            std::string_view const given = header["X-CSRF-Token"];
            made.token = session->token;
            made.is_genuine =
                given.size() == made.token.size() && CRYPTO_memcmp(given.data(), made.token.data(), given.size()) == 0;
        }
        // A page asks who its user is, and for a password if there is none.
        bool const asks = request.target == session_target && request.method == "GET";
        if (!made.by)
            made.refusal = asks ? json_reply(json_object().raw("user", "null").done())
                                : error_reply(401, "The console asks for a user name and a password.");
        co_return made;
    }
    // The user of a session, as the file of users has it now; nothing if the session has ended.
    auto user_of(browser_session const* session, std::string const& certified) -> expected<std::optional<caller>>
    {
        if (!authenticator_) return std::optional(caller{certified, role::write});
        if (auto const read = authenticator_->recall({}); !read) return read.error();
        if (session == nullptr) return std::optional<caller>();
        auto const user = authenticator_->users()->find(session->by.who.name);
        return user && user->mark == session->by.mark ? std::optional(user->who) : std::nullopt;
    }
    // Returns whether a client that was admitted may still receive events.
    auto is_still_known(std::string const& authorization, std::string const& cookies) -> bool
    {
        if (!authenticator_) return true;
        if (!authorization.empty()) {
            auto const known = authenticator_->recall(authorization);
            return known && *known;
        }
        auto const known = user_of(sessions_.find(cookies), {});
        return known && *known;
    }

    auto identify(std::string const& authorization, std::string const& certified, std::string const& peer)
        -> task<admission>
    {
        if (!authenticator_) co_return admission{caller{certified, role::write}};
        auto known = authenticator_->recall(authorization);
        if (!known) {
            log_failure(known.error());
            co_return admission{std::nullopt, error_reply(500, "The users of this server cannot be read.")};
        }
        if (*known) co_return admission{**known};
        if (auto const given = credentials::parse(authorization)) {
            auto verifying = verify(given->name, given->password, peer);
            auto made = co_await std::move(verifying);
            if (made.by) authenticator_->remember(authorization, authenticator_->users(), *made.by);
            if (made.by || made.refusal.status != 401) co_return made;
        }
        reply refusal = error_reply(401, "This server asks for a user name and a password.");
        refusal.headers["WWW-Authenticate"] = "Basic realm=\"states\", charset=\"UTF-8\"";
        co_return admission{std::nullopt, std::move(refusal)};
    }
    // \pre the users were read
    auto verify(std::string const name, std::string const password, std::string const& peer) -> task<admission>
    {
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
            counted(std::list<std::string>& in, std::string text) : all(&in), at(in.insert(in.end(), std::move(text)))
            {}
            counted(counted const&) = delete;
            auto operator=(counted const&) -> counted& = delete;
            ~counted() { all->erase(at); }
        } const under_way(verifying_, network);
        auto const users = authenticator_->users();
        auto verifying = hashing_.run([&] { return users->verify(name, password); });
        auto const found = co_await std::move(verifying);
        // The file may have changed meanwhile.
        if (found && users == authenticator_->users()) co_return admission{*found};
        co_return admission{std::nullopt, error_reply(401, "The user name or the password is wrong.")};
    }

    // Begins a session: {"name":"…","password":"…"}. The client is not known before, so its body is short.
    auto log_in(byte_stream& stream, beast::flat_buffer& buffer, http_parser& parser, std::string const& peer)
        -> task<admission>
    {
        auto const refused = [](unsigned status, std::string_view text) {
            return admission{std::nullopt, error_reply(status, text)};
        };
        auto const length = parser.content_length();
        bool const is_json = parser.get()[beast::http::field::content_type] == json_type;
        if (!authenticator_) co_return refused(409, "This server has no users with passwords.");
        if (!is_json) co_return refused(415, "The body must be JSON.");
        if (!length || *length > longest_login) co_return refused(413, "The body is too long.");
        stream.expires_after(with_.header_timeout);
        auto reading = read(stream, buffer, parser, true, [](std::size_t) {});
        if (co_await std::move(reading)) co_return refused(400, "The body is not complete.");
        auto const body = parse_json(beast::buffers_to_string(parser.get().body().data()));
        if (!body) co_return refused(400, "The body is not JSON.");
        if (auto const read = authenticator_->recall({}); !read) {
            log_failure(read.error());
            co_return refused(500, "The users of this server cannot be read.");
        }
        auto verifying = verify(body->text_of("name"), body->text_of("password"), peer);
        auto made = co_await std::move(verifying);
        if (!made.by) co_return made;
        co_return admission{std::nullopt, begun_session_reply(*made.by)};
    }

    // The reply that tells a browser its user and its token, and gives it the cookie of a new session.
    auto begun_session_reply(caller const& by) -> reply
    {
        auto user = authenticator_ ? authenticator_->users()->find(by.name) : std::nullopt;
        auto const begun = sessions_.begin(user ? std::move(*user) : known_user{by});
        reply made = session_text(by, begun.session->token);
        made.headers["Set-Cookie"] = begun.cookie;
        return made;
    }
    auto session_text(caller const& by, std::string const& secret) const -> reply
    {
        json_object made;
        made.text("user", by.name).text("role", by.may == role::write ? "write" : "read").text("token", secret);
        return json_reply(made.flag("ends", authenticator_.has_value()).done());
    }
    auto session_reply(state_request const& request, admission const& admitted, std::string const& cookies) -> reply
    {
        if (request.method == "GET")
            return admitted.token.empty() ? begun_session_reply(*admitted.by)
                                          : session_text(*admitted.by, admitted.token);
        if (request.method != "DELETE") {
            reply made = error_reply(405, "This resource supports the methods GET, POST, DELETE.");
            made.headers["Allow"] = "GET, POST, DELETE";
            return made;
        }
        if (!admitted.is_genuine)
            return error_reply(403, "The request does not have the token of its session in the header X-CSRF-Token.");
        reply made = json_reply("{}");
        made.headers["Set-Cookie"] = sessions_.end(cookies);
        return made;
    }

    // The replies that need no user: the files of the console. Nothing for other requests.
    static auto public_reply(state_request const& request) -> std::optional<reply>
    {
        std::string_view const target = request.target;
        constexpr std::string_view root = "/console/";
        bool const redirects = target == "/" || target == "/console";
        std::optional<views::web_file> file;
        if (target.starts_with(root) && target.find('/', root.size()) == target.npos)
            file = views::console_file(target.substr(root.size()));
        if (!redirects && !file) return std::nullopt;
        if (request.method != "GET") {
            reply made = error_reply(405, "This resource supports the method GET.");
            made.headers["Allow"] = "GET";
            return made;
        }
        if (file) return reply{200, std::move(file->text), std::string(file->type)};
        reply made;
        made.status = 303;
        made.headers["Location"] = "/console/";
        return made;
    }
    // A browser runs no script and shows no content that is not a file of this server, and no other page frames it.
    static void add_console_headers(reply& made)
    {
        made.headers["Content-Security-Policy"] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri "
            "'none'; form-action 'none'; frame-ancestors 'none'";
        made.headers["X-Frame-Options"] = "DENY";
        made.headers["Referrer-Policy"] = "no-referrer";
        made.headers["Cross-Origin-Opener-Policy"] = "same-origin";
    }

    auto events_reply(state_request const& request) const -> reply
    {
        if (request.method != "GET") return error_reply(405, "This resource supports the method GET.");
        if (console_->viewers() >= most_viewers) return error_reply(503, "Too many pages receive events.");
        return {200, {}, std::string(event_stream_type)};
    }
    // Sends events until the connection ends or its user is no longer known. \source HTML, "Server-sent events"
    auto stream_events(byte_stream& stream, connection_table::position self, reply head,
        std::string const authorization, std::string const cookies) -> task<void>
    {
        http_response message(beast::http::status::ok, 11);
        set_headers(message, head);
        message.set(beast::http::field::connection, "close");
        std::string text = header_text(message);
        console::viewer viewer(*console_);
        self->is_idle = true;
        while (!stopping_ && is_still_known(authorization, cookies)) {
            text += viewer.next();
            if (text.empty()) text = ": alive\n\n";
            stream.expires_after(with_.timeout);
            auto writing = stream.write(asio::buffer(text));
            if (co_await std::move(writing)) co_return;
            text.clear();
            connections_.touch(self);
            // Changes that follow each other quickly are one event.
            asio::steady_timer pause(context_, event_pause);
            auto pausing = pause.async_wait(token);
            co_await std::move(pausing);
            if (viewer.has_news()) continue;
            auto waiting = console_->changed(heartbeat);
            co_await std::move(waiting);
        }
    }

    // False if the connection has ended.
    auto answer(byte_stream& stream, reply made, unsigned version, bool keep_alive) -> task<bool>
    {
        http_response message(static_cast<beast::http::status>(made.status), version == 0 ? 11 : version);
        set_headers(message, made);
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
    session_table sessions_;
    std::optional<console> console_;
    // Before the context, whose destruction ends the coroutines that use them.
    connection_table connections_;
    std::list<std::string> verifying_;  // the networks of clients whose passwords are being verified
    asio::io_context context_{1};
    std::optional<listener> listener_;
    asio::steady_timer grace_{context_};
    asio::signal_set* signals_ = nullptr;
    bool stopping_ = false;
    // Last, so that work for a coroutine ends before the coroutine is destroyed.
    std::vector<std::unique_ptr<state_source>> sources_;
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
