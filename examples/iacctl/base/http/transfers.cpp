// SPDX-License-Identifier: BSL-1.0
#include "transfers.hpp"

#include "base/characters.hpp"
#include "base/trimmed.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace iacctl::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t longest_header = std::size_t{256} << 10U;  // of all headers together; libcurl takes 300 KB
constexpr long kept_connections = 32;
// The longest idle time in seconds of a connection for a request that must not be sent twice: the server may be about
// to close the connection, and then it is unknown whether it has read the request.
constexpr long fresh_enough = 1;

auto canonical(std::string_view name) -> std::string
{
    std::string made;
    bool first = true;
    for (char const c : name) {
        made += first ? ascii_upper_case(c) : ascii_lower_case(c);
        first = c == '-';
    }
    return made;
}

auto seconds(milliseconds duration) -> std::string
{
    return duration.count() % 1000 == 0 ? std::to_string(duration.count() / 1000) + " s"
                                        : std::to_string(duration.count()) + " ms";
}

// No exception may pass through libcurl.
template <class Function, class Result>
auto guarded(Function const& f, Result otherwise) noexcept -> Result
{
    try {
        return f();
    } catch (...) {
        return otherwise;
    }
}

}  // namespace

transfer::transfer(request const& r, url const& where, proxy_choice const& proxy, milliseconds limit)
    : what_(&r),
      where_(&where),
      proxy_(&proxy),
      limit_(limit)
{
    if (!curl_->error().empty()) {
        fail(failure_kind::refused, curl_->error());
        return;
    }
    easy_ = curl_->easy_init();
    if (easy_ == nullptr) throw std::bad_alloc();
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_ERRORBUFFER, detail_.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // do not wait for a cancelled name lookup
    set(CURLOPT_URL, where_->text().c_str());
    if (!where_->user_info.empty()) {
        auto const colon = std::min(where_->user_info.find(':'), where_->user_info.size());
        set(CURLOPT_USERNAME, percent_decoded(where_->user_info.substr(0, colon)).c_str());
        set(CURLOPT_PASSWORD, percent_decoded(where_->user_info.substr(colon)).erase(0, 1).c_str());
    }
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PROXY, proxy_->url.c_str());
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(what_->connect_timeout.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit_.count()));
    if (!what_->retries.repeatable) set(CURLOPT_MAXAGE_CONN, fresh_enough);
    set_up_tls();
    set_up_body();
    add_headers();

    auto const header = [](char* text, std::size_t, std::size_t size, void* self) -> std::size_t {
        auto const take = [&] {
            static_cast<transfer*>(self)->take_header(std::string_view(text, size));
            return static_cast<transfer*>(self)->made_.failure == failure_kind::none ? size : 0;
        };
        return guarded(take, std::size_t{0});
    };
    auto const body = [](char* text, std::size_t, std::size_t size, void* self) -> std::size_t {
        auto const take = [&] {
            return static_cast<transfer*>(self)->take_body(std::string_view(text, size)) ? size : 0;
        };
        return guarded(take, std::size_t{0});
    };
    // Called before each send of the request, which is repeated if a kept connection turns out to be closed.
    auto const before_sending = [](void* self, char*, char*, int, int) -> int {
        auto& t = *static_cast<transfer*>(self);
        if (t.made_.sent && !t.what_->retries.repeatable) return CURL_PREREQFUNC_ABORT;
        t.made_.sent = true;
        return CURL_PREREQFUNC_OK;
    };
    // Programs that are started later must not inherit the connection.
    auto const open_socket = [](void*, curlsocktype, curl_sockaddr* at) -> curl_socket_t {
        return ::socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
    };
    set(CURLOPT_OPENSOCKETFUNCTION, +open_socket);
    set(CURLOPT_HEADERFUNCTION, +header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, +body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_PREREQFUNCTION, +before_sending);
    set(CURLOPT_PREREQDATA, this);
}

transfer::~transfer()
{
    if (easy_ != nullptr) curl_->easy_cleanup(easy_);
    if (header_lines_ != nullptr) curl_->slist_free_all(header_lines_);
}

template <class T>
void transfer::set(CURLoption option, T value)
{
    static_assert(std::is_same_v<T, long> || std::is_pointer_v<T>);
    CURLcode const code = curl_->easy_setopt(easy_, option, value);
    if (code != CURLE_OK && made_.failure == failure_kind::none)
        fail(failure_kind::refused,
            "libcurl refuses option " + std::to_string(option) + ": " + curl_->easy_strerror(code));
}

void transfer::set_pem(CURLoption option, std::string const& pem)
{
    if (pem.empty()) return;
    std::string copy = pem;
    curl_blob blob{copy.data(), copy.size(), CURL_BLOB_COPY};
    set(option, &blob);
}

void transfer::set_up_tls()
{
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (what_->insecure) {
        set(CURLOPT_SSL_VERIFYPEER, 0L);
        set(CURLOPT_SSL_VERIFYHOST, 0L);
    }
    char const* directory = nullptr;
    char const* file = nullptr;
    if (what_->trusted_pem.empty()) {
        directory = std::getenv("SSL_CERT_DIR");
        file = std::getenv("SSL_CERT_FILE");
    }
    if (file != nullptr) {
        set(CURLOPT_CAINFO, file);
        set(CURLOPT_PROXY_CAINFO, file);
    }
    set_pem(CURLOPT_CAINFO_BLOB, what_->trusted_pem);
    // Without a directory in addition to a file, libcurl reads the authorities once for all connections. A directory in
    // addition to the authorities of the request would be trusted, too.
    bool const has_file = file != nullptr || !what_->trusted_pem.empty() || curl_->has_authorities_file();
    if (directory != nullptr || has_file) set(CURLOPT_CAPATH, directory);
    set_pem(CURLOPT_SSLCERT_BLOB, what_->certificate_pem);
    set_pem(CURLOPT_SSLKEY_BLOB, what_->key_pem);
}

void transfer::set_up_body()
{
    std::string const& method = what_->method;
    bool const has_body = what_->body || method == "POST" || method == "PUT" || method == "PATCH";
    if (method == "HEAD") set(CURLOPT_NOBODY, 1L);
    else if (has_body) {
        std::string_view const text = what_->body ? std::string_view(*what_->body) : std::string_view("");
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<long>(text.size()));
        set(CURLOPT_POSTFIELDS, text.data());
    }
    set(CURLOPT_CUSTOMREQUEST, method.c_str());
}

void transfer::add_headers()
{
    auto const add = [this](std::string const& line) {
        curl_slist* const more = curl_->slist_append(header_lines_, line.c_str());
        if (more == nullptr) throw std::bad_alloc();
        header_lines_ = more;
    };
    // A name without a value removes libcurl's own header; a semicolon sends the header without a value.
    std::map<std::string, std::string> lines{{"Accept", "Accept:"}, {"Content-Type", "Content-Type:"},
        {"Expect", "Expect:"}, {"User-Agent", "User-Agent: iacctl"}};
    for (auto const& [name, text] : what_->headers)
        lines.insert_or_assign(canonical(name), text.empty() ? name + ";" : name + ": " + text);
    for (auto const& [_, line] : lines) add(line);
    set(CURLOPT_HTTPHEADER, header_lines_);
}

void transfer::take_header(std::string_view line)
{
    header_size_ += line.size();
    if (header_size_ > longest_header)
        return fail(failure_kind::refused, "the headers of the response are longer than 256 KiB");
    if (line.starts_with("HTTP/")) {  // what came before was an interim response
        made_.headers.clear();
        last_header_ = nullptr;
        return;
    }
    if (last_header_ != nullptr && (line.starts_with(' ') || line.starts_with('\t'))) {
        if (auto const more = trimmed(line); !more.empty()) last_header_->append(" ").append(more);
        return;
    }
    auto const colon = line.find(':');
    if (colon == std::string_view::npos || !made_.body.empty()) return;  // an empty line, or after the body
    std::string& text = made_.headers[canonical(trimmed(line.substr(0, colon)))];
    if (!text.empty()) text += ", ";
    text += trimmed(line.substr(colon + 1));
    last_header_ = &text;
}

auto transfer::take_body(std::string_view piece) -> bool
{
    bool const fits = piece.size() <= what_->longest_body - made_.body.size();
    if (fits) made_.body += piece;
    else
        fail(failure_kind::refused,
            "the body of the response is longer than the limit of " + std::to_string(what_->longest_body) + " bytes");
    return fits;
}

void transfer::fail(failure_kind kind, std::string why)
{
    made_.failure = kind;
    made_.error = std::move(why);
}

void transfer::explain(CURLcode code)
{
    if (made_.failure != failure_kind::none) return;
    std::string const detail = detail_[0] != '\0' ? detail_.data() : curl_->easy_strerror(code);
    std::string const server = where_->host + " port " + where_->port;
    switch (code) {
    case CURLE_OK: return;
    case CURLE_COULDNT_RESOLVE_HOST:
        return fail(failure_kind::lost, "the host name \"" + where_->host + "\" cannot be resolved");
    case CURLE_COULDNT_RESOLVE_PROXY: return fail(failure_kind::lost, "the host name of the proxy cannot be resolved");
    case CURLE_COULDNT_CONNECT: {
        long number = 0;
        curl_->easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
        return fail(failure_kind::lost,
            "no connection to " + (proxy_->url.empty() ? server : "the proxy") + ": "
                + (number != 0 ? std::strerror(static_cast<int>(number)) : detail));
    }
    case CURLE_OPERATION_TIMEDOUT:
        return fail(failure_kind::timed_out,
            made_.sent || (limit_.count() > 0 && limit_ <= what_->connect_timeout)
                ? "timed out: no complete response within " + seconds(limit_)
                : "timed out: no connection to " + server + " within " + seconds(what_->connect_timeout));
    case CURLE_ABORTED_BY_CALLBACK:
        return fail(failure_kind::lost, "the connection was closed before the response; the request is not sent twice");
    case CURLE_GOT_NOTHING: return fail(failure_kind::lost, "the server closed the connection without a response");
    case CURLE_PEER_FAILED_VERIFICATION:
        return fail(failure_kind::refused, "the certificate of " + server + " cannot be verified: " + detail);
    case CURLE_SSL_CERTPROBLEM:
        return fail(failure_kind::refused, "the client certificate or its key cannot be used: " + detail);
    case CURLE_SSL_CACERT_BADFILE:
        return fail(failure_kind::refused, "the certificates of authorities cannot be read: " + detail);
    case CURLE_SSL_CONNECT_ERROR:
        return fail(failure_kind::lost, "the TLS handshake with " + server + " failed: " + detail);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_PROXY: return fail(failure_kind::lost, detail);
    default: return fail(failure_kind::refused, detail);
    }
}

auto transfer::result() -> response
{
    if (made_.failure == failure_kind::none) {
        long status = 0;
        curl_off_t wait = 0;
        curl_->easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
        curl_->easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &wait);
        made_.status = static_cast<unsigned>(status);
        made_.retry_after = std::chrono::seconds(wait);
    } else {
        made_.headers.clear();
        made_.body.clear();
    }
    return std::move(made_);
}

class transfers::watched_socket {
public:
    watched_socket(strand const& s, curl_socket_t t) : socket(t), descriptor(s) {}
    curl_socket_t socket;
    asio::posix::stream_descriptor descriptor;
    int desired = CURL_POLL_NONE;
    int awaited = 0;
};

asio::execution_context::id transfers::id;

transfers::transfers(asio::execution_context& context) : asio::execution_context::service(context) {}

auto transfers::of(asio::any_io_executor const& executor) -> transfers&
{
    auto& all = asio::use_service<transfers>(asio::query(executor, asio::execution::context));
    std::call_once(all.opened_, [&] { all.open(executor); });
    return all;
}

void transfers::open(asio::any_io_executor const& executor)
{
    strand_.emplace(asio::make_strand(executor));
    timer_.emplace(*strand_);
    if (!curl_->error().empty()) return;
    multi_ = curl_->multi_init();
    if (multi_ == nullptr) throw std::bad_alloc();
    auto const on_socket = [](CURL*, curl_socket_t socket, int number, void* self, void*) -> int {
        auto const watch = [&] {
            static_cast<transfers*>(self)->watch(socket, number);
            return 0;
        };
        return guarded(watch, -1);
    };
    auto const on_timer = [](CURLM*, long wait, void* self) -> int {
        auto const set = [&] {
            static_cast<transfers*>(self)->set_timer(milliseconds(wait));
            return 0;
        };
        return guarded(set, -1);
    };
    curl_->multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, +on_socket);
    curl_->multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_->multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, +on_timer);
    curl_->multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_->multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kept_connections);
}

// Suspended transfers are destroyed with their coroutines, before or after this.
void transfers::shutdown()
{
    if (multi_ != nullptr) curl_->multi_cleanup(std::exchange(multi_, nullptr));
    for (auto& [_, one] : sockets_) one->descriptor.release();
    sockets_.clear();
    timer_.reset();
    strand_.reset();
}

auto transfers::perform(transfer& t) -> asio::awaitable<void>
{
    if (t.made_.failure != failure_kind::none) co_return;
    auto running = run(t);
    auto spawned = asio::co_spawn(*strand_, std::move(running), asio::use_awaitable);
    co_await std::move(spawned);
}

auto transfers::run(transfer& t) -> asio::awaitable<void>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    asio::steady_timer ended(*strand_, asio::steady_timer::time_point::max());
    t.ended_ = &ended;
    auto const state = co_await asio::this_coro::cancellation_state;
    CURLMcode const code = curl_->multi_add_handle(multi_, t.easy_);
    if (code != CURLM_OK) {
        t.fail(failure_kind::refused, curl_->multi_strerror(code));
        co_return;
    }
    running_.insert(&t);
    if (state.cancelled() == asio::cancellation_type::none) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto waiting = ended.async_wait(token);
        co_await std::move(waiting);
    }
    if (running_.contains(&t)) {
        end(t, CURLE_OK);
        t.fail(failure_kind::cancelled, "cancelled");
    }
    if (running_.empty()) timer_->cancel();
}

void transfers::end(transfer& t, CURLcode code)
{
    running_.erase(&t);
    curl_->multi_remove_handle(multi_, t.easy_);
    t.explain(code);
    t.ended_->cancel();
}

void transfers::watch(curl_socket_t socket, int number)
{
    auto const found = sockets_.find(socket);
    if (number == CURL_POLL_REMOVE) {
        if (found == sockets_.end()) return;
        // Released now, not by the last handler: libcurl may close the socket, and its number may be used again.
        found->second->descriptor.release();
        sockets_.erase(found);
        return;
    }
    if (multi_ == nullptr) return;
    auto one = found != sockets_.end() ? found->second : std::make_shared<watched_socket>(*strand_, socket);
    if (found == sockets_.end()) {
        one->descriptor.assign(socket);
        sockets_.emplace(socket, one);
    }
    one->desired = number;
    wait_for(one, CURL_CSELECT_IN);
    wait_for(one, CURL_CSELECT_OUT);
}

void transfers::wait_for(std::shared_ptr<watched_socket> const& ws, int event)
{
    static_assert(CURL_POLL_IN == CURL_CSELECT_IN && CURL_POLL_OUT == CURL_CSELECT_OUT);
    if ((ws->desired & event) == 0 || (ws->awaited & event) != 0) return;
    ws->awaited |= event;
    using descriptor = asio::posix::stream_descriptor;
    auto const kind = event == CURL_CSELECT_IN ? descriptor::wait_read : descriptor::wait_write;
    auto ready = [this, event, known = std::weak_ptr(ws)](error_code const& error) {
        auto const socket = known.lock();
        if (!socket) return;
        socket->awaited &= ~event;
        if ((socket->desired & event) == 0 || !socket->descriptor.is_open()) return;
        act(socket->socket, error ? CURL_CSELECT_ERR : event);
        if (socket->descriptor.is_open()) wait_for(socket, event);
    };
    ws->descriptor.async_wait(kind, std::move(ready));
}

void transfers::set_timer(milliseconds wait)
{
    if (!timer_) return;
    if (wait.count() < 0) {
        timer_->cancel();
        return;
    }
    auto expired = [this](error_code const& error) {
        if (!error) act(CURL_SOCKET_TIMEOUT, 0);
    };
    if (wait.count() == 0) asio::post(*strand_, [expired] { expired({}); });  // at once, without the system's timer
    else {
        timer_->expires_after(wait);
        timer_->async_wait(std::move(expired));
    }
}

void transfers::act(curl_socket_t socket, int events)
{
    int still_running = 0;
    CURLMcode const code = curl_->multi_socket_action(multi_, socket, events, &still_running);
    int left = 0;
    while (CURLMsg const* const message = curl_->multi_info_read(multi_, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        transfer* one = nullptr;
        CURLcode const result = message->data.result;
        curl_->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &one);
        end(*one, result);
    }
    if (code == CURLM_OK) return;
    // The event loop is broken: no transfer would ever end.
    for (auto const& all = running_; !all.empty();) {
        transfer& one = **all.begin();
        end(one, CURLE_OK);
        one.fail(failure_kind::lost, curl_->multi_strerror(code));
    }
}

}  // namespace iacctl::http
