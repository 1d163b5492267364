// SPDX-License-Identifier: BSL-1.0
// A timeline: shows how a walk has used its time. With TRACE=FILE, the timeline is also written in a format for
// Perfetto.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/walk_times.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;

struct job {
    std::string name;
    std::chrono::milliseconds takes;
};

int main()
{
    using std::chrono::milliseconds;
    strider::digraph<job> draft;
    auto const fetch = draft.add_vertex({"fetch", milliseconds(20)}),
               scan = draft.add_vertex({"scan", milliseconds(60)});
    auto const core = draft.add_vertex({"compile core", milliseconds(80)}),
               app = draft.add_vertex({"compile app", milliseconds(50)});
    auto const docs = draft.add_vertex({"write docs", milliseconds(30)}),
               link = draft.add_vertex({"link core", milliseconds(40)});
    auto const link_app = draft.add_vertex({"link app", milliseconds(40)}),
               pack = draft.add_vertex({"pack", milliseconds(10)});
    for (auto const after : {core, app, docs}) draft.add_edge(after, depends_on(fetch));
    draft.add_edge(link, depends_on(core));
    draft.add_edge(link_app, depends_on(app));
    for (auto const before : {scan, docs, link, link_app}) draft.add_edge(pack, depends_on(before));
    auto const jobs = strider::freeze(std::move(draft)).value();

    auto const pool_of = [&](strider::vertex_id v) { return jobs[v].name.starts_with("link") ? "linker" : ""; };
    auto const limit_of = [&](strider::vertex_id v) -> strider::resource_pool {
        if (jobs[v].name.starts_with("link")) return {.id = 1, .capacity = 1};
        return {};
    };
    auto const work = [](strider::vertex_id, job const& j) -> asio::awaitable<void> {
        strider::sim::virtual_timer timer(co_await asio::this_coro::executor, j.takes);
        co_await timer.async_wait(asio::use_awaitable);
    };

    strider::sim::manual_context world;  // time is virtual; elsewhere a timeline uses the steady clock
    strider::timeline const line([&] { return world.now().time_since_epoch(); });
    strider::walk_options options{.max_concurrency = 3, .ready = strider::resource_pools(limit_of), .trace = line};
    strider::async_walk(world, jobs, work, options, [](strider::error_code, strider::walk_report const&) {});
    world.run();

    auto const name_of = [&](strider::vertex_id v) { return jobs[v].name; };
    strider::write_summary(std::cout, strider::measure(jobs, line), name_of);
    if (char const* const file = std::getenv("TRACE")) {
        std::ofstream out(file);
        strider::write_trace_events(out, jobs, line, name_of, pool_of);
    }
}
