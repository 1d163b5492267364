// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/topological_order.hpp>
#include <strider/core/digraph.hpp>
#include <strider/version.hpp>

#include <cstdio>
#include <string>

int main()
{
    strider::digraph<std::string> graph;
    auto const service = graph.add_vertex("service");
    auto const database = graph.add_vertex("database");
    graph.add_edge(service, depends_on(database));

    auto const order = strider::topological_order(graph).value();
    for (auto const v : order) std::printf("start %s\n", graph[v].c_str());
    std::printf("strider %d.%d.%d\n", strider::version.major_number, strider::version.minor_number,
        strider::version.patch_number);
}
