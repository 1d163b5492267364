// SPDX-License-Identifier: BSL-1.0
// A run that was killed is resumed by the next process: what is done does not run again. Then all is torn down in reverse.
#include <strider/algorithm/graph_text.hpp>
#include <strider/core.hpp>
#include <strider/walk/remaining.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <string>
#include <string_view>

constexpr std::string_view configuration = R"(
network
database: network
cache: network
"user api": database cache
"admin api": database
site: "user api" "admin api"  # what users see
)";

// One process: starts what the journal does not contain, and adds to the journal what it has started.
void start_services(std::string& journal, int starts_until_kill)
{
    auto const services = strider::freeze(strider::read_text(configuration).value()).value();
    strider::vertex_set const started(strider::read_vertices(journal, services).value());
    auto const left = strider::remaining(services, [&](strider::vertex_id v) { return started.contains(v); });

    auto const start = [&](strider::vertex_id, std::string const& name) {
        if (starts_until_kill-- <= 0) return strider::visit_outcome::cancelled();  // a killed process does nothing
        std::cout << "  start " << name << '\n';
        journal += strider::text_quoted(name) + '\n';  // a program appends to a file
        return strider::visit_outcome::done();
    };
    boost::asio::thread_pool pool(1);
    strider::walker walks(pool, services, start, {.max_concurrency = 1});
    auto const report = walks.run(left);
    std::cout << "  remaining:\n";
    for (auto const v : strider::remaining(services, report)) std::cout << "    " << services[v] << '\n';
}

int main()
{
    std::string journal;
    std::cout << "first process, killed after three services\n";
    start_services(journal, 3);
    std::cout << "journal\n" << journal;
    std::cout << "second process\n";
    start_services(journal, 100);

    std::cout << "tear down\n";
    auto const services = strider::freeze(strider::read_text(configuration).value()).value();
    auto const down = strider::reversed(services);
    auto const stop = [](strider::vertex_id, std::string const& name) { std::cout << "  stop " << name << '\n'; };
    boost::asio::thread_pool pool(1);
    return strider::walk(pool, down, stop, {.max_concurrency = 1}).error() ? 1 : 0;
}
