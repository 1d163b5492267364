// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/version.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <cstdio>
#include <string>

int main()
{
    strider::digraph<std::string> graph;
    auto const service = graph.add_vertex("service");
    auto const database = graph.add_vertex("database");
    graph.add_edge(service, depends_on(database));

    auto const frozen = strider::freeze(graph);
    boost::asio::thread_pool pool(2);
    auto const report = strider::walk(pool.get_executor(), *frozen,
        [](strider::vertex_id, std::string const& name) { std::printf("start %s\n", name.c_str()); });
    std::printf("strider %d.%d.%d\n", strider::version.major_number, strider::version.minor_number,
        strider::version.patch_number);
    return report.error() ? 1 : 0;
}
