// SPDX-License-Identifier: BSL-1.0
// Simulation: virtual time passes without waiting, a plan determines the failures, and a seed reproduces a run exactly.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk/async_walk.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;

struct task {
    std::string name;
    std::chrono::hours takes;
};

void build_a_house(std::uint64_t seed)
{
    strider::digraph<task> draft;
    auto const ground = draft.add_vertex({"ground", std::chrono::hours(48)});
    auto const walls = draft.add_vertex({"walls", std::chrono::hours(240)});
    auto const pipes = draft.add_vertex({"pipes", std::chrono::hours(72)});
    auto const cables = draft.add_vertex({"cables", std::chrono::hours(72)});
    auto const roof = draft.add_vertex({"roof", std::chrono::hours(96)});
    draft.add_edge(walls, depends_on(ground));
    for (auto const after : {pipes, cables, roof}) draft.add_edge(after, depends_on(walls));
    auto const house = strider::freeze(std::move(draft)).value();

    strider::sim::manual_context world(seed);
    std::string order;
    auto const work = [&](strider::vertex_id, task const& t) -> asio::awaitable<void> {
        order += (order.empty() ? "" : ", ") + t.name;
        strider::sim::virtual_timer timer(co_await asio::this_coro::executor, t.takes);
        co_await timer.async_wait(asio::use_awaitable);
    };
    auto const print = [&](strider::error_code, strider::walk_report const& report) {
        auto const passed = std::chrono::duration_cast<std::chrono::hours>(world.now().time_since_epoch());
        std::cout << order << ": " << report.done() << " done after " << passed.count() / 24 << " days\n";
    };
    strider::async_walk(world, house, work, {}, print);
    world.run();
}

int main()
{
    build_a_house(0);  // in the order of arrival
    build_a_house(5);
    build_a_house(5);
}
