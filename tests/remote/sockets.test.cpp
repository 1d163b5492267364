// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/remote.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace strider::remote::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tcp = asio::ip::tcp;
using unix_stream = asio::local::stream_protocol;

/// Doubles numbers, as texts; an ordinary function.
struct doubling : text_codec {
    [[nodiscard]] auto run(visit_context const& /*context*/, std::string const& action) const -> std::string
    {
        return std::to_string(2 * std::stoul(action));
    }
};
/// The same after a millisecond, as a coroutine.
struct slow_doubling : text_codec {
    auto run(visit_context /*context*/, std::string action) -> asio::awaitable<std::string>
    {
        asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(1));
        co_await timer.async_wait(asio::use_awaitable);
        co_return std::to_string(2 * std::stoul(action));
    }
};
using coordinator = basic_coordinator<text_codec>;
// All tests use these types, so that there are fewer instantiations.
using make_function = std::function<request<std::string>(vertex_id, std::uint64_t)>;
using receive_function = std::function<void(vertex_id, reply<std::string> const&)>;

[[nodiscard]] auto tcp_pair(asio::any_io_executor const& here, asio::any_io_executor const& there)
    -> std::pair<tcp::socket, tcp::socket>
{
    tcp::acceptor acceptor(here, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    tcp::socket client(there);
    client.connect(acceptor.local_endpoint());
    tcp::socket server = acceptor.accept();
    server.set_option(tcp::no_delay(true));
    client.set_option(tcp::no_delay(true));
    return {std::move(server), std::move(client)};
}

// Each vertex depends on two of the layer before.
[[nodiscard]] auto layers(std::size_t count, std::size_t width) -> dag<std::uint64_t>
{
    digraph<std::uint64_t> draft;
    std::vector<draft_vertex_id> made;
    for (std::size_t i = 0; i < count * width; ++i) {
        made.push_back(draft.add_vertex(i));
        if (i < width) continue;
        std::size_t const before = i / width * width - width;
        draft.add_edge(made[i], depends_on(made[before + i % width]));
        draft.add_edge(made[i], depends_on(made[before + (i + 1) % width]));
    }
    return freeze(std::move(draft)).value();
}

template <class Actions>
void walk_over_tcp(std::uint32_t slots)
{
    asio::thread_pool pool(4);
    asio::thread_pool elsewhere(3);
    coordinator_options options;
    options.application = "doubling";
    coordinator there(pool.get_executor(), {}, options);
    std::vector<std::unique_ptr<basic_worker<Actions>>> workers;
    std::vector<std::future<void>> sessions;
    for (int i = 0; i < 3; ++i) {
        worker_options own;
        own.name = "w" + std::to_string(i);
        own.application = "doubling";
        own.slots = slots;
        workers.push_back(std::make_unique<basic_worker<Actions>>(elsewhere.get_executor(), Actions(), own));
        auto [here, far] = tcp_pair(pool.get_executor(), elsewhere.get_executor());
        there.async_session(std::move(here), asio::detached);
        sessions.push_back(workers.back()->async_serve(std::move(far), asio::use_future));
    }
    auto const graph = layers(20, 50);
    std::vector<std::uint64_t> results(graph.vertex_count());
    std::atomic<int> early{0};
    make_function const make = [&](vertex_id v, std::uint64_t value) {
        for (vertex_id const d : graph.dependencies(v)) early += results[d.index()] != 2 * graph[d] + 1 ? 1 : 0;
        return std::to_string(value);
    };
    receive_function const receive = [&](vertex_id v, reply<std::string> const& end) {
        results[v.index()] = std::stoul(*end.result) + 1;
    };

    walk_report const report = walk(pool.get_executor(), graph, visitor(there, make, receive), {});
    there.async_drain(asio::use_future).get();

    EXPECT_EQ(report.done(), graph.vertex_count());
    EXPECT_EQ(early, 0);
    for (auto& session : sessions) EXPECT_NO_THROW(session.get());
    pool.join();
    elsewhere.join();
}

TEST(Sockets, CarryAWalkOverTcpBetweenThreadPools)
{
    walk_over_tcp<doubling>(1);
}

TEST(Sockets, CarryActionsThatAreCoroutines)
{
    walk_over_tcp<slow_doubling>(16);
}

TEST(Sockets, AwaitAVisitInACoroutine)
{
    asio::io_context context;
    coordinator there(context.get_executor());
    basic_worker<doubling> worker(context.get_executor());
    unix_stream::socket here(context);
    unix_stream::socket far(context);
    asio::local::connect_pair(here, far);
    there.async_session(std::move(here), asio::detached);
    worker.async_serve(std::move(far), asio::detached);
    std::vector<std::string> seen;

    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            auto first = there.async_run(std::string("21"));
            auto const [error, end] = co_await std::move(first)(asio::use_awaitable);
            seen.push_back(error ? error.message() : *end.result);
            auto second = there.async_run(std::string("no number"), asio::as_tuple(asio::use_awaitable));
            auto const [failure, text] = co_await std::move(second);
            seen.push_back(failure.message() + ": " + text.message);
            auto drained = there.async_drain(asio::use_awaitable);
            co_await std::move(drained);
        },
        asio::detached);
    context.run_for(seconds(10));

    EXPECT_THAT(seen, testing::ElementsAre("42", "the action failed: stoul"));
    EXPECT_TRUE(context.stopped()) << "something still waits";
}

TEST(Sockets, EndASessionWhosePeerUsesAnotherProtocol)
{
    asio::io_context context;
    coordinator there(context.get_executor());
    auto [here, far] = tcp_pair(context.get_executor(), context.get_executor());
    std::optional<error_code> ended;
    there.async_session(std::move(here), [&](error_code error) { ended = error; });

    asio::write(far, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")));
    for (int i = 0; i < 100 && !ended; ++i) context.run_one_for(milliseconds(100));

    EXPECT_EQ(ended, make_error_code(remote_errc::frame_too_large));
}

// A worker in a process of its own.
class worker_process {
public:
    worker_process(tcp::endpoint const& to, std::string name) : id_(::fork())
    {
        if (id_ == 0) {
            asio::io_context context;
            tcp::socket socket(context);
            socket.connect(to);
            worker_options options;
            options.name = std::move(name);
            options.slots = 4;
            basic_worker<slow_doubling> worker(context.get_executor(), {}, options);
            worker.async_serve(std::move(socket), [&](error_code) { context.stop(); });
            context.run();
            ::_exit(0);
        }
    }
    worker_process(worker_process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    auto operator=(worker_process&&) -> worker_process& = delete;
    ~worker_process()
    {
        if (id_ <= 0) return;
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
    void kill() const { ::kill(id_, SIGKILL); }

private:
    ::pid_t id_;
};

TEST(Sockets, LoseNothingWhenWorkerProcessesAreKilled)
{
    asio::io_context context;
    tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    std::vector<worker_process> processes;
    for (int i = 0; i < 3; ++i) processes.emplace_back(acceptor.local_endpoint(), "w" + std::to_string(i));
    int left = 0;
    int repeated = 0;
    coordinator_options options;
    options.observer = [&](coordinator_event const& event) {
        left += event.kind == coordinator_event::kind_type::worker_left ? 1 : 0;
        repeated += event.kind == coordinator_event::kind_type::visit_repeated ? 1 : 0;
    };
    coordinator there(context.get_executor(), {}, options);
    for (int i = 0; i < 3; ++i) there.async_session(acceptor.accept(), asio::detached);
    auto const graph = layers(10, 30);
    std::vector<int> results(graph.vertex_count());
    std::size_t received = 0;
    std::optional<walk_report> report;
    make_function const make = [](vertex_id, std::uint64_t value) {
        return request<std::string>(std::to_string(value), {}, {}, true);
    };
    receive_function const receive = [&](vertex_id v, reply<std::string> const& end) {
        ++results[v.index()];
        EXPECT_EQ(*end.result, std::to_string(2 * graph[v]));
        if (++received == 50) processes[0].kill();
        if (received == 120) processes[1].kill();
    };

    async_walk(context, graph, visitor(there, make, receive), {}, [&](error_code, walk_report r) {
        report = std::move(r);
        there.async_drain(asio::detached);
    });
    context.run_for(seconds(60));

    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->done(), graph.vertex_count());
    EXPECT_THAT(results, testing::Each(1));
    EXPECT_EQ(left, 3);
    EXPECT_GT(repeated, 0);
    EXPECT_TRUE(context.stopped()) << "something still waits";
}

}  // namespace
}  // namespace strider::remote::test
