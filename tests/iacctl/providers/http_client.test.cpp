// SPDX-License-Identifier: BSL-1.0
#include "certificates.hpp"
#include "http_server.hpp"
#include "relay.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/http/client.hpp"
#include "base/http/curl_library.hpp"
#include "base/http/proxies.hpp"
#include "base/http/url.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>

namespace {

using namespace providers_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace http = iacctl::http;
using http::failure_kind;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

using clock = std::chrono::steady_clock;

auto get(std::string url) -> http::request
{
    http::request r;
    r.url = std::move(url);
    return r;
}

auto post(std::string url, std::string body) -> http::request
{
    http::request r = get(std::move(url));
    r.method = "POST";
    r.body = std::move(body);
    r.retries.repeatable = false;
    return r;
}

/// Sends requests one after the other from its own execution context.
class client {
public:
    auto send(http::request r, std::chrono::milliseconds cancel_after = 0ms) -> http::response
    {
        std::optional<http::response> result;
        asio::cancellation_signal stop;
        asio::steady_timer timer(context_);
        if (cancel_after > 0ms) {
            timer.expires_after(cancel_after);
            timer.async_wait([&](auto error) {
                if (!error) stop.emit(asio::cancellation_type::terminal);
            });
        }
        auto done = [&](std::exception_ptr failed, http::response made) {
            EXPECT_FALSE(failed);
            result = std::move(made);
            timer.cancel();
        };
        context_.restart();
        asio::co_spawn(context_, http::send(std::move(r)), asio::bind_cancellation_slot(stop.slot(), done));
        context_.run();
        return std::move(*result);
    }

private:
    asio::io_context context_{1};
};

/// Sets an environment variable until the end of its scope.
class variable {
public:
    variable(char const* name, std::string const& text) : name_(name) { ::setenv(name, text.c_str(), 1); }
    variable(variable const&) = delete;
    auto operator=(variable const&) -> variable& = delete;
    ~variable() { ::unsetenv(name_); }

private:
    char const* name_;
};

auto with_secrets(http::request r) -> http::request
{
    r.headers = {{"Authorization", "Bearer t"}, {"cookie", "c=1"}, {"X-Api-Key", "k"}, {"Accept", "text/plain"}};
    return r;
}

auto echo(asked const& q) -> answer
{
    return {200, q.method + " " + q.target};
}

auto trusted(http::request r) -> http::request
{
    r.trusted_pem = certificates::authority;
    return r;
}

auto milliseconds_of(auto const& work) -> std::int64_t
{
    auto const began = clock::now();
    work();
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - began).count();
}

}  // namespace

TEST(HttpUrl, IsReadInParts)
{
    auto const url = http::url::parse("HTTPS://user:x@[::1]:8443/a b?c#d");

    ASSERT_TRUE(url);
    EXPECT_TRUE(url->secure);
    EXPECT_EQ(url->user_info, "user:x");
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->target, "/a%20b?c");
    EXPECT_EQ(url->text(), "https://[::1]:8443/a%20b?c");
    EXPECT_EQ(http::url::parse("http://Example.org:80?x")->text(), "http://example.org/?x");
    for (auto const* const wrong : {"", "example.org", "ftp://a", "http://", "http://a:0", "http://a:99999",
             "http://a:x", "http://[::1", "http://[::1]x", "http://a\\@b", "http://a b", "http://a%2fb"})
        EXPECT_FALSE(http::url::parse(wrong)) << wrong;
}

TEST(HttpUrl, ResolvesReferences)
{
    auto const base = *http::url::parse("http://u:p@a:81/b/c/d?q");
    auto const at = [&](std::string_view reference) { return base.resolve(reference)->text(); };

    EXPECT_EQ(at("e"), "http://a:81/b/c/e");
    EXPECT_EQ(at("/e?back=http://x/"), "http://a:81/e?back=http://x/");
    EXPECT_EQ(at("?r"), "http://a:81/b/c/d?r");
    EXPECT_EQ(at("../../../e/./f/.."), "http://a:81/e/");
    EXPECT_EQ(at("//x/y"), "http://x/y");
    EXPECT_EQ(at("https://x"), "https://x/");
    EXPECT_EQ(base.resolve("e")->user_info, "u:p");
    EXPECT_EQ(base.resolve("http://a:81/")->user_info, "");
    EXPECT_FALSE(base.resolve("file:///etc/passwd"));
    EXPECT_FALSE(base.resolve("javascript:x"));
}

TEST(HttpProxies, AreThoseOfTheEnvironmentUnlessAHostIsExcluded)
{
    http::proxies const all(
        "proxy:3128", "http://u:p@secure.proxy", "direct.org, .below.org:8080,10.0.0.0/8,[2001:db8::1]:81", false);
    auto const at = [&](std::string_view url) { return all.proxy_for(*http::url::parse(url)).url; };

    EXPECT_EQ(at("http://example.org"), "http://proxy:3128");
    EXPECT_EQ(at("https://example.org"), "http://u:p@secure.proxy:80");
    for (auto const* const direct : {"http://localhost", "http://127.3.2.1", "http://[::1]", "http://direct.org",
             "http://a.direct.org:81", "http://a.below.org:8080", "http://10.1.2.3", "http://[2001:db8::1]:81"})
        EXPECT_EQ(at(direct), "") << direct;
    for (auto const* const proxied : {"http://indirect.org", "http://below.org:8080", "http://a.below.org",
             "http://11.1.2.3", "http://[2001:db8::1]", "http://[2001:db8::2]:81"})
        EXPECT_EQ(at(proxied), "http://proxy:3128") << proxied;
    EXPECT_EQ(http::proxies("p", "p", "*", false).proxy_for(*http::url::parse("http://a")).url, "");
}

TEST(HttpProxies, ResolveNamesThemselvesAndHaveTheirUsualPorts)
{
    auto const as = [](std::string proxy) {
        return http::proxies("", std::move(proxy), "", false).proxy_for(*http::url::parse("https://a"));
    };

    EXPECT_EQ(as("socks5://p").url, "socks5h://p:1080");
    EXPECT_EQ(as("https://p").url, "https://p:443");
    EXPECT_EQ(as("http://p:80").url, "http://p:80");
    EXPECT_EQ(as("").url, "");
    EXPECT_THAT(as("ftp://p").error, HasSubstr("the value of HTTPS_PROXY is not the URL of a proxy"));
}

TEST(HttpProxies, IgnoreAHeaderOfACgiRequest)
{
    variable const proxy("HTTP_PROXY", dead_url());
    variable const cgi("REQUEST_METHOD", "GET");

    EXPECT_THAT(client().send(get("http://api.example.test")).error, HasSubstr("REQUEST_METHOD"));
}

TEST(HttpClient, KeepsItsConnectionForLaterRequests)
{
    http_server const server(echo);
    client c;

    for (int i = 0; i < 5; ++i) EXPECT_EQ(c.send(get(server.url() + "/a")).body, "GET /a");
    EXPECT_EQ(c.send(post(server.url() + "/b", "x")).body, "POST /b");

    EXPECT_EQ(server.connections(), 1U);
}

TEST(HttpClient, DoesNotPassItsConnectionsToChildProcesses)
{
    http_server const server(echo);
    client c;
    int connections = 0;

    EXPECT_TRUE(c.send(get(server.url())));

    for (int fd = 0; fd < 256; ++fd) {
        sockaddr_in at{};
        socklen_t size = sizeof at;
        bool const connected =
            ::getpeername(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0 && at.sin_family == AF_INET;
        if (!connected || !server.url().ends_with(":" + std::to_string(ntohs(at.sin_port)))) continue;
        ++connections;
        EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
    EXPECT_EQ(connections, 1);
}

TEST(HttpClient, SendsABodyWithAnyMethod)
{
    http_server const server([](asked const& q) { return answer{200, q.method + ":" + q.body}; });
    auto const reply = [&](std::string method, std::optional<std::string> body) {
        http::request r = get(server.url());
        r.method = std::move(method);
        r.body = std::move(body);
        return client().send(r).body;
    };

    EXPECT_EQ(reply("GET", "a"), "GET:a");
    EXPECT_EQ(reply("DELETE", std::string(200'000, 'x')).size(), 200'007U);
    EXPECT_EQ(reply("PATCH", std::nullopt), "PATCH:");
    EXPECT_EQ(reply("LOCK", "{}"), "LOCK:{}");
    EXPECT_EQ(reply("POST", std::string("\0b", 2)), std::string("POST:\0b", 7));
}

TEST(HttpClient, RepeatsARequestOverANewConnectionIfTheOldOneWasClosed)
{
    http_server const server([](asked const&) { return answer{200, "x", {{"Connection", "close"}}}; });
    std::string const raw = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny";  // and closes without a word of it
    http_server const rude([&](asked const&) { return answer{.raw = raw}; });
    client c;

    for (int i = 0; i < 3; ++i) EXPECT_EQ(c.send(get(server.url())).body, "x");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c.send(get(rude.url())).body, "y");

    EXPECT_EQ(server.connections(), 3U);
    EXPECT_EQ(rude.connections(), 3U);
}

TEST(HttpClient, DoesNotRepeatRequestsThatAreNotIdempotent)
{
    http_server const server(
        [](asked const& q) { return q.method == "POST" ? answer{.hangs_up = true} : answer{200, "x"}; });
    client c;
    http::request creation = post(server.url(), "x");
    creation.retries.most = 3;

    EXPECT_EQ(c.send(get(server.url())).body, "x");
    auto const lost = c.send(creation);

    EXPECT_THAT(server.log(), ElementsAre("GET /", "POST /"));
    EXPECT_EQ(lost.failure, failure_kind::lost);
    EXPECT_TRUE(lost.sent);
}

TEST(HttpClient, ReportsThatARequestWasNotSentIfThereIsNoServer)
{
    auto const r = client().send(post(dead_url(), "x"));

    EXPECT_EQ(r.failure, failure_kind::lost);
    EXPECT_FALSE(r.sent);
    EXPECT_THAT(r.error, AllOf(HasSubstr("POST http://127.0.0.1:"), HasSubstr("Connection refused")));
}

TEST(HttpClient, DropsSecretsIfARedirectLeadsToAnotherServer)
{
    asked got;
    http_server const target([&](asked const& q) {
        got = q;
        return answer{200, "there"};
    });
    auto const server = relay::tls(target.url(), certificates::server, "");
    auto const port = target.url().substr(target.url().rfind(':'));
    std::string to;
    http_server const start([&](asked const&) { return answer{302, "", {{"Location", to}}}; });
    auto const secrets_at = [&](std::string from, std::string where) {
        to = std::move(where);
        EXPECT_EQ(client().send(trusted(with_secrets(get(std::move(from))))).body, "there");
        return testing::Matcher<std::map<std::string, std::string>>(
                   AllOf(Not(Contains(Key("Authorization"))), Not(Contains(Key("cookie"))),
                       Not(Contains(Key("X-Api-Key"))), Contains(Key("Accept"))))
                   .Matches(got.headers)
            ? "none"
            : "some";
    };

    EXPECT_EQ(secrets_at(start.url(), target.url()), std::string("none"));  // another port
    EXPECT_EQ(secrets_at(start.url(), "https://" + server.authority()), std::string("none"));
    EXPECT_EQ(secrets_at("http://user:word@" + start.url().substr(7), target.url()), std::string("none"));
    EXPECT_EQ(secrets_at(target.url() + "/x", target.url()), std::string("some"));  // no redirection at all

    http_server const moved([&](asked const& q) {
        got = q;
        auto const here = q.headers.at("Host");
        return here.starts_with("127") ? answer{302, "", {{"Location", "http://localhost" + here.substr(9)}}}
                                       : answer{200, "there"};
    });
    EXPECT_EQ(secrets_at(moved.url(), ""), std::string("none"));  // another host, the same port
}

TEST(HttpClient, DropsSecretsIfARedirectLeavesTls)
{
    asked got;
    http_server const plain([&](asked const& q) {
        got = q;
        return answer{200, q.body};
    });
    http_server const down([&](asked const& q) {
        got = q;
        return answer{307, "", {{"Location", plain.url()}}};
    });
    auto const secure = relay::tls(down.url(), certificates::server, "");

    auto const r = client().send(trusted(with_secrets(post("https://" + secure.authority(), "kept"))));

    EXPECT_EQ(r.body, "kept");
    EXPECT_THAT(got.headers, Not(Contains(Key("Authorization"))));
    EXPECT_EQ(got.method, "POST");

    http::request reading = trusted(get("https://" + secure.authority()));
    reading.follows = http::redirections::secure;
    EXPECT_EQ(client().send(std::move(reading)).status, 307U);
}

TEST(HttpClient, KeepsSecretsIfARedirectLeadsToTheSameServer)
{
    asked got;
    http_server const server([&](asked const& q) {
        got = q;
        return q.target == "/a/b" ? answer{301, "", {{"Location", "../c?d"}}} : answer{200, "there"};
    });

    EXPECT_EQ(client().send(with_secrets(get(server.url() + "/a/b"))).body, "there");

    EXPECT_EQ(got.target, "/c?d");
    EXPECT_EQ(got.headers["Authorization"], "Bearer t");
    EXPECT_EQ(got.headers["X-Api-Key"], "k");
}

TEST(HttpClient, TurnsAPostIntoAGetUnlessTheRedirectForbidsIt)
{
    unsigned status = 303;
    http_server const server([&](asked const& q) {
        return q.target == "/" ? answer{status, "", {{"Location", "/there"}}}
                               : answer{200, q.method + q.body + (q.headers.contains("Content-Type") ? "t" : "")};
    });
    http::request r = post(server.url(), "b");
    r.headers["Content-Type"] = "t";

    EXPECT_EQ(client().send(r).body, "GET");
    status = 308;
    EXPECT_EQ(client().send(r).body, "POSTbt");
}

TEST(HttpClient, FollowsOnlyThePermittedRedirects)
{
    http_server const other([](asked const&) { return answer{200, "other"}; });
    unsigned status = 0;
    std::string target;
    http_server const server([&](asked const& q) {
        return q.target == "/a/b" ? answer{status, "", {{"Location", target}}} : answer{200, q.method + q.target};
    });
    auto const sent = [&](http::redirections follows, unsigned answered, std::string to) {
        status = answered;
        target = std::move(to);
        http::request r = post(server.url() + "/a/b", "b");
        r.follows = follows;
        auto const got = client().send(std::move(r));
        return got.status == 200 ? got.body : std::to_string(got.status);
    };

    for (unsigned const with : {301U, 302U, 303U, 307U, 308U})
        EXPECT_EQ(sent(http::redirections::none, with, "/c"), std::to_string(with));
    for (unsigned const with : {301U, 302U, 303U})
        EXPECT_EQ(sent(http::redirections::same_origin, with, "/c"), std::to_string(with));
    EXPECT_EQ(sent(http::redirections::same_origin, 307, "c"), "POST/a/c");
    EXPECT_EQ(sent(http::redirections::same_origin, 308, server.url() + "/c"), "POST/c");
    EXPECT_EQ(sent(http::redirections::same_origin, 308, other.url() + "/c"), "308");
    EXPECT_EQ(sent(http::redirections::same_origin, 308, "file:///c"), "0");
    EXPECT_EQ(sent(http::redirections::secure, 303, "/c"), "GET/c");
    EXPECT_EQ(sent(http::redirections::secure, 307, other.url()), "other");
}

TEST(HttpClient, RejectsRedirectsThatLeaveHttpOrNeverEnd)
{
    std::string to = "file:///etc/passwd";
    http_server const server([&](asked const&) { return answer{302, "", {{"Location", to}}}; });
    http::request patient = get(server.url());
    patient.retries.most = 3;

    EXPECT_THAT(client().send(patient).error, HasSubstr("redirects to \"file:///etc/passwd\""));
    EXPECT_THAT(server.log(), SizeIs(1));
    to = "/";
    EXPECT_THAT(client().send(patient).error, HasSubstr("stopped after 10 redirects"));
    EXPECT_THAT(server.log(), SizeIs(12));
}

TEST(HttpClient, SendsUserAndPasswordOfAUrlButNeverPrintsThem)
{
    asked got;
    http_server server([&](asked const& q) {
        got = q;
        return answer{200};
    });
    std::string const authority = server.url().substr(7);

    EXPECT_TRUE(client().send(get("http://me%40x:p%3Aw@" + authority)));
    EXPECT_EQ(got.headers["Authorization"], "Basic bWVAeDpwOnc=");
    http::request other = get("http://me:pw@" + authority);
    other.headers["authorization"] = "Bearer t";
    EXPECT_TRUE(client().send(other));
    EXPECT_EQ(got.headers["authorization"], "Bearer t");
    EXPECT_THAT(got.headers, Not(Contains(Key("Authorization"))));
    EXPECT_THAT(client().send(get("http://me:secret@" + dead_url().substr(7))).error, Not(HasSubstr("secret")));
}

TEST(HttpClient, TimesOutOnSilentServers)
{
    http_server const silent([](asked const&) { return answer{.delay_ms = 10'000}; });
    http_server const slow([](asked const&) { return answer{.raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"}; });
    http::request r = get(silent.url());
    r.timeout = 50ms;
    http::response answer;

    auto const took = milliseconds_of([&] { answer = client().send(r); });

    EXPECT_EQ(answer.failure, failure_kind::timed_out);
    EXPECT_TRUE(answer.sent);
    EXPECT_THAT(answer.error, HasSubstr("no complete response within 50 ms"));
    EXPECT_LT(took, 5000);
    EXPECT_EQ(client().send(get(slow.url())).failure, failure_kind::lost);  // also on bodies that end early
}

TEST(HttpClient, TimesOutIfNoConnectionIsMade)
{
    http_server const silent([](asked const&) { return answer{}; });  // it waits for an HTTP request, not for TLS
    http::request r = get("https" + silent.url().substr(4));
    r.connect_timeout = 50ms;
    http::response answer;

    auto const took = milliseconds_of([&] { answer = client().send(r); });

    EXPECT_EQ(answer.failure, failure_kind::timed_out);
    EXPECT_FALSE(answer.sent);
    EXPECT_THAT(answer.error, HasSubstr("no connection to 127.0.0.1 port"));
    EXPECT_LT(took, 5000);
}

TEST(HttpClient, HasLimitsUnlessTheyAreRemoved)
{
    EXPECT_GT(http::request().connect_timeout, 0ms);
    EXPECT_GT(http::request().timeout, 0ms);
    EXPECT_GT(http::request().longest_body, 0U);
}

TEST(HttpClient, EndsImmediatelyWhenItIsCancelled)
{
    http_server const silent([](asked const&) { return answer{.delay_ms = 10'000}; });
    http_server const busy([](asked const&) { return answer{503, "", {{"Retry-After", "10"}}}; });
    http::request patient = get(busy.url());
    patient.retries.most = 5;
    client c;

    auto const took = milliseconds_of([&] {
        EXPECT_EQ(c.send(get(silent.url()), 30ms).failure, failure_kind::cancelled);
        EXPECT_EQ(c.send(patient, 30ms).failure, failure_kind::cancelled);
        EXPECT_EQ(c.send(get("https" + silent.url().substr(4)), 30ms).failure, failure_kind::cancelled);
    });

    EXPECT_LT(took, 5000);
}

TEST(HttpClient, CanBeDestroyedWithItsContext)
{
    http_server const silent([](asked const&) { return answer{.delay_ms = 10'000}; });

    auto context = std::make_unique<asio::io_context>(1);
    asio::co_spawn(*context, http::send(get(silent.url())), [](std::exception_ptr, http::response const&) {});
    context->run_for(50ms);
    context.reset();

    EXPECT_THAT(silent.log(), SizeIs(1));
}

TEST(HttpClient, WaitsForTheRetryTimeOfAServerUpToItsLimit)
{
    std::string asked_for = "3600";
    http_server const server([&](asked const&) { return answer{503, "", {{"Retry-After", asked_for}}}; });
    http::request r = get(server.url());
    r.retries.most = 1;
    r.retries.least_wait = 1ms;
    r.retries.longest_wait = 20ms;

    EXPECT_LT(milliseconds_of([&] { EXPECT_EQ(client().send(r).status, 503U); }), 3000);
    asked_for = "Wed, 01 Jan 2126 00:00:00 GMT";
    EXPECT_LT(milliseconds_of([&] { EXPECT_EQ(client().send(r).status, 503U); }), 3000);
    asked_for = "1";
    r.retries.longest_wait = 10s;
    EXPECT_GE(milliseconds_of([&] { EXPECT_EQ(client().send(r).status, 503U); }), 1000);
    EXPECT_THAT(server.log(), SizeIs(6));
}

TEST(HttpClient, DoesNotRepeatPermanentFailures)
{
    auto const kind_of = [](auto change) {
        http::request r = get(dead_url());
        r.retries.most = 1;
        r.retries.least_wait = r.retries.longest_wait = 5s;
        change(r);
        http::response answer;
        EXPECT_LT(milliseconds_of([&] { answer = client().send(r); }), 3000);
        EXPECT_FALSE(answer.sent);
        return answer.failure;
    };

    EXPECT_EQ(kind_of([](auto& r) { r.method = "A B"; }), failure_kind::refused);
    EXPECT_EQ(kind_of([](auto& r) { r.url = "ftp://a"; }), failure_kind::refused);
    EXPECT_EQ(kind_of([](auto& r) { r.headers["A"] = "b\r\nC: d"; }), failure_kind::refused);
    EXPECT_EQ(kind_of([](auto& r) { r.headers["Transfer-Encoding"] = "chunked"; }), failure_kind::refused);
    EXPECT_EQ(kind_of([](auto& r) { r.headers["content-length"] = "5"; }), failure_kind::refused);
    auto const server = relay::tls(dead_url(), certificates::server, "");
    EXPECT_EQ(kind_of([&](auto& r) { r.url = "https://" + server.authority(); }), failure_kind::refused);
    EXPECT_EQ(kind_of([&](auto& r) {
        r.url = "https://" + server.authority();
        r.trusted_pem = "no certificate";
    }),
        failure_kind::refused);
}

TEST(HttpClient, ReadsAllFormsOfResponses)
{
    auto const reply = [](std::string raw) {
        http_server const server([&](asked const&) { return answer{.raw = raw}; });
        return client().send(get(server.url()));
    };

    auto const chunked =
        reply("HTTP/1.1 100 Continue\r\nX: no\r\n\r\nHTTP/1.1 200 OK\r\nx-many: 1\r\nX-Many:2\r\nX-Long: a\r\n  b\r\n"
              "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-Trailer: t\r\n\r\n");
    EXPECT_EQ(chunked.body, "abcd");
    EXPECT_EQ(chunked.headers,
        (std::map<std::string, std::string>{{"X-Many", "1, 2"}, {"X-Long", "a b"}, {"Transfer-Encoding", "chunked"}}));
    EXPECT_EQ(reply("HTTP/1.0 201 Created\r\n\r\nto the end").body, "to the end");
    EXPECT_EQ(reply("HTTP/1.1 204 Nothing\r\n\r\n").status, 204U);
    EXPECT_EQ(reply("nonsense\r\n\r\n").status, 0U);
    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\n\r\n" + std::string("\0\xFF", 2)).body, std::string("\0\xFF", 2));
}

TEST(HttpClient, RejectsResponsesWithoutAnEnd)
{
    auto const reply = [](std::string raw) {
        http_server const server([&](asked const&) { return answer{.raw = raw}; });
        http::request r = get(server.url());
        r.longest_body = 1000;
        return client().send(r);
    };
    std::string headers = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 200; ++i) headers += "X-" + std::to_string(i) + ": " + std::string(8000, 'x') + "\r\n";

    EXPECT_EQ(reply("HTTP/1.1 200 OK\r\n\r\n" + std::string(1000, 'x')).status, 200U);
    EXPECT_THAT(
        reply("HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x')).error, HasSubstr("longer than the limit of 1000"));
    EXPECT_EQ(reply(headers + "\r\n").failure, failure_kind::refused);
}

TEST(HttpClient, SendsOnlyTheHeadersOfTheRequest)
{
    asked got;
    http_server const server([&](asked const& q) {
        got = q;
        return answer{};
    });
    http::request r = post(server.url(), "x");
    r.headers = {{"X-Empty", ""}, {"user-agent", "mine"}};

    EXPECT_TRUE(client().send(r));

    EXPECT_EQ(got.headers,
        (std::map<std::string, std::string>{
            {"Host", server.url().substr(7)}, {"Content-Length", "1"}, {"X-Empty", ""}, {"user-agent", "mine"}}));
}

TEST(HttpClient, SendsManyRequestsAtOnceFromSeveralThreads)
{
    http_server const server(echo);
    std::atomic<int> good = 0;
    asio::thread_pool pool(4);

    for (int i = 0; i < 100; ++i)
        asio::co_spawn(pool, http::send(get(server.url() + "/" + std::to_string(i))),
            [&, i](std::exception_ptr, http::response const& r) {
                good += r.body == "GET /" + std::to_string(i) ? 1 : 0;
            });
    pool.join();

    EXPECT_EQ(good, 100);
}

TEST(HttpClient, NamesThePackageToInstallWithoutLibcurl)
{
    EXPECT_THAT(http::curl_library("libcurl-of-nobody.so.4").error(),
        AllOf(HasSubstr("libcurl-of-nobody.so.4"), HasSubstr("install the package libcurl4")));
    EXPECT_THAT(http::curl_library("libc.so.6").error(), HasSubstr("has no function curl_"));
}

TEST(HttpProxy, PassesPlainRequestsOn)
{
    asked got;
    http_server const proxy([&](asked const& q) {
        got = q;
        return answer{200, "proxied"};
    });
    variable const set("http_proxy", "http://u:p@" + proxy.url().substr(7));

    EXPECT_EQ(client().send(get("http://api.example.test/a?b")).body, "proxied");

    EXPECT_EQ(got.target, "http://api.example.test/a?b");
    EXPECT_EQ(got.headers["Host"], "api.example.test");
    EXPECT_EQ(got.headers["Proxy-Authorization"], "Basic dTpw");
}

TEST(HttpProxy, IsNotUsedForThisMachineAndExcludedHosts)
{
    variable const set("HTTP_PROXY", dead_url());
    variable const not_for("no_proxy", ".test");
    http_server const server(echo);

    EXPECT_EQ(client().send(get(server.url())).status, 200U);
    EXPECT_THAT(client().send(get("http://api.example.test")).error, HasSubstr("cannot be resolved"));
    EXPECT_THAT(client().send(get("http://api.example.org")).error, HasSubstr("no connection to the proxy"));
}

TEST(HttpProxy, TunnelsTlsAndReceivesNoSecrets)
{
    http_server const server(echo);
    auto const front = relay::tls(server.url(), certificates::server, "");
    auto proxy = relay::proxy("http://" + front.authority());
    variable const set("HTTPS_PROXY", "http://u:p@" + proxy.authority());
    client c;

    for (int i = 0; i < 2; ++i) {
        auto const r = c.send(trusted(with_secrets(get("https://api.example.test/a"))));
        EXPECT_EQ(r.body, "GET /a") << r.error;
        EXPECT_THAT(r.headers, Not(Contains(Key("X-Proxy"))));
    }

    EXPECT_THAT(proxy.log(), ElementsAre("CONNECT api.example.test:443 (Basic dTpw)"));
}

TEST(HttpProxy, CanBeASocksProxyThatResolvesNames)
{
    http_server const server(echo);
    auto proxy = relay::proxy(server.url());
    variable const set("HTTP_PROXY", "socks5://" + proxy.authority());

    EXPECT_EQ(client().send(get("http://api.example.test:81/a")).body, "GET /a");

    EXPECT_THAT(proxy.log(), ElementsAre("SOCKS api.example.test:81"));
}

TEST(HttpTls, MakesOneHandshakeForManyRequests)
{
    http_server const server(echo);
    auto front = relay::tls(server.url(), certificates::server, "");
    client c;

    for (int i = 0; i < 5; ++i) {
        auto const r = c.send(trusted(get("https://" + front.authority() + "/a")));
        EXPECT_EQ(r.body, "GET /a") << r.error;
    }

    EXPECT_THAT(front.log(), ElementsAre("handshake"));
}

TEST(HttpTls, RejectsUntrustedServers)
{
    http_server const server(echo);
    auto const good = relay::tls(server.url(), certificates::server, "");
    auto const other = relay::tls(server.url(), certificates::other_server, "");
    scratch_directory const scratch;
    std::ofstream(scratch.path("authorities")) << certificates::authority;
    auto const untrusted = client().send(get("https://" + good.authority()));
    auto const misnamed = client().send(trusted(get("https://" + other.authority())));

    EXPECT_EQ(untrusted.failure, failure_kind::refused);
    EXPECT_THAT(untrusted.error, HasSubstr("cannot be verified"));
    EXPECT_FALSE(untrusted.sent);
    EXPECT_EQ(misnamed.failure, failure_kind::refused);
    EXPECT_THAT(server.log(), IsEmpty());
    variable const file("SSL_CERT_FILE", scratch.path("authorities"));
    EXPECT_EQ(client().send(get("https://" + good.authority())).status, 200U);
    http::request narrow = get("https://" + good.authority());
    narrow.trusted_pem = certificates::client;  // replaces the certificates of the system
    EXPECT_EQ(client().send(narrow).failure, failure_kind::refused);
    http::request reckless = get("https://" + other.authority());
    reckless.insecure = true;
    EXPECT_EQ(client().send(reckless).status, 200U);
}

TEST(HttpTls, DoesNotUseAnUnverifiedConnectionForARequestThatIsVerified)
{
    http_server const server(echo);
    auto const other = relay::tls(server.url(), certificates::other_server, "");
    http::request reckless = get("https://" + other.authority());
    reckless.insecure = true;
    client c;

    EXPECT_EQ(c.send(reckless).status, 200U);
    EXPECT_EQ(c.send(trusted(get("https://" + other.authority()))).failure, failure_kind::refused);
}

TEST(HttpTls, SendsItsCertificateOnlyToTheRequestedServer)
{
    std::string to;
    http_server const server(
        [&](asked const&) { return to.empty() ? answer{200, "in"} : answer{302, "", {{"Location", to}}}; });
    auto const strict = relay::tls(server.url(), certificates::server, certificates::authority);
    auto const elsewhere = relay::tls(server.url(), certificates::server, certificates::authority);
    http::request r = trusted(get("https://" + strict.authority()));

    EXPECT_FALSE(client().send(r));
    r.certificate_pem = certificates::client;
    r.key_pem = certificates::client_key;
    EXPECT_EQ(client().send(r).body, "in");
    to = "https://" + elsewhere.authority();
    EXPECT_FALSE(client().send(r));
}
