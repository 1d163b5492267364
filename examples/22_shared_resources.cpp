// SPDX-License-Identifier: BSL-1.0
// Shared resources: two builds run at the same time and share memory and a licence; the capacity changes while they run.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/resource_pools.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;

int main()
{
    constexpr std::uint64_t memory = 1, licences = 2;
    strider::digraph<std::string> draft;
    for (char const* const step : {"compile", "link", "check"}) draft.add_vertex(step);
    auto const build = strider::freeze(std::move(draft)).value();
    strider::resource_limits limits{{memory, 3}, {licences, 1}};

    // The units that a visit takes, all of them together.
    auto const request_of = [&](strider::vertex_id v) -> std::vector<strider::resource_request> {
        if (build[v] == "link") return {{memory, 2}, {licences, 1}};
        return {{memory, 1}};
    };

    strider::sim::manual_context world;  // runs in this thread, in virtual time
    auto const seconds = [&] {
        return std::chrono::duration_cast<std::chrono::seconds>(world.now().time_since_epoch()).count();
    };
    auto const start = [&](std::string const& name) {
        auto const work = [&, name](strider::vertex_id, std::string const& step) -> asio::awaitable<void> {
            std::cout << seconds() << " s: " << name << ' ' << step << '\n';
            strider::sim::virtual_timer timer(co_await asio::this_coro::executor, std::chrono::seconds(2));
            co_await timer.async_wait(asio::use_awaitable);
        };
        strider::walk_options options{.ready = strider::resource_pools(limits, request_of)};
        strider::async_walk(
            world, build, work, options, [name](strider::error_code, strider::walk_report const& report) {
                std::cout << name << ": " << report.done() << " done\n";
            });
    };
    start("app");
    start("tests");
    world.run_for(std::chrono::seconds(3));
    std::cout << seconds() << " s: more memory\n";
    limits.set_capacity(memory, 6);
    world.run();
}
