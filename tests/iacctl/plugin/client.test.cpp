// SPDX-License-Identifier: BSL-1.0
#include "client_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace iacctl::plugin;
using namespace plugin_tests;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

auto apply_request(std::string name) -> protocol::ApplyResourceChange::Request
{
    protocol::ApplyResourceChange::Request made;
    made.set_type_name("fake_echo");
    made.mutable_planned_state()->set_msgpack(std::move(name));
    return made;
}

// The failure of one call of a provider that runs in a mode.
auto failure_of_apply(std::string const& mode, client_options options = {}, milliseconds timeout = {}) -> failure
{
    return with_provider(mode, options, [&](client& provider) -> asio::awaitable<failure> {
        auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"), timeout);
        auto const answer = co_await std::move(calling);
        EXPECT_FALSE(answer) << mode;
        co_return answer ? failure{} : answer.error();
    });
}

TEST(PluginClient, CallsAProviderOfEitherVersionWithTheSameMessages)
{
    for (int const version : {5, 6}) {
        auto const schema = with_provider(
            "protocol=" + std::to_string(version), {}, [&](client& provider) -> asio::awaitable<protocol::Schema> {
                EXPECT_EQ(provider.protocol_version(), version);
                auto calling = provider.call<protocol::GetProviderSchema>({});
                auto const answer = co_await std::move(calling);
                EXPECT_TRUE(answer) << answer.error().what.detail;
                co_return answer->resource_schemas().at("fake_simple");
            });
        ASSERT_EQ(schema.block().attributes_size(), 6) << version;
        EXPECT_EQ(schema.block().attributes(0).type(), "\"string\"");
        EXPECT_TRUE(schema.block().attributes(3).write_only()) << version;
        EXPECT_FALSE(schema.block().attributes(4).write_only()) << version;
        EXPECT_EQ(schema.block().attributes(4).deprecation_message(), "use value") << version;
    }
}

TEST(PluginClient, SendsAndReceivesMessagesOfManyFrames)
{
    std::string const large(std::size_t{9} << 20U, 'x');
    auto const state = with_provider("", {}, [&](client& provider) -> asio::awaitable<std::string> {
        auto calling = provider.call<protocol::ApplyResourceChange>(apply_request(large));
        auto const answer = co_await std::move(calling);
        EXPECT_TRUE(answer);
        co_return answer ? answer->new_state().msgpack() : "";
    });
    EXPECT_EQ(state, large);
}

TEST(PluginClient, ReadsSchemasOfThousandsOfTypes)
{
    auto const count = with_provider("protocol=5 large=20000", {}, [&](client& provider) -> asio::awaitable<int> {
        auto calling = provider.call<protocol::GetProviderSchema>({});
        auto const answer = co_await std::move(calling);
        EXPECT_TRUE(answer);
        co_return answer ? answer->resource_schemas_size() : 0;
    });
    EXPECT_EQ(count, 20002);
}

TEST(PluginClient, MakesAsManyCallsAtOnceAsTheLimitAllows)
{
    client_options how;
    how.limits.most_calls = 5;
    std::vector<std::string> answers(20);
    auto const begin = std::chrono::steady_clock::now();
    with_provider("slow=ApplyResourceChange", how, [&](client& provider) -> asio::awaitable<int> {
        std::vector<asio::awaitable<void>> all;
        auto const one = [&](std::string& into, std::string name) -> asio::awaitable<void> {
            auto calling = provider.call<protocol::ApplyResourceChange>(apply_request(std::move(name)));
            auto const answer = co_await std::move(calling);
            into = answer ? answer->new_state().msgpack() : answer.error().what.detail;
        };
        for (std::size_t i = 0; i < answers.size(); ++i) all.push_back(one(answers[i], std::to_string(i)));
        auto joining = all_of(std::move(all));
        co_await std::move(joining);
        co_return 0;
    });
    for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], std::to_string(i));
    // Four rounds of 200 ms.
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(800));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(4000));
}

TEST(PluginClient, CanBeUsedFromOtherThreads)
{
    std::atomic<int> succeeded = 0;
    with_provider("", {}, [&](client& provider) -> asio::awaitable<int> {
        asio::thread_pool pool(4);
        std::atomic<int> left = 200;
        auto const one = [&]() -> asio::awaitable<void> {
            auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
            auto const answer = co_await std::move(calling);
            if (answer) ++succeeded;
            --left;
        };
        for (int i = 0; i < 200; ++i) asio::co_spawn(pool, one(), asio::detached);
        asio::steady_timer timer(co_await asio::this_coro::executor);
        while (left > 0) {
            timer.expires_after(milliseconds(5));
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
        }
        pool.join();
        co_return 0;
    });
    EXPECT_EQ(succeeded, 200);
}

TEST(PluginClient, ReportsAnErrorWithItsStatus)
{
    auto const why = failure_of_apply("refuse=ApplyResourceChange");
    EXPECT_EQ(why.kind, failure_kind::refused);
    EXPECT_EQ(why.status, 2);
    EXPECT_TRUE(why.sent);
    EXPECT_EQ(why.what.code, "plugin_call_failed");
    EXPECT_THAT(why.what.detail, HasSubstr("Unknown: refused 100%, as asked"));
}

struct unknown_call : protocol::call_of<protocol::Empty, protocol::Empty> {
    static constexpr method_name name{"GetFunctions"};
};

TEST(PluginClient, ReportsACallThatTheProviderDoesNotKnow)
{
    auto const why = with_provider("", {}, [&](client& provider) -> asio::awaitable<failure> {
        auto calling = provider.call<unknown_call>({});
        auto const answer = co_await std::move(calling);
        EXPECT_FALSE(answer);
        co_return answer.error();
    });
    EXPECT_EQ(why.status, failure::unimplemented);
}

TEST(PluginClient, ReportsResponsesThatViolateTheProtocol)
{
    for (auto const& [mode, text] : std::vector<std::pair<std::string, std::string>>{
             {"garbage", "it is not a message of the protocol"},
             {"huge", "a message of 1073741824 bytes, where 268435456 are allowed"},
             {"compressed", "the message is compressed"},
             {"twice", "more than one message"},
             {"unfinished", "there is no status"},
         }) {
        auto const why = failure_of_apply(mode + "=ApplyResourceChange");
        EXPECT_EQ(why.kind, failure_kind::invalid) << mode;
        EXPECT_EQ(why.what.code, "plugin_answer_invalid") << mode;
        EXPECT_THAT(why.what.detail, HasSubstr(text)) << mode;
    }
}

TEST(PluginClient, ReportsACrashWithTheExitStatusAndTheLastOutput)
{
    auto const why = failure_of_apply("crash=ApplyResourceChange");
    EXPECT_EQ(why.kind, failure_kind::crashed);
    EXPECT_TRUE(why.sent);
    EXPECT_EQ(why.what.code, "plugin_crashed");
    EXPECT_THAT(why.what.detail,
        AllOf(HasSubstr("fake ended during ApplyResourceChange (exit status 2)"), HasSubstr("  panic: a fake defect"),
            HasSubstr("main.main()"), Not(HasSubstr("the fake starts"))));
}

TEST(PluginClient, FailsCallsAfterACrashImmediately)
{
    auto const why = with_provider("crash=ApplyResourceChange", {}, [&](client& provider) -> asio::awaitable<failure> {
        auto first = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
        (void)co_await std::move(first);
        auto second = provider.call<protocol::ReadResource>({});
        auto const answer = co_await std::move(second);
        EXPECT_FALSE(answer);
        co_return answer.error();
    });
    EXPECT_EQ(why.kind, failure_kind::crashed);
    EXPECT_FALSE(why.sent);
}

TEST(PluginClient, ReportsAConnectionThatEndsWithoutTheProcess)
{
    auto const why = failure_of_apply("disconnect=ApplyResourceChange");
    EXPECT_EQ(why.kind, failure_kind::lost);
    EXPECT_TRUE(why.sent);
}

TEST(PluginClient, CompletesACallThatWasSentBeforeTheProviderGoesAway)
{
    auto const kinds = with_provider(
        "goaway=ApplyResourceChange", {}, [&](client& provider) -> asio::awaitable<std::vector<std::string>> {
            std::vector<std::string> all;
            auto first = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
            auto const answer = co_await std::move(first);
            all.push_back(answer ? answer->new_state().msgpack() : answer.error().what.detail);
            auto second = provider.call<protocol::ReadResource>({});
            auto const refused = co_await std::move(second);
            EXPECT_FALSE(refused);
            EXPECT_FALSE(refused.error().sent);
            co_return all;
        });
    EXPECT_THAT(kinds, testing::ElementsAre("a"));
}

TEST(PluginClient, CancelsACallAfterItsTimeout)
{
    auto const why = failure_of_apply("hang=ApplyResourceChange", {}, milliseconds(100));
    EXPECT_EQ(why.kind, failure_kind::timed_out);
    EXPECT_TRUE(why.sent);
    EXPECT_THAT(why.what.detail, HasSubstr("no response within 100 ms"));
}

TEST(PluginClient, DetectsAnUnresponsiveProvider)
{
    client_options how;
    how.limits.silence = milliseconds(100);
    how.limits.ping_timeout = milliseconds(100);
    how.times.termination = milliseconds(100);
    auto const why = with_provider("", how, [&](client& provider) -> asio::awaitable<failure> {
        auto schemas = provider.call<protocol::GetProviderSchema>({});
        (void)co_await std::move(schemas);
        ::kill(last_process(), SIGSTOP);
        auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
        auto const answer = co_await std::move(calling);
        EXPECT_FALSE(answer);
        co_return answer.error();
    });
    EXPECT_EQ(why.kind, failure_kind::lost);
    EXPECT_THAT(why.what.detail, HasSubstr("the provider does not respond"));
}

TEST(PluginClient, WaitsForASlowAnswerWhileTheProviderAnswersPings)
{
    client_options how;
    how.limits.silence = milliseconds(20);
    how.limits.ping_timeout = milliseconds(100);
    auto const name =
        with_provider("slow=ApplyResourceChange", how, [&](client& provider) -> asio::awaitable<std::string> {
            auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
            auto const answer = co_await std::move(calling);
            co_return answer ? answer->new_state().msgpack() : answer.error().what.detail;
        });
    EXPECT_EQ(name, "a");
}

TEST(PluginClient, ResetsACancelledCallAndMakesOthers)
{
    auto const kinds = with_provider(
        "hang=ApplyResourceChange", {}, [&](client& provider) -> asio::awaitable<std::vector<failure_kind>> {
            std::vector<failure_kind> all;
            asio::cancellation_signal stop;
            asio::steady_timer soon(co_await asio::this_coro::executor, milliseconds(50));
            soon.async_wait([&](auto const&) { stop.emit(asio::cancellation_type::terminal); });
            auto const one = [&]() -> asio::awaitable<void> {
                auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
                auto const answer = co_await std::move(calling);
                all.push_back(answer.error().kind);
            };
            auto spawned = asio::co_spawn(co_await asio::this_coro::executor, one(),
                asio::bind_cancellation_slot(stop.slot(), asio::use_awaitable));
            co_await std::move(spawned);
            auto next = provider.call<protocol::ReadResource>({});
            auto const answer = co_await std::move(next);
            EXPECT_TRUE(answer);
            co_return all;
        });
    EXPECT_THAT(kinds, testing::ElementsAre(failure_kind::cancelled));
}

TEST(PluginClient, ReadsTheOutputOfAProvider)
{
    std::vector<std::string> seen;
    client_options how;
    how.log = [&](iacctl::log_record const& record) { seen.push_back(record.text()); };
    auto const name = with_provider("flood", how, [&](client& provider) -> asio::awaitable<std::string> {
        auto calling = provider.call<protocol::ApplyResourceChange>(apply_request("a"));
        auto const answer = co_await std::move(calling);
        co_return answer ? answer->new_state().msgpack() : answer.error().what.detail;
    });
    EXPECT_EQ(name, "a");
    EXPECT_THAT(
        seen, testing::Contains(HasSubstr("[INFO]  provider.fake_provider: the fake starts: @module=fake pid=")));
    EXPECT_THAT(seen, testing::Contains(HasSubstr("provider.fake_provider: printed by the fake")));
}

// The variables of the last provider that was started, each with a zero at its end.
auto environment_of_provider() -> std::string
{
    std::ifstream file("/proc/" + std::to_string(last_process()) + "/environ");
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PluginClient, ReducesTheLogLevelOfAProviderWhoseLogIsNotRead)
{
    auto const environment_with = [](client_options options) {
        return with_provider("", std::move(options),
            [](client&) -> asio::awaitable<std::string> { co_return environment_of_provider(); });
    };
    client_options logged;
    logged.log = [](iacctl::log_record const&) {};
    EXPECT_THAT(environment_with({}), AllOf(HasSubstr("TF_LOG_SDK=OFF"), HasSubstr("PLUGIN_PROTOCOL_VERSIONS=5,6")));
    EXPECT_THAT(environment_with(logged), Not(HasSubstr("TF_LOG_SDK")));
}

TEST(PluginClient, DoesNotStartOtherPrograms)
{
    for (auto const& [mode, text] : std::vector<std::pair<std::string, std::string>>{
             {"exit=3",
                 "its process ended (exit status 3) before it could be called. Its output:\n\n  it ends as asked"},
             {"handshake=Hello_world", "its first line of output is not that of a plugin: \"Hello world\""},
             {"protocol=4", "it uses version 4 of the plugin protocol; supported are 5 and 6"},
             {"certificate=none", "it does not use TLS"},
             {"certificate=other", "the TLS handshake failed"},
             {"handshake=1|6|unix|/nowhere|grpc|", "it does not use TLS"},
         }) {
        auto const why = failure_of_start(mode, {});
        EXPECT_EQ(why.kind, failure_kind::not_started) << mode;
        EXPECT_EQ(why.what.code, "plugin_not_started") << mode;
        EXPECT_THAT(why.what.detail, HasSubstr(text)) << mode;
    }
}

TEST(PluginClient, DoesNotWaitForeverForAHandshake)
{
    client_options how;
    how.times.start = milliseconds(200);
    auto const why = failure_of_start("silent", how);
    EXPECT_THAT(why.what.detail, HasSubstr("it did not report its socket within 200 ms"));
    EXPECT_FALSE(runs(last_process()));
}

TEST(PluginClient, DoesNotWaitForeverForAConnection)
{
    client_options how;
    how.times.start = milliseconds(500);
    auto const why = failure_of_start("mute", how);
    EXPECT_THAT(why.what.detail, HasSubstr("it did not answer within "));
    EXPECT_FALSE(runs(last_process()));
}

TEST(PluginClient, ReportsAMissingProgram)
{
    auto const why = failure_of_start("", {}, "/nowhere/terraform-provider-none");
    EXPECT_THAT(
        why.what.detail, AllOf(HasSubstr("/nowhere/terraform-provider-none"), HasSubstr("No such file or directory")));
}

TEST(PluginClient, EndsTheProcessAndRemovesItsSocket)
{
    for (std::string const mode : {"", "stubborn", "hang=*"}) {
        client_options how;
        how.times.shutdown = milliseconds(100);
        how.times.termination = milliseconds(100);
        fs::path socket;
        with_provider(mode, how, [&](client&) -> asio::awaitable<int> {
            std::string const environment = environment_of_provider();
            std::string_view constexpr variable = "PLUGIN_UNIX_SOCKET_DIR=";
            auto const at = environment.find(variable);
            if (at != environment.npos)
                socket =
                    fs::path(environment.c_str() + at + variable.size()) / ("fake-" + std::to_string(last_process()));
            EXPECT_TRUE(fs::exists(socket));
            co_return 0;
        });
        EXPECT_FALSE(runs(last_process())) << mode;
        EXPECT_FALSE(fs::exists(socket)) << mode;
        EXPECT_FALSE(fs::exists(socket.parent_path())) << mode;
    }
}

TEST(PluginClient, KillsTheProcessIfItIsNotClosed)
{
    asio::io_context context(1);
    start_and(context, "stubborn", {}, [](std::shared_ptr<client>) -> asio::awaitable<void> { co_return; });
    context.run_for(std::chrono::seconds(20));
    EXPECT_FALSE(runs(last_process()));
}

TEST(PluginClient, SendsAStopRequestToAProvider)
{
    auto const said = with_provider("", {}, [](client& provider) -> asio::awaitable<std::string> {
        auto stopping = provider.stop();
        co_return co_await std::move(stopping);
    });
    EXPECT_EQ(said, "");
}

// The number of attributes of "fake_simple", as a running provider reports it; 0 if it cannot be reached.
auto attributes_from(reattached_provider const& where, asio::io_context& context) -> asio::awaitable<int>
{
    auto connecting = client::reattach(context.get_executor(), "fake", where, {});
    auto const found = co_await std::move(connecting);
    EXPECT_TRUE(found) << found.error().what.detail;
    if (!found) co_return 0;
    auto calling = (*found)->call<protocol::GetProviderSchema>({});
    auto const answer = co_await std::move(calling);
    EXPECT_TRUE(answer);
    auto closing = (*found)->close();
    co_await std::move(closing);
    co_return answer ? answer->resource_schemas().at("fake_simple").block().attributes_size() : 0;
}

TEST(PluginClient, CanUseARunningProvider)
{
    // A running provider without TLS, as a developer starts it for debugging.
    auto const line = start_by_hand("protocol=5");
    auto const where = *handshake::parse(line.first_line);
    reattached_provider one;
    one.protocol_version = 5;
    one.socket = where.socket;
    one.test = true;
    asio::io_context context(1);
    int attributes = 0;
    for (int round = 0; round < 2; ++round) {
        auto body = [&]() -> asio::awaitable<void> {
            auto asking = attributes_from(one, context);
            attributes += co_await std::move(asking);
        };
        asio::co_spawn(context, body(), asio::detached);
        context.run_for(std::chrono::seconds(20));
        context.restart();
    }
    EXPECT_EQ(attributes, 12);
    EXPECT_TRUE(runs(line.process)) << "a provider of a test is left running";
}

template <class From, class To>
auto pump(From& from, To& to) -> asio::awaitable<void>
{
    std::array<char, 4096> data{};
    auto token = asio::as_tuple(asio::use_awaitable);
    for (;;) {
        auto reading = from.async_read_some(asio::buffer(data), token);
        auto const [error, size] = co_await std::move(reading);
        if (error) break;
        auto writing = asio::async_write(to, asio::buffer(data.data(), size), token);
        auto const [failed, written] = co_await std::move(writing);
        if (failed) break;
    }
    boost::system::error_code ignored;
    to.shutdown(To::shutdown_send, ignored);
}

TEST(PluginClient, CanUseAProviderOnATcpSocket)
{
    auto const line = start_by_hand("protocol=5");
    auto const local = *handshake::parse(line.first_line);
    asio::io_context context(1);
    asio::ip::tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
    asio::ip::tcp::socket outside(context);
    asio::local::stream_protocol::socket inside(context);
    inside.connect(local.socket.text);
    reattached_provider one;
    one.protocol_version = 5;
    one.socket = *plugin_socket::of("tcp", "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    one.test = true;
    int attributes = 0;

    auto relay = [&]() -> asio::awaitable<void> {
        auto accepting = acceptor.async_accept(outside, asio::use_awaitable);
        co_await std::move(accepting);
        asio::co_spawn(context, pump(outside, inside), asio::detached);
        asio::co_spawn(context, pump(inside, outside), asio::detached);
    };
    auto body = [&]() -> asio::awaitable<void> {
        auto asking = attributes_from(one, context);
        attributes = co_await std::move(asking);
        outside.close();
        inside.close();
    };
    asio::co_spawn(context, relay(), asio::detached);
    asio::co_spawn(context, body(), asio::detached);
    context.run_for(std::chrono::seconds(20));

    EXPECT_EQ(attributes, 6);
}

TEST(PluginClient, ReportsAnUnusableTcpAddress)
{
    asio::io_context context(1);
    for (std::string const place : {"127.0.0.1", "127.0.0.1:1"}) {
        std::string why;
        reattached_provider one;
        one.socket = *plugin_socket::of("tcp", place);
        auto body = [&]() -> asio::awaitable<void> {
            auto connecting = client::reattach(context.get_executor(), "fake", one, {});
            auto const found = co_await std::move(connecting);
            if (!found) why = found.error().what.detail;
        };
        asio::co_spawn(context, body(), asio::detached);
        context.run_for(std::chrono::seconds(20));
        context.restart();
        EXPECT_THAT(why, HasSubstr("cannot be reached at " + place + ": ")) << place;
    }
}

}  // namespace
