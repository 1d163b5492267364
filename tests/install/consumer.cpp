// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/version.hpp>

#include <cstdio>
#include <string>

int main()
{
    strider::digraph<std::string> graph;
    strider::vertex_id const service = graph.add_vertex("service");
    strider::vertex_id const database = graph.add_vertex("database");
    graph.add_edge(service, database);
    for (strider::vertex_id const dependency : graph.dependencies(service))
        std::printf("%s -> %s\n", graph[service].c_str(), graph[dependency].c_str());
    std::printf("strider %d.%d.%d\n", strider::version.major_number, strider::version.minor_number,
        strider::version.patch_number);
}
