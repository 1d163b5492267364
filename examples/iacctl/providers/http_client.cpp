// SPDX-License-Identifier: BSL-1.0
// The one place where Beast and TLS are compiled: it takes long.
#include "http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using strider::error_code;
using strider::infra::task;
using tcp = asio::ip::tcp;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr std::uint64_t longest_body = std::uint64_t{256} << 20U;
constexpr int most_redirections = 10;

auto is_token(std::string_view text) -> bool
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return letter || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

auto is_field_value(std::string_view text) -> bool
{
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

// What must not stand in the first line of a request is written as %XX.
auto as_target(std::string_view text) -> std::string
{
    std::string made = text.starts_with('/') ? "" : "/";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte > 0x20U && byte < 0x7FU && c != '"' && c != '<' && c != '>') made += c;
        else {
            made += '%';
            made += "0123456789ABCDEF"[byte >> 4U];
            made += "0123456789ABCDEF"[byte & 15U];
        }
    }
    return made;
}

auto canonical(std::string_view name) -> std::string
{
    std::string made;
    bool first = true;
    for (char const c : name) {
        if (first && c >= 'a' && c <= 'z') made += static_cast<char>(c - 'a' + 'A');
        else if (!first && c >= 'A' && c <= 'Z') made += static_cast<char>(c - 'A' + 'a');
        else made += c;
        first = c == '-';
    }
    return made;
}

/// Gives each request to a server its moment, so that they are no more than so many in a second.
class pace_keeper {
public:
    [[nodiscard]] auto next(std::string const& server, double most_per_second) -> clock::time_point
    {
        std::lock_guard const hold(mutex_);
        auto const now = clock::now();
        auto& free = free_[server];
        auto const mine = std::max(now, free);
        free = mine + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(1 / most_per_second));
        return mine;
    }

private:
    std::mutex mutex_;
    std::map<std::string, clock::time_point> free_;
};

auto pace() -> pace_keeper&
{
    static pace_keeper instance;
    return instance;
}

/// One try.
class http_exchange {
public:
    http_exchange(http_request const& request, http_url url) : request_(&request), url_(std::move(url)) {}

    [[nodiscard]] auto run() -> task<http_outcome>
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        if (!is_token(request_->method)) co_return invalid("invalid method \"" + request_->method + "\"");
        for (auto const& [name, text] : request_->headers)
            if (!is_token(name) || !is_field_value(text)) co_return invalid("invalid header \"" + name + "\"");
        prepare();
        if (!url_.secure) {
            auto const executor = co_await asio::this_coro::executor;
            beast::tcp_stream stream(executor);
            auto trying = over(stream);
            co_await std::move(trying);
        } else {
            auto trying = over_tls();
            co_await std::move(trying);
        }
        co_return std::move(outcome_);
    }

private:
    static auto invalid(std::string why) -> http_outcome
    {
        http_outcome o;
        o.error = std::move(why);
        return o;
    }

    void prepare()
    {
        message_.method_string(request_->method);
        message_.target(as_target(url_.target));
        message_.version(11);
        message_.set(http::field::host, url_.authority());
        message_.set(http::field::user_agent, "iacctl");
        message_.set(http::field::connection, "close");
        for (auto const& [name, text] : request_->headers) message_.set(name, text);
        if (request_->body) message_.body() = *request_->body;
        if (request_->body || request_->method == "POST" || request_->method == "PUT" || request_->method == "PATCH")
            message_.content_length(message_.body().size());
        parser_.body_limit(longest_body);
        parser_.skip(request_->method == "HEAD");
    }

    void failed(error_code const& why, std::string_view doing)
    {
        outcome_.timed_out = why == beast::error::timeout;
        outcome_.cancelled = why == asio::error::operation_aborted;
        outcome_.error = std::string(doing) + ": " + (outcome_.timed_out ? "timed out" : why.message());
    }

    [[nodiscard]] auto connect(beast::tcp_stream& stream) -> task<bool>
    {
        auto const executor = co_await asio::this_coro::executor;
        if (request_->timeout.count() > 0) stream.expires_after(request_->timeout);
        error_code error;
        auto const address = asio::ip::make_address(url_.host, error);
        tcp::resolver::results_type found;
        if (!error) {
            std::uint16_t port = 0;
            std::from_chars(url_.port.data(), url_.port.data() + url_.port.size(), port);
            found = tcp::resolver::results_type::create(tcp::endpoint(address, port), url_.host, url_.port);
        } else {
            tcp::resolver resolver(executor);
            auto token = asio::as_tuple(asio::use_awaitable);
            auto resolving = resolver.async_resolve(url_.host, url_.port, token);
            auto [why, all] = co_await std::move(resolving);
            if (why) {
                failed(why, "lookup " + url_.host);
                co_return false;
            }
            found = std::move(all);
        }
        auto token = asio::as_tuple(asio::use_awaitable);
        auto connecting = stream.async_connect(found, token);
        auto const [why, endpoint] = co_await std::move(connecting);
        if (why) failed(why, "connect to " + url_.host + " port " + url_.port);
        co_return !why;
    }

    template <class Stream>
    [[nodiscard]] auto talk(Stream& stream) -> task<void>
    {
        outcome_.sent = true;
        auto token = asio::as_tuple(asio::use_awaitable);
        auto writing = http::async_write(stream, message_, token);
        auto const [why_not, written] = co_await std::move(writing);
        if (why_not) co_return failed(why_not, "write");
        beast::flat_buffer buffer;
        auto reading = http::async_read(stream, buffer, parser_, token);
        auto const [why, got] = co_await std::move(reading);
        if (why && !parser_.is_done()) co_return failed(why, "read");
        http_response made;
        made.status = parser_.get().result_int();
        for (auto const& field : parser_.get()) {
            std::string_view const name(field.name_string().data(), field.name_string().size());
            std::string& text = made.headers[canonical(name)];
            if (!text.empty()) text += ", ";
            text.append(field.value().data(), field.value().size());
        }
        made.body = std::move(parser_.get().body());
        outcome_.response = std::move(made);
    }

    [[nodiscard]] auto over(beast::tcp_stream& stream) -> task<void>
    {
        auto connecting = connect(stream);
        if (!co_await std::move(connecting)) co_return;
        auto talking = talk(stream);
        co_await std::move(talking);
        error_code ignored;
        stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
    }

    // False: the certificates that were given are of no use.
    [[nodiscard]] auto configure(asio::ssl::context& context) -> bool
    {
        error_code error;
        if (request_->trusted_pem.empty()) context.set_default_verify_paths(error);
        else context.add_certificate_authority(asio::buffer(request_->trusted_pem), error);
        if (!error && !request_->certificate_pem.empty())
            context.use_certificate_chain(asio::buffer(request_->certificate_pem), error);
        if (!error && !request_->key_pem.empty())
            context.use_private_key(asio::buffer(request_->key_pem), asio::ssl::context::pem, error);
        if (error) failed(error, "tls");
        return !error;
    }

    [[nodiscard]] auto over_tls() -> task<void>
    {
        auto const executor = co_await asio::this_coro::executor;
        asio::ssl::context context(asio::ssl::context::tls_client);
        if (!configure(context)) co_return;
        beast::ssl_stream<beast::tcp_stream> stream(executor, context);
        if (!request_->insecure) {
            stream.set_verify_mode(asio::ssl::verify_peer);
            stream.set_verify_callback(asio::ssl::host_name_verification(url_.host));
        }
        error_code no_address;
        (void)asio::ip::make_address(url_.host, no_address);
        // What the macro SSL_set_tlsext_host_name does, without its cast.
        if (no_address)
            SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, url_.host.data());
        auto connecting = connect(stream.next_layer());
        if (!co_await std::move(connecting)) co_return;
        auto token = asio::as_tuple(asio::use_awaitable);
        auto shaking = stream.async_handshake(asio::ssl::stream_base::client, token);
        auto const [why] = co_await std::move(shaking);
        if (why) co_return failed(why, "tls handshake");
        auto talking = talk(stream);
        co_await std::move(talking);
    }

    http_request const* request_;
    http_url url_;
    http::request<http::string_body> message_;
    http::response_parser<http::string_body> parser_;
    http_outcome outcome_;
};

// False: it was cancelled.
auto wait_until(clock::time_point when) -> task<bool>
{
    auto const executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, when);
    auto token = asio::as_tuple(asio::use_awaitable);
    auto waiting = timer.async_wait(token);
    auto const [error] = co_await std::move(waiting);
    co_return !error;
}

auto given_up() -> http_outcome
{
    http_outcome o;
    o.cancelled = true;
    o.error = "canceled";
    return o;
}

// Where an answer sends the request; nothing if it is an answer.
auto redirection(http_response const& answer, http_url const& from) -> std::optional<std::string>
{
    bool const moved = answer.status == 301 || answer.status == 302 || answer.status == 303 || answer.status == 307
        || answer.status == 308;
    auto const at = answer.headers.find("Location");
    if (!moved || at == answer.headers.end() || at->second.empty()) return std::nullopt;
    std::string const& to = at->second;
    if (to.find("://") != std::string::npos) return to;
    std::string const scheme = from.secure ? "https:" : "http:";
    if (to.starts_with("//")) return scheme + to;
    std::string const server = scheme + "//" + from.authority();
    if (to.starts_with('/')) return server + to;
    std::string const path = from.target.substr(0, from.target.find('?'));
    return server + path.substr(0, path.rfind('/') + 1) + to;
}

// A POST that is sent elsewhere becomes a GET there, unless the answer forbids that.
void redirect(http_request& request, http_url const& from, http_url const& to, unsigned status)
{
    if (status != 307 && status != 308 && request.method != "HEAD") {
        request.method = "GET";
        request.body.reset();
    }
    if (from.host == to.host) return;
    std::erase_if(request.headers, [](auto const& field) {
        std::string const name = canonical(field.first);
        return name == "Authorization" || name == "Cookie";
    });
}

auto try_once(http_request request) -> task<http_outcome>
{
    auto const executor = co_await asio::this_coro::executor;
    http_outcome outcome;
    std::string url = request.url;
    for (int turn = 0; turn <= most_redirections; ++turn) {
        auto const to = http_url::parse(url);
        if (!to) {
            outcome = {};
            outcome.error = "unsupported URL \"" + url + "\"";
            co_return outcome;
        }
        if (request.most_per_second > 0) {
            auto waiting = wait_until(pace().next(to->authority(), request.most_per_second));
            if (!co_await std::move(waiting)) co_return given_up();
        }
        // Timers and sockets of a stream may not be touched by two threads at once.
        http_exchange exchange(request, *to);
        auto running = exchange.run();
        auto spawned = asio::co_spawn(asio::make_strand(executor), std::move(running), asio::use_awaitable);
        outcome = co_await std::move(spawned);
        if (!outcome.response) break;
        auto const next = redirection(*outcome.response, *to);
        if (!next) co_return outcome;
        auto const there = http_url::parse(*next);
        if (there) redirect(request, *to, *there, outcome.response->status);
        url = *next;
        if (turn == most_redirections) {
            outcome.response.reset();
            outcome.error = "stopped after 10 redirects";
        }
    }
    if (!outcome.error.empty()) outcome.error = request.method + " " + url + ": " + outcome.error;
    co_return outcome;
}

auto worth_another_try(http_outcome const& o, http_retries const& how) -> bool
{
    if (o.cancelled) return false;
    if (o.response) return o.response->status == 429 || (o.response->status >= 500 && o.response->status != 501);
    return how.repeatable || !o.sent;
}

auto wait_before(std::int64_t retry, http_outcome const& last, http_retries const& how) -> milliseconds
{
    auto wait = how.least_wait;
    for (std::int64_t i = 0; i < retry && wait < how.longest_wait; ++i) wait *= 2;
    if (last.response) {
        auto const wish = last.response->headers.find("Retry-After");
        std::int64_t seconds = 0;
        if (wish != last.response->headers.end()) {
            std::string const& text = wish->second;
            std::from_chars(text.data(), text.data() + text.size(), seconds);
        }
        wait = std::max(wait, milliseconds(1000) * std::clamp<std::int64_t>(seconds, 0, 86'400));
    }
    return std::min(wait, how.longest_wait);
}

auto try_patiently(http_request request) -> task<http_outcome>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    http_outcome outcome;
    bool ever_sent = false;
    for (std::int64_t retry = 0;; ++retry) {
        auto trying = try_once(request);
        outcome = co_await std::move(trying);
        ever_sent = ever_sent || (outcome.sent && !outcome.response);
        if (retry >= request.retries.most || !worth_another_try(outcome, request.retries)) break;
        auto waiting = wait_until(clock::now() + wait_before(retry, outcome, request.retries));
        if (!co_await std::move(waiting)) {
            outcome = given_up();
            break;
        }
    }
    outcome.sent = outcome.sent || ever_sent;
    co_return outcome;
}

}  // namespace

auto http_send(http_request request) -> task<http_outcome>
{
    // Spawned, so that what is said about cancellation is said for this alone.
    auto const executor = co_await asio::this_coro::executor;
    auto trying = try_patiently(std::move(request));
    auto spawned = asio::co_spawn(executor, std::move(trying), asio::use_awaitable);
    co_return co_await std::move(spawned);
}

auto http_url::parse(std::string_view text) -> std::optional<http_url>
{
    http_url made;
    auto const scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    std::string name;
    for (char const c : text.substr(0, scheme)) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name != "http" && name != "https") return std::nullopt;
    made.secure = name == "https";
    text.remove_prefix(scheme + 3);
    text = text.substr(0, text.find('#'));
    auto const end = std::min(text.find('/'), text.find('?'));
    std::string_view server = text.substr(0, end);
    made.target = end >= text.size() ? "/" : std::string(text.substr(end));
    if (auto const user = server.rfind('@'); user != std::string_view::npos) server.remove_prefix(user + 1);
    std::string_view port;
    if (server.starts_with('[')) {
        auto const close = server.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        made.host = server.substr(1, close - 1);
        std::string_view const rest = server.substr(close + 1);
        if (!rest.empty() && !rest.starts_with(':')) return std::nullopt;
        if (!rest.empty()) port = rest.substr(1);
    } else {
        auto const colon = server.find(':');
        made.host = server.substr(0, colon);
        if (colon != std::string_view::npos) port = server.substr(colon + 1);
    }
    made.port = port.empty() ? (made.secure ? "443" : "80") : std::string(port);
    std::uint16_t number = 0;
    auto const [last, error] = std::from_chars(made.port.data(), made.port.data() + made.port.size(), number);
    bool const fine = error == std::errc() && last == made.port.data() + made.port.size() && number > 0
        && !made.host.empty() && std::ranges::all_of(made.host, [](char c) { return c > ' ' && c != '\x7f'; });
    return fine ? std::optional(std::move(made)) : std::nullopt;
}

auto http_url::authority() const -> std::string
{
    std::string const name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == (secure ? "443" : "80") ? name : name + ":" + port;
}

}  // namespace iacctl::providers
