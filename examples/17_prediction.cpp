// SPDX-License-Identifier: BSL-1.0
// Prediction: computes the duration of a walk with one to four threads, without running it. The workers of the walk run in
// simulated threads, and visits take virtual time.
#include <strider/core.hpp>
#include <strider/sim.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <utility>

using std::chrono::minutes;

int main()
{
    strider::digraph<minutes> draft;
    auto const library = draft.add_vertex(minutes(8));
    auto const tests = draft.add_vertex(minutes(6));
    auto const program = draft.add_vertex(minutes(5));
    auto const manual = draft.add_vertex(minutes(7));
    auto const package = draft.add_vertex(minutes(1));
    for (auto const user : {tests, program}) draft.add_edge(user, depends_on(library));
    for (auto const part : {tests, program, manual}) draft.add_edge(package, depends_on(part));
    auto const build = strider::freeze(std::move(draft)).value();

    for (std::uint32_t threads = 1; threads <= 4; ++threads) {
        auto const duration_of = [](strider::vertex_id, minutes takes) { return takes; };
        auto const run = strider::sim::simulate_walk(build, duration_of, strider::walk_options<>{.threads = threads});
        std::cout << threads << ": " << std::chrono::duration_cast<minutes>(run.duration).count() << " minutes\n";
    }
}
