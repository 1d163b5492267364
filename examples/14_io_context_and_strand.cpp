// SPDX-License-Identifier: BSL-1.0
// One io_context with two threads. A walk on a strand shares data without a lock: coroutines wait at the same time and
// alternate where they suspend, and plain functions run in sequence. A result returns to a strand of the program.
#include <strider/core.hpp>
#include <strider/walk/async_walk.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;

int main()
{
    strider::digraph<std::string> draft;
    auto const total = draft.add_vertex("total");
    for (char const* const region : {"north", "south", "east", "west"})
        draft.add_edge(total, depends_on(draft.add_vertex(region)));
    auto const regions = strider::freeze(std::move(draft)).value();

    std::map<std::string, int> sales;  // no lock: all visits run on the strand of the walk
    auto const ask = [&](strider::vertex_id, std::string const& region) -> asio::awaitable<void> {
        asio::steady_timer server(co_await asio::this_coro::executor, std::chrono::milliseconds(5));
        co_await server.async_wait(asio::use_awaitable);  // visits wait at the same time
        int sum = 0;
        for (auto const& [_, count] : sales) sum += count;
        sales[region] = region == "total" ? sum : static_cast<int>(region.size());
    };

    asio::io_context context;
    auto const window = asio::make_strand(context);  // where the results are shown
    auto const show = [&](strider::error_code, strider::walk_report const&) {
        std::cout << (window.running_in_this_thread() ? "on the strand of the window\n" : "elsewhere\n");
        for (auto const& [region, count] : sales) std::cout << "  " << region << ": " << count << '\n';
    };
    auto const desk = asio::make_strand(context);  // where the walks run
    strider::async_walk(desk, regions, ask, asio::bind_executor(window, show));

    std::thread other([&] { context.run(); });
    context.run();
    other.join();

    std::string order;  // no lock, although two threads run the visits
    auto const append = [&](strider::vertex_id, std::string const& region) { order += ' ' + region; };
    context.restart();
    strider::async_walk(desk, regions, append,
        [&](strider::error_code, strider::walk_report const&) { std::cout << "in sequence:" << order << '\n'; });
    std::thread again([&] { context.run(); });
    context.run();
    again.join();
}
