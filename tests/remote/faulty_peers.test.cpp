// SPDX-License-Identifier: BSL-1.0
#include <remote/simulated_cluster.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::remote::test {
namespace {

[[nodiscard]] auto frame_of(frame_type type, std::string_view payload = {}) -> std::string
{
    frame_encoder encoder;
    encoder.add(type, payload);
    std::string bytes;
    encoder.take(bytes);
    return bytes;
}

template <class Message>
[[nodiscard]] auto frame_of(frame_type type, Message const& message) -> std::string
{
    std::string payload;
    message.encode(payload);
    return frame_of(type, std::string_view(payload));
}

/// A peer that sends what a test tells it to, reads everything, and closes nothing.
class raw_peer {
public:
    explicit raw_peer(sim::network_stream stream) : stream_(std::make_shared<sim::network_stream>(std::move(stream)))
    {
        asio::co_spawn(stream_->get_executor(), read_all(stream_), asio::detached);
    }

    /// Sends texts, each after a pause.
    void send(std::vector<std::string> texts, milliseconds pause = {})
    {
        asio::co_spawn(stream_->get_executor(), write_all(stream_, std::move(texts), pause), asio::detached);
    }

private:
    using stream_ptr = std::shared_ptr<sim::network_stream>;

    static auto read_all(stream_ptr stream) -> asio::awaitable<void>
    {
        std::array<char, 256> bytes{};
        for (;;) {
            auto reading = stream->async_read_some(asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
            auto const [error, size] = co_await std::move(reading);
            if (error) co_return;
        }
    }
    static auto write_all(stream_ptr stream, std::vector<std::string> texts, milliseconds pause)
        -> asio::awaitable<void>
    {
        for (std::string const& text : texts) {
            sim::virtual_timer timer(stream->get_executor(), pause);
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
            auto writing = asio::async_write(*stream, asio::buffer(text), asio::as_tuple(asio::use_awaitable));
            auto const [error, size] = co_await std::move(writing);
            if (error) co_return;
        }
    }

    stream_ptr stream_;
};

/// A stream that takes a thousand bytes in ten milliseconds.
class slow_stream {
public:
    using executor_type = sim::network_stream::executor_type;

    explicit slow_stream(sim::network_stream stream)
        : inner_(std::make_unique<sim::network_stream>(std::move(stream))),
          timer_(std::make_unique<sim::virtual_timer>(inner_->get_executor()))
    {}

    [[nodiscard]] auto get_executor() const -> executor_type { return inner_->get_executor(); }
    void close() { inner_->close(); }

    template <class Buffers, class Token>
    auto async_read_some(Buffers const& buffers, Token&& token)
    {
        return inner_->async_read_some(buffers, std::forward<Token>(token));
    }
    template <class Buffers, class Token>
    auto async_write_some(Buffers const& buffers, Token&& token)
    {
        auto const start = [this](auto handler, asio::const_buffer all) {
            auto const executor = asio::get_associated_executor(handler, inner_->get_executor());
            timer_->expires_after(milliseconds(10));
            timer_->async_wait(
                asio::bind_executor(executor, [this, all, handler = std::move(handler)](error_code) mutable {
                    inner_->async_write_some(asio::buffer(all, 1000), std::move(handler));
                }));
        };
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            start, token, asio::const_buffer(*asio::buffer_sequence_begin(buffers)));
    }

private:
    std::unique_ptr<sim::network_stream> inner_;
    std::unique_ptr<sim::virtual_timer> timer_;
};

/// A worker lost its coordinator, and serves another one while an action of the first one runs for two seconds.
class worker_of_two_coordinators : public simulated_cluster {
public:
    explicit worker_of_two_coordinators(std::uint32_t slots)
    {
        auto& shared = add_worker("w1", slots);
        start({"stubborn 2000"});
        world.run_for(milliseconds(200));
        net.partition("coordinator", "w1");
        world.run_for(seconds(1));
        auto [here, there] = net.connect("elsewhere", "w1");
        second.async_session(std::move(here), asio::detached);
        shared.worker->async_serve(std::move(there), asio::detached);
    }

    simulated_coordinator second{world.get_executor(), text_codec(), quick_options()};
};

TEST(FaultyPeers, AnActionOfAnotherCoordinatorWithTheSameEpochAnswersNoVisit)
{
    worker_of_two_coordinators cluster(1);
    std::optional<std::string> result;

    cluster.second.async_run(request<std::string>("say right"),
        [&](error_code, reply<std::string> end) { result = end.result.value_or("none"); });
    cluster.world.run_for(seconds(4));

    ASSERT_EQ(cluster.around.effects.size(), 2U);
    EXPECT_EQ(cluster.around.effects[0].epoch, cluster.around.effects[1].epoch);
    EXPECT_EQ(cluster.around.effects[0].token, cluster.around.effects[1].token);
    EXPECT_EQ(result, "right");
}

TEST(FaultyPeers, TwoCoordinatorsMayUseEqualTokensAtOnce)
{
    worker_of_two_coordinators cluster(2);
    std::optional<std::chrono::nanoseconds> end_of_second;
    auto const begin = cluster.world.now();

    cluster.second.async_run(request<std::string>("sleep 3000"),
        [&](error_code, reply<std::string> const&) { end_of_second = cluster.world.now() - begin; });
    cluster.world.run_for(seconds(5));

    ASSERT_TRUE(end_of_second.has_value());
    EXPECT_GE(*end_of_second, seconds(3));
}

TEST(FaultyPeers, ACoordinatorThatRepeatsATokenLosesItsWorker)
{
    simulated_cluster cluster;
    simulated_worker worker(cluster.world.get_executor(), script(cluster.around, "w1"), {.name = "w1", .slots = 2});
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    std::optional<error_code> served;
    worker.async_serve(std::move(there), [&](error_code error) { served = error; });
    raw_peer coordinator(std::move(here));

    welcome_message welcome;
    welcome.epoch = 7;
    welcome.heartbeat = milliseconds(100);
    welcome.timeout = milliseconds(500);
    std::string visits;
    for (int i = 0; i < 2; ++i) visit_message{5, 1, "key", "sleep 300"}.encode(visits);
    coordinator.send({frame_of(frame_type::welcome, welcome), frame_of(frame_type::visits, std::string_view(visits))});
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(served, make_error_code(remote_errc::protocol_error));
    EXPECT_LE(cluster.around.effects.size(), 1U);
}

TEST(FaultyPeers, AnActionThatEndsWithOperationAbortedItselfHasFailed)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");
    cluster.add_worker("w2");

    ending const& end = cluster.start(idempotent("abort"));
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(end.error, make_error_code(remote_errc::action_failed));
    EXPECT_EQ(end.end.attempts, 1U);
    EXPECT_FALSE(end.end.message.empty());
    EXPECT_EQ(cluster.around.effects.size(), 1U);
}

TEST(FaultyPeers, ASlowConnectionIsNotLostWhileItMakesProgress)
{
    simulated_cluster cluster;
    simulated_worker worker(cluster.world.get_executor(), script(cluster.around, "w1"), {.name = "w1"});
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    cluster.coordinator->async_session(slow_stream(std::move(here)), asio::detached);
    worker.async_serve(std::move(there), asio::detached);

    ending const& end = cluster.start({"say " + std::string(200'000, 'x')});
    cluster.world.run_for(seconds(10));

    EXPECT_EQ(end.error, error_code());
    EXPECT_EQ(end.end.attempts, 1U);
    ASSERT_TRUE(end.end.result.has_value());
    EXPECT_EQ(end.end.result->size(), 200'000U);
}

TEST(FaultyPeers, AnIdleSessionLastsWithATimeoutOfTwoHeartbeats)
{
    auto options = quick_options();
    options.heartbeat = milliseconds(100);
    options.timeout = milliseconds(200);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        simulated_cluster cluster(seed, options);
        auto& w = cluster.add_worker("w1");
        // A visit now and then, so that heartbeats begin at many times.
        for (int i = 0; i < 50; ++i) {
            cluster.start({"say x"});
            cluster.world.run_for(milliseconds(73 + 7 * i));
        }

        EXPECT_EQ(w.session, std::nullopt) << "seed " << seed;
    }
}

TEST(FaultyPeers, PartialCancellationEndsASessionThatHasNoWorkerYet)
{
    simulated_cluster cluster;
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    raw_peer const peer(std::move(there));
    asio::cancellation_signal signal;
    std::optional<error_code> ended;
    cluster.coordinator->async_session(
        std::move(here), asio::bind_cancellation_slot(signal.slot(), [&](error_code error) { ended = error; }));
    cluster.world.run_for(milliseconds(100));

    signal.emit(asio::cancellation_type::partial);
    cluster.world.run_for(milliseconds(100));

    EXPECT_EQ(ended, error_code(asio::error::operation_aborted));
}

TEST(FaultyPeers, ADrainDoesNotWaitForAWorkerThatIgnoresGoodbye)
{
    simulated_cluster cluster;
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    std::optional<error_code> session;
    cluster.coordinator->async_session(std::move(here), [&](error_code error) { session = error; });
    raw_peer worker(std::move(there));
    hello_message hello;
    hello.worker = "w1";
    worker.send({frame_of(frame_type::hello, hello)});
    worker.send(std::vector<std::string>(1000, frame_of(frame_type::heartbeat)), milliseconds(100));
    cluster.world.run_for(seconds(1));
    std::optional<error_code> drained;

    cluster.coordinator->async_drain([&](error_code error) { drained = error; });
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(cluster.logged("w1 joined"), 1);
    EXPECT_EQ(drained, error_code());
    EXPECT_EQ(session, error_code());
}

TEST(FaultyPeers, AHandshakeThatArrivesByteByByteTimesOut)
{
    simulated_cluster cluster;
    auto const letters = [](std::string const& text) {
        std::vector<std::string> all;
        for (char const c : text) all.emplace_back(1, c);
        return all;
    };
    hello_message hello;
    hello.worker = "w1";
    auto [coordinator, slow_worker] = cluster.net.connect("coordinator", "w1");
    std::optional<error_code> session;
    cluster.coordinator->async_session(std::move(coordinator), [&](error_code error) { session = error; });
    raw_peer worker_peer(std::move(slow_worker));
    worker_peer.send(letters(frame_of(frame_type::hello, hello)), milliseconds(400));

    worker_options options;
    options.handshake_timeout = seconds(1);
    simulated_worker worker(cluster.world.get_executor(), script(cluster.around, "w2"), options);
    auto [slow_coordinator, end_of_worker] = cluster.net.connect("elsewhere", "w2");
    std::optional<error_code> served;
    worker.async_serve(std::move(end_of_worker), [&](error_code error) { served = error; });
    raw_peer coordinator_peer(std::move(slow_coordinator));
    coordinator_peer.send(letters(frame_of(frame_type::welcome, welcome_message{.epoch = 1})), milliseconds(400));
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(session, make_error_code(remote_errc::timed_out));
    EXPECT_EQ(served, make_error_code(remote_errc::timed_out));
}

struct throwing_codec : text_codec {
    [[nodiscard]] static auto decode_result(std::string_view) -> std::optional<std::string>
    {
        throw std::runtime_error("cannot be parsed");
    }
};

TEST(FaultyPeers, AResultWhoseDecodingThrowsIsMalformed)
{
    simulated_cluster cluster;
    basic_coordinator<throwing_codec, sim::virtual_clock> coordinator(
        cluster.world.get_executor(), {}, quick_options());
    simulated_worker worker(cluster.world.get_executor(), script(cluster.around, "w1"), {.name = "w1"});
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    coordinator.async_session(std::move(here), asio::detached);
    worker.async_serve(std::move(there), asio::detached);
    std::optional<error_code> ended;

    coordinator.async_run(
        request<std::string>("say x"), [&](error_code error, reply<std::string> const&) { ended = error; });
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(ended, make_error_code(remote_errc::malformed_result));
}

TEST(Coordinator, MayWaitForAWorkerForEver)
{
    auto options = quick_options();
    options.worker_wait = std::chrono::nanoseconds::max();
    simulated_cluster cluster(0, options);

    ending const& end = cluster.start({"say x"});
    cluster.world.run_for(std::chrono::hours(1));
    int const before = end.calls;
    cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(before, 0);
    EXPECT_EQ(end.end.result, "x");
}

}  // namespace
}  // namespace strider::remote::test
