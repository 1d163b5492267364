// SPDX-License-Identifier: BSL-1.0
// Limits: at most eight visits at the same time, of which at most two use the database and one uses the printer.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/resource_pools.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <utility>

namespace asio = boost::asio;

int main()
{
    strider::digraph<std::string> draft;
    for (int number = 0; number < 6; ++number)
        for (char const* const resource : {"database", "printer", "nothing"}) draft.add_vertex(resource);
    auto const jobs = strider::freeze(std::move(draft)).value();

    // The pool of a vertex: its identity and its capacity. Without a pool, only the limit of the walk applies.
    auto const pool_of = [&](strider::vertex_id v) -> strider::resource_pool {
        if (jobs[v] == "database") return {.id = 1, .capacity = 2};
        if (jobs[v] == "printer") return {.id = 2, .capacity = 1};
        return {};
    };

    std::map<std::string, int> running, most;
    auto const work = [&](strider::vertex_id, std::string const& resource) -> asio::awaitable<void> {
        for (std::string const& what : {resource, std::string("in total")})
            most[what] = std::max(most[what], ++running[what]);
        strider::sim::virtual_timer timer(co_await asio::this_coro::executor, std::chrono::seconds(1));
        co_await timer.async_wait(asio::use_awaitable);
        for (std::string const& what : {resource, std::string("in total")}) --running[what];
    };

    strider::sim::manual_context world;  // runs in this thread, in virtual time
    strider::walk_options options{.max_concurrency = 8, .ready = strider::resource_pools(pool_of)};
    strider::async_walk(world, jobs, work, options, [](strider::error_code, strider::walk_report const&) {});
    world.run();
    for (auto const& [what, count] : most) std::cout << what << ": at most " << count << " at once\n";
}
