// SPDX-License-Identifier: BSL-1.0
// Cancellation: a signal ends running visits, and no other visit starts.
#include <strider/core.hpp>
#include <strider/walk/async_walk.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;

// A terminal cancellation of the walk ends the wait with an exception.
auto download(strider::vertex_id, std::string const& file) -> asio::awaitable<void>
{
    if (file == "small") co_return;
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
}

int main()
{
    strider::digraph<std::string> draft;
    auto const small = draft.add_vertex("small"), large = draft.add_vertex("large"), index = draft.add_vertex("index");
    draft.add_edge(index, depends_on(small));
    draft.add_edge(index, depends_on(large));
    auto const files = strider::freeze(std::move(draft)).value();

    asio::io_context context;
    asio::cancellation_signal stop;
    auto const print = [&](strider::error_code error, strider::walk_report const& report) {
        std::cout << error.message() << '\n';
        for (auto const v : files.vertices()) std::cout << files[v] << ": " << to_string(report[v].status()) << '\n';
    };
    strider::async_walk(context, files, download, {}, asio::bind_cancellation_slot(stop.slot(), print));

    asio::steady_timer user(context, std::chrono::milliseconds(100));
    user.async_wait([&](strider::error_code) { stop.emit(asio::cancellation_type::terminal); });
    context.run();
}
