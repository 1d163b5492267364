// SPDX-License-Identifier: BSL-1.0
// The server over sockets and TLS, with the client of the backend "http".
#include "support.hpp"

#include "server/users.hpp"
#include "state/backends/http_state.hpp"
#include "state/record/document_store.hpp"

#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace iacctl::server::test {
namespace {

using backends::http_settings;
using backends::lock_info;
using backends::make_http_state;
using backends::state_client;
using state::test::codes_of;
using state::test::error_text;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpServer : public testing::Test {
protected:
    [[nodiscard]] auto options() const -> server_options
    {
        server_options with;
        with.directory = directory.path() / "states";
        return with;
    }
    [[nodiscard]] auto file(std::string const& name, std::string const& text) const -> fs::path
    {
        state::test::write_text(directory.path() / name, text);
        return directory.path() / name;
    }
    // Settings of a client for the state "a" of a server.
    [[nodiscard]] static auto client(std::string const& url) -> http_settings
    {
        http_settings with;
        with.address = with.lock_address = with.unlock_address = url + "/states/a";
        with.retries = {2, milliseconds(10), milliseconds(20), true};
        return with;
    }
    [[nodiscard]] static auto get(state_client& client) -> std::string
    {
        auto const got = client.get("default");
        return !got ? error_text(got) : got->value_or("none");
    }
    [[nodiscard]] static auto code_of(expected<void> const& result) -> std::string
    {
        return result ? std::string() : result.error().why().front().code;
    }

    state::test::temporary_directory directory;
};

TEST_F(HttpServer, KeepsTheStateOfAClient)
{
    running_server serving(options());
    auto const one = make_http_state(client(serving.url()));
    EXPECT_EQ(get(*one), "none");
    EXPECT_EQ(code_of(one->put("default", document(1), "")), "");
    EXPECT_EQ(get(*one), document(1));
    auto const info = lock_info::of_this_process("apply", "x");
    EXPECT_TRUE(one->lock("default", info)->held);
    auto const other = make_http_state(client(serving.url()));
    auto const attempt = other->lock("default", lock_info::of_this_process("apply", "y"));
    ASSERT_TRUE(attempt) << error_text(attempt);
    EXPECT_FALSE(attempt->held);
    ASSERT_TRUE(attempt->holder);
    EXPECT_EQ(attempt->holder->id, info.id);
    auto const refused = other->put("default", document(2), "");
    EXPECT_EQ(code_of(refused), "remote_state_conflict");
    EXPECT_THAT(error_text(refused), HasSubstr(info.who));
    EXPECT_EQ(code_of(one->put("default", document(2), info.id)), "");
    EXPECT_EQ(code_of(one->unlock("default", info)), "");
    EXPECT_EQ(get(*other), document(2));
    auto const late = one->put("default", document(3), info.id);
    EXPECT_EQ(code_of(late), "remote_state_conflict");
    EXPECT_THAT(error_text(late), HasSubstr("The lock with this ID is no longer held."));
    EXPECT_EQ(code_of(other->erase("default")), "");
    EXPECT_EQ(get(*one), "none");
}

TEST_F(HttpServer, AcceptsARepeatedRequestAfterALostReply)
{
    running_server serving(options());
    lossy_relay relay(serving.url());
    auto const one = make_http_state(client(relay.url()));
    auto const info = lock_info::of_this_process("apply", "x");
    relay.lose_next_reply();
    EXPECT_TRUE(one->lock("default", info)->held);
    relay.lose_next_reply();
    EXPECT_EQ(code_of(one->put("default", document(1), info.id)), "");
    relay.lose_next_reply();
    EXPECT_EQ(get(*one), document(1));
    relay.lose_next_reply();
    EXPECT_EQ(code_of(one->unlock("default", info)), "");
    relay.lose_next_reply();
    EXPECT_EQ(code_of(one->erase("default")), "");
    EXPECT_EQ(relay.lost(), 5);
    int posts = 0;
    for (std::string const& line : serving.log()) posts += line.find(" POST ") != line.npos ? 1 : 0;
    EXPECT_EQ(posts, 2);
}

TEST_F(HttpServer, RequiresAPasswordIfThereAreUsers)
{
    auto with = options();
    with.users = directory.path() / "users";
    ASSERT_TRUE(add_user(with.users, "ann", role::write, "secret"));
    ASSERT_TRUE(add_user(with.users, "bob", role::read, "other"));
    running_server serving(with);
    auto settings = client(serving.url());
    EXPECT_THAT(get(*make_http_state(settings)), StartsWith("remote_state_needs_login"));
    settings.username = "ann";
    settings.password = "wrong";
    EXPECT_THAT(get(*make_http_state(settings)),
        testing::AllOf(StartsWith("remote_state_login_refused"), HasSubstr("user name \"ann\" or its password")));
    settings.password = "secret";
    auto const ann = make_http_state(settings);
    EXPECT_EQ(code_of(ann->put("default", document(1), "")), "");
    settings.username = "bob";
    settings.password = "other";
    auto const bob = make_http_state(settings);
    EXPECT_EQ(get(*bob), document(1));
    EXPECT_EQ(code_of(bob->put("default", document(2), "")), "remote_state_denied");
    ASSERT_TRUE(add_user(with.users, "ann", role::read, "secret"));
    EXPECT_EQ(code_of(ann->put("default", document(2), "")), "remote_state_denied") << "the file has changed";
    std::string log;
    for (std::string const& line : serving.log()) log += line + "\n";
    EXPECT_THAT(log, HasSubstr("127.0.0.1 ann POST /states/a 200"));
    EXPECT_THAT(log, HasSubstr("127.0.0.1 - GET /states/a 401"));
    for (char const* const secret : {"secret", "wrong", "other"}) EXPECT_THAT(log, Not(HasSubstr(secret)));
}

TEST_F(HttpServer, RejectsToServeANetworkWithoutTlsOrUsers)
{
    auto with = options();
    with.listen = "0.0.0.0:0";
    EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre("serve_without_users"));
    with.allow_plain_text = true;
    EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre("serve_without_users"));
    with.users = directory.path() / "users";
    ASSERT_TRUE(add_user(with.users, "ann", role::write, "secret"));
    EXPECT_TRUE(http_server::open(with));
    with.allow_plain_text = false;
    EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre("serve_without_tls"));
    auto const authority = make_authority("ours");
    auto const own = make_identity("server", authority);
    with.tls_certificate = file("server.pem", own.certificate);
    EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre("tls_incomplete"));
    with.tls_key = file("server.key", own.key);
    EXPECT_TRUE(http_server::open(with));
    with.tls_key = file("other.key", make_identity("other", authority).key);
    EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre("tls_unusable"));
    for (char const* const where : {"", "8080", "localhost", "localhost:"}) {
        with.listen = where;
        EXPECT_THAT(codes_of(http_server::open(with)), ElementsAre(testing::AnyOf("tls_unusable", "listen_malformed")));
    }
}

TEST_F(HttpServer, ServesOverTlsToClientsThatTrustIt)
{
    auto const authority = make_authority("ours");
    auto const own = make_identity("server", authority);
    auto with = options();
    with.tls_certificate = file("server.pem", own.certificate);
    with.tls_key = file("server.key", own.key);
    running_server serving(with);
    EXPECT_THAT(serving.url(), StartsWith("https://"));
    auto settings = client(serving.url());
    EXPECT_THAT(get(*make_http_state(settings)), StartsWith("remote_state_unreachable"));
    settings.skip_cert_verification = true;
    EXPECT_EQ(get(*make_http_state(settings)), "none");
    settings.skip_cert_verification = false;
    settings.client_ca_certificate_pem = make_authority("another").certificate;
    EXPECT_THAT(get(*make_http_state(settings)), StartsWith("remote_state_unreachable"));
    settings.client_ca_certificate_pem = authority.certificate;
    auto const one = make_http_state(settings);
    EXPECT_EQ(code_of(one->put("default", document(1, "L", std::string(2'000'000, 'x')), "")), "");
    EXPECT_EQ(get(*one), document(1, "L", std::string(2'000'000, 'x')));
}

TEST_F(HttpServer, RequiresACertificateIfThereIsAnAuthorityOfClients)
{
    auto const authority = make_authority("ours");
    auto const own = make_identity("server", authority);
    auto with = options();
    with.tls_certificate = file("server.pem", own.certificate);
    with.tls_key = file("server.key", own.key);
    with.client_ca = file("clients.pem", authority.certificate);
    running_server serving(with);
    auto settings = client(serving.url());
    settings.retries.most = 0;
    settings.client_ca_certificate_pem = authority.certificate;
    EXPECT_THAT(get(*make_http_state(settings)), StartsWith("remote_state_unreachable"));
    auto const stranger = make_identity("stranger", make_authority("another"));
    settings.client_certificate_pem = stranger.certificate;
    settings.client_private_key_pem = stranger.key;
    EXPECT_THAT(get(*make_http_state(settings)), StartsWith("remote_state_unreachable"));
    auto const ann = make_identity("ann", authority);
    settings.client_certificate_pem = ann.certificate;
    settings.client_private_key_pem = ann.key;
    auto const known = make_http_state(settings);
    EXPECT_EQ(code_of(known->put("default", document(1), "")), "");
    EXPECT_EQ(get(*known), document(1));
    EXPECT_THAT(serving.log().back(), HasSubstr(" ann POST /states/a 200"));
}

TEST_F(HttpServer, ListensAtALocalSocketOnlyForItsOwner)
{
    auto with = options();
    fs::path const socket = directory.path() / "socket";
    with.listen = "unix:" + socket.string();
    {
        running_server serving(with);
        EXPECT_EQ(serving.url(), with.listen);
        EXPECT_EQ(fs::status(socket).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        auto other = with;
        other.directory = directory.path() / "other";
        EXPECT_THAT(codes_of(http_server::open(other)), ElementsAre("listen_failed")) << "a server is there";
        EXPECT_TRUE(fs::exists(socket));
    }
    EXPECT_FALSE(fs::exists(socket));
}

TEST_F(HttpServer, ClosesConnectionsOfSlowClients)
{
    auto with = options();
    with.timeout = milliseconds(200);
    with.header_timeout = milliseconds(200);
    running_server serving(with);
    auto const began = steady_clock::now();
    EXPECT_EQ(exchange(serving.url(), ""), "");
    EXPECT_EQ(exchange(serving.url(), "GET /states/a HT"), "");
    EXPECT_EQ(exchange(serving.url(), "POST /states/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"), "");
    EXPECT_GE(steady_clock::now() - began, milliseconds(550));
    EXPECT_LT(steady_clock::now() - began, milliseconds(10'000));
}

TEST_F(HttpServer, AnswersWhileOthersHoldAllConnections)
{
    auto with = options();
    with.most_connections = 20;
    std::string const large = "POST /states/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n\r\n{";
    for (std::string const& sent : {std::string(), std::string("GET /states/a HT"), large}) {
        running_server serving(with);
        std::vector<held_connection> others;
        for (int i = 0; i < 60; ++i) others.emplace_back(serving.url(), sent);

        auto const began = steady_clock::now();
        auto const one = make_http_state(client(serving.url()));
        EXPECT_EQ(code_of(one->put("default", document(1), "")), "") << sent;
        EXPECT_EQ(get(*one), document(1)) << sent;
        EXPECT_EQ(code_of(one->erase("default")), "") << sent;
        EXPECT_LT(steady_clock::now() - began, milliseconds(5000)) << sent;
    }
}

TEST_F(HttpServer, ClosesAConnectionThatAnnouncesALargeBodyAndSendsNothing)
{
    auto with = options();
    with.timeout = milliseconds(200);
    running_server serving(with);
    auto const began = steady_clock::now();
    EXPECT_EQ(
        exchange(serving.url(), "POST /states/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000000\r\n\r\n{"),
        "");
    EXPECT_LT(steady_clock::now() - began, milliseconds(10'000));
}

TEST_F(HttpServer, RefusesPagesOfOtherSites)
{
    running_server serving(options());
    std::string const body = document(1);
    std::string const rest = "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    std::string const request = "POST /states/a HTTP/1.1\r\n";
    EXPECT_THAT(exchange(serving.url(), request + "Host: evil.example\r\n" + rest), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(exchange(serving.url(), request + "Host: localhost\r\nOrigin: http://evil.example\r\n" + rest),
        StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(exchange(serving.url(), request + "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n" + rest),
        StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(exchange(serving.url(), request + rest), StartsWith("HTTP/1.1 400"));
    auto const began = steady_clock::now();
    EXPECT_THAT(exchange(serving.url(), "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        StartsWith("HTTP/1.1 403"));
    EXPECT_LT(steady_clock::now() - began, milliseconds(5000)) << "the connection is closed at once";
    EXPECT_EQ(get(*make_http_state(client(serving.url()))), "none");
    EXPECT_THAT(exchange(serving.url(), request + "Host: localhost\r\n" + rest), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServer, EndsAfterItsGraceAlthoughARequestIsIncomplete)
{
    auto with = options();
    with.grace = milliseconds(100);
    std::thread client;
    {
        running_server serving(with);
        client = std::thread([url = serving.url()] {
            EXPECT_EQ(
                test::exchange(url, "POST /states/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"), "");
        });
        std::this_thread::sleep_for(milliseconds(200));
        auto const began = steady_clock::now();
        serving.stop();
        EXPECT_LT(steady_clock::now() - began, milliseconds(10'000));
    }
    client.join();
}

TEST_F(HttpServer, RejectsRequestsThatAreTooLargeOrMalformed)
{
    auto with = options();
    with.longest_body = 1000;
    with.timeout = milliseconds(500);
    running_server serving(with);
    auto const one = make_http_state(client(serving.url()));
    EXPECT_EQ(code_of(one->put("default", document(1, "L", std::string(900, 'x')), "")), "");
    EXPECT_EQ(code_of(one->put("default", document(2, "L", std::string(1000, 'x')), "")), "remote_state_refused");
    std::string const request = "POST /states/a HTTP/1.1\r\nHost: localhost\r\n";
    EXPECT_THAT(exchange(serving.url(), request + "Content-Length: 1001\r\n\r\n"), HasSubstr("HTTP/1.1 413"));
    std::string const chunk = "1f4\r\n" + std::string(500, ' ') + "\r\n";
    EXPECT_THAT(exchange(serving.url(), request + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk),
        HasSubstr("HTTP/1.1 413"));
    EXPECT_THAT(
        exchange(serving.url(), request + "X: " + std::string(20'000, 'x') + "\r\n\r\n"), HasSubstr("HTTP/1.1 431"));
    EXPECT_THAT(exchange(serving.url(), "no HTTP at all\r\n\r\n"), HasSubstr("HTTP/1.1 400"));
    EXPECT_EQ(get(*one), document(1, "L", std::string(900, 'x')));
}

TEST_F(HttpServer, ServesSeveralRequestsOverOneConnection)
{
    running_server serving(options());
    std::string const body = document(1);
    std::string const all = "PUT /states/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        + std::to_string(body.size()) + "\r\n\r\n" + body
        + "GET /states/a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /states/b HTTP/1.1\r\nHost: localhost\r\nConnection: "
          "close\r\n\r\n";
    std::string const got = exchange(serving.url(), all);
    EXPECT_THAT(got, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(got, HasSubstr(body + "HTTP/1.1 404 Not Found\r\n"));
}

TEST_F(HttpServer, KeepsStatesOverARestart)
{
    auto const info = lock_info::of_this_process("apply", "x");
    {
        running_server serving(options());
        auto const one = make_http_state(client(serving.url()));
        EXPECT_TRUE(one->lock("default", info)->held);
        EXPECT_EQ(code_of(one->put("default", document(1), info.id)), "");
        auto const began = steady_clock::now();
        serving.stop();  // the connection of the client is idle
        EXPECT_LT(steady_clock::now() - began, milliseconds(5000));
    }
    running_server serving(options());
    auto const one = make_http_state(client(serving.url()));
    EXPECT_EQ(get(*one), document(1));
    EXPECT_EQ(code_of(one->put("default", document(2), info.id)), "");
    EXPECT_FALSE(one->lock("default", lock_info::of_this_process("apply", "y"))->held);
    EXPECT_EQ(code_of(one->unlock("default", info)), "");
}

TEST_F(HttpServer, LosesNoUpdateOfConcurrentClients)
{
    running_server serving(options());
    constexpr int clients = 6;
    constexpr int changes = 5;
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < clients; ++i)
            all.emplace_back([&] {
                auto const one = make_http_state(client(serving.url()));
                for (int done = 0; done < changes;) {
                    auto const info = lock_info::of_this_process("apply", "x");
                    auto const attempt = one->lock("default", info);
                    ASSERT_TRUE(attempt) << error_text(attempt);
                    if (!attempt->held) continue;
                    auto const now = one->get("default");
                    ASSERT_TRUE(now) << error_text(now);
                    auto const header = *now ? state::document_header::read(**now) : state::document_header{0, "L"};
                    EXPECT_EQ(code_of(one->put("default", document(header->serial + 1), info.id)), "");
                    EXPECT_EQ(code_of(one->unlock("default", info)), "");
                    ++done;
                }
            });
    }
    EXPECT_EQ(get(*make_http_state(client(serving.url()))), document(clients * changes));
}

}  // namespace
}  // namespace iacctl::server::test
