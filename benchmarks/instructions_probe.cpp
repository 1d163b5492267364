// SPDX-License-Identifier: BSL-1.0
// Walks a graph several times. benchmarks/instructions runs it under callgrind with two numbers of runs, to count the
// instructions per vertex; the instructions outside of the walks cancel out. usage: instructions_probe [VERTICES
// [RUNS]]
#include "support/shapes.hpp"

#include <strider/core/dag.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

auto main(int count, char** arguments) -> int
{
    std::size_t const vertices = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
    std::size_t const runs = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 10;
    auto const g = strider::freeze(strider::bench::make(strider::bench::shape::layered, vertices)).value();
    std::vector<std::uint32_t> written(vertices);
    std::function<void(strider::vertex_id, std::uint32_t const&)> const visit =
        [&](strider::vertex_id v, std::uint32_t value) { written[v.index()] += value; };
    boost::asio::thread_pool pool(1);
    strider::walker walk(pool.get_executor(), g, visit);

    std::size_t done = 0;
    for (std::size_t i = 0; i < runs; ++i) done += walk.run(strider::caller_helps).done();

    std::cout << done << " visits\n";
    return done == vertices * runs ? 0 : 1;
}
