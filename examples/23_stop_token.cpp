// SPDX-License-Identifier: BSL-1.0
// A stop token: an ordinary function that computes for a long time ends early when the walk is cancelled terminally.
#include <strider/core.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

namespace asio = boost::asio;

int main()
{
    strider::digraph<std::string> draft;
    auto const render = draft.add_vertex("render"), publish = draft.add_vertex("publish");
    draft.add_edge(publish, depends_on(render));
    auto const jobs = strider::freeze(std::move(draft)).value();

    std::atomic<bool> renders = false;
    auto const work = [&](strider::vertex_id, std::string const&, strider::stop_token stop) -> strider::error_code {
        renders = true;
        renders.notify_one();
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return asio::error::operation_aborted;
    };

    asio::thread_pool pool(1);
    strider::walker walks(pool, jobs, work);
    std::thread user([&] {
        renders.wait(false);
        walks.cancel();
    });
    strider::walk_report const report = walks.run();
    user.join();
    std::cout << report.error().message() << '\n';
    for (auto const v : jobs.vertices()) std::cout << jobs[v] << ": " << to_string(report[v].status()) << '\n';
}
