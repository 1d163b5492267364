// SPDX-License-Identifier: BSL-1.0
// Redirections, retries and rates: everything beyond a single transfer.
#include "client.hpp"

#include "base/characters.hpp"
#include "base/log.hpp"
#include "transfers.hpp"
#include "url.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

namespace iacctl::http {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;
template <class T>
using task = asio::awaitable<T>;

constexpr int most_redirections = 10;

auto is_token(std::string_view text) -> bool
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

auto is_field_value(std::string_view text) -> bool
{
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

// The reason why a request cannot be sent; empty: it can.
auto problem_of(request const& r) -> std::string
{
    if (!is_token(r.method)) return "invalid method \"" + r.method + "\"";
    if (r.method == "HEAD" && r.body && !r.body->empty()) return "a HEAD request has no body";
    std::string const length = std::to_string(r.body ? r.body->size() : 0);
    for (auto const& [name, text] : r.headers) {
        std::string const key = ascii_lower_case(name);
        if (!is_token(name) || !is_field_value(text)) return "invalid header \"" + name + "\"";
        if (key == "transfer-encoding" || key == "trailer" || (key == "content-length" && text != length))
            return "the header \"" + name + "\" cannot be set: it is derived from the body";
    }
    return {};
}

auto failed(failure_kind kind, std::string why) -> response
{
    response r;
    r.failure = kind;
    r.error = std::move(why);
    return r;
}

/// Schedules the requests to a server, so that their number per second is limited.
class rate_limiter {
public:
    [[nodiscard]] static auto instance() -> rate_limiter&
    {
        static rate_limiter one;
        return one;
    }
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

// False if it was cancelled.
auto wait_until(clock::time_point when) -> task<bool>
{
    auto const executor = co_await asio::this_coro::executor;
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return false;
    asio::steady_timer timer(executor, when);
    auto token = asio::as_tuple(asio::use_awaitable);
    auto waiting = timer.async_wait(token);
    auto const [error] = co_await std::move(waiting);
    co_return !error;
}

auto milliseconds_since(clock::time_point begin) -> std::string
{
    return std::to_string(std::chrono::duration_cast<milliseconds>(clock::now() - begin).count());
}

// The URL without user and password, for messages.
auto without_user(std::string const& url) -> std::string
{
    return url.substr(url.rfind('@') + 1);
}

// The target of a redirection; empty for a final response.
auto location_of(response const& from) -> std::string
{
    constexpr std::array<unsigned, 5> moved{301, 302, 303, 307, 308};
    auto const at = from.headers.find("Location");
    bool const goes_on = std::ranges::find(moved, from.status) != moved.end() && at != from.headers.end();
    return goes_on ? at->second : std::string();
}

auto is_followed(redirections follows, url const& from, url const& to, unsigned status) -> bool
{
    switch (follows) {
    case redirections::all: return true;
    case redirections::secure: return to.secure || !from.secure;
    case redirections::same_origin: return (status == 307 || status == 308) && to.origin() == from.origin();
    case redirections::none: return false;
    }
    return false;
}

// Returns whether the header may be sent to the target of a redirection.
auto is_harmless(std::string_view header) -> bool
{
    std::string const name = ascii_lower_case(header);
    return name == "accept" || name == "user-agent" || name.starts_with("accept-") || name.starts_with("content-");
}

// Changes a request for the target of a redirection.
void redirect(request& r, url const& from, url const& to, unsigned status)
{
    if (status != 307 && status != 308 && r.method != "GET" && r.method != "HEAD") {
        r.method = "GET";
        r.body.reset();
        std::erase_if(
            r.headers, [](auto const& header) { return ascii_lower_case(header.first).starts_with("content-"); });
    }
    if (from.origin() == to.origin()) return;
    std::erase_if(r.headers, [](auto const& header) { return !is_harmless(header.first); });
    r.certificate_pem.clear();
    r.key_pem.clear();
}

auto try_once(transfers& all, request r) -> task<response>
{
    auto where = url::parse(r.url);
    if (!where)
        co_return failed(
            failure_kind::refused, r.method + ": \"" + without_user(r.url) + "\" is not an http or https URL");
    std::string problem = problem_of(r);
    bool sent = false;
    milliseconds left = r.timeout;
    response answer;
    for (int followed = 0; problem.empty(); ++followed) {
        if (r.most_per_second > 0) {
            auto waiting = wait_until(rate_limiter::instance().next(where->authority(), r.most_per_second));
            if (!co_await std::move(waiting)) {
                answer = failed(failure_kind::cancelled, "cancelled");
                break;
            }
        }
        auto const proxy = r.via ? r.via->proxy_for(*where) : all.proxy_for(*where);
        problem = proxy.error;
        if (!problem.empty()) break;
        auto const began = clock::now();
        transfer one(r, *where, proxy, left);
        auto performing = all.perform(one);
        co_await std::move(performing);
        answer = one.result();
        write_log(log_level::debug, "http", answer ? "response" : "no response",
            {{"method", r.method}, {"server", where->origin()}, {"status", std::to_string(answer.status)},
                {"milliseconds", milliseconds_since(began)}});
        sent = sent || answer.sent;
        std::string const location = location_of(answer);
        if (location.empty() || r.follows == redirections::none) break;
        auto to = where->resolve(location);
        if (to && !is_followed(r.follows, *where, *to, answer.status)) break;
        if (followed == most_redirections) problem = "stopped after 10 redirects";
        if (!to)
            problem = "the server redirects to \"" + without_user(location) + "\", which is not an http or https URL";
        if (!problem.empty()) break;
        if (r.timeout.count() > 0)
            left = std::max(milliseconds(1), left - std::chrono::duration_cast<milliseconds>(clock::now() - began));
        redirect(r, *where, *to, answer.status);
        where = std::move(to);
    }
    if (!problem.empty()) answer = failed(failure_kind::refused, std::move(problem));
    if (!answer.error.empty()) answer.error = r.method + " " + where->text() + ": " + answer.error;
    answer.sent = sent;
    answer.url = where->text();
    co_return answer;
}

auto is_retryable(response const& r, retry_policy const& policy) -> bool
{
    if (r) return r.status == 429 || (r.status >= 500 && r.status != 501);
    bool const passing = r.failure == failure_kind::lost || r.failure == failure_kind::timed_out;
    return passing && (policy.repeatable || !r.sent);
}

auto wait_before(std::int64_t retry, response const& last, retry_policy const& policy) -> milliseconds
{
    auto wait = policy.least_wait;
    for (std::int64_t i = 0; i < retry && wait.count() > 0 && wait < policy.longest_wait; ++i) wait *= 2;
    auto const requested = std::min<std::chrono::milliseconds>(last.retry_after, policy.longest_wait);
    return std::min(std::max(wait, requested), policy.longest_wait);
}

auto send_with_retries(transfers& all, request r) -> task<response>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    bool sent = false;
    for (std::int64_t retry = 0;; ++retry) {
        auto trying = try_once(all, r);
        auto answer = co_await std::move(trying);
        sent = sent || (answer.sent && !answer);
        answer.sent = answer.sent || sent;
        if (retry >= r.retries.most || !is_retryable(answer, r.retries)) co_return answer;
        auto waiting = wait_until(clock::now() + wait_before(retry, answer, r.retries));
        if (co_await std::move(waiting)) continue;
        answer = failed(failure_kind::cancelled, r.method + ": cancelled");
        answer.sent = sent;
        co_return answer;
    }
}

}  // namespace

auto send(request r) -> task<response>
{
    // Uses a strand: timers and the cancellation of a transfer must not be accessed by two threads concurrently.
    auto const executor = co_await asio::this_coro::executor;
    auto trying = send_with_retries(transfers::of(executor), std::move(r));
    auto spawned = asio::co_spawn(asio::make_strand(executor), std::move(trying), asio::use_awaitable);
    co_return co_await std::move(spawned);
}

}  // namespace iacctl::http
