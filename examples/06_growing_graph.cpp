// SPDX-License-Identifier: BSL-1.0
// Tests that are known only after their program is built: the visit that builds a program adds a graph of its tests.
// The vertex "report" depends on the programs, and also waits for their tests.
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct step {
    enum { build, test, report } kind;
    std::string name;
};

// The tests of each program. All depend on the first one.
std::map<std::string, std::vector<std::string>> const tests_of{
    {"parser", {"set up", "numbers", "strings"}},
    {"printer", {"set up", "margins"}},
};

auto list_tests(std::string const& program) -> strider::dag<step>
{
    strider::digraph<step> g;
    auto const& names = tests_of.at(program);
    auto const set_up = g.add_vertex({step::test, program + ": " + names.front()});
    for (std::size_t i = 1; i < names.size(); ++i)
        g.add_edge(g.add_vertex({step::test, program + ": " + names[i]}), depends_on(set_up));
    return strider::freeze(std::move(g)).value();
}

}  // namespace

auto main() -> int
{
    strider::digraph<step> g;
    auto const report = g.add_vertex({step::report, "report"});
    for (auto const& [program, tests] : tests_of) g.add_edge(report, depends_on(g.add_vertex({step::build, program})));
    strider::growing_digraph<step> const steps(strider::freeze(std::move(g)).value());

    auto const visit = [&](strider::vertex_id v, step const& s) {
        std::cout << (s.kind == step::build ? "build " : s.kind == step::test ? "test " : "") << s.name << '\n';
        if (s.kind == step::build) steps.add(v, list_tests(s.name));
        if (s.name == "printer: margins") throw std::runtime_error("the margin is too wide");
    };
    strider::asio::thread_pool pool(2);
    // One visit at a time, for a repeatable output.
    auto const ended = strider::walk(pool, steps, visit, {.max_concurrency = 1});

    std::cout << ended.size() << " steps, " << ended.done() << " done\n";
    for (auto const& [v, outcome] : ended.not_done())
        std::cout << steps[v].name << ": " << to_string(outcome.status())
                  << (outcome.message().empty() ? "" : ", " + outcome.message()) << '\n';
}
