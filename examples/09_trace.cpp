// SPDX-License-Identifier: BSL-1.0
// A trace: prints when each visit starts and how it ends. `chrome_trace` writes the same events for Perfetto.
#include <strider/core.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

using recipe = strider::dag<std::string>;

class print_trace {
public:
    explicit print_trace(recipe const& steps) : steps_(&steps) {}

    void started(strider::vertex_id v, std::uint32_t) { std::cout << "start " << (*steps_)[v] << '\n'; }
    void settled(strider::vertex_id v, strider::visit_outcome const& outcome, std::uint32_t)
    {
        std::cout << to_string(outcome.status()) << ' ' << (*steps_)[v] << '\n';
    }
    void stopping(strider::stop_reason) { std::cout << "stop\n"; }

private:
    recipe const* steps_;
};

int main()
{
    strider::digraph<std::string> draft;
    auto const oven = draft.add_vertex("heat the oven"), dough = draft.add_vertex("make dough");
    auto const yeast = draft.add_vertex("find yeast"), bread = draft.add_vertex("bake bread");
    draft.add_edge(dough, depends_on(yeast));
    draft.add_edge(bread, depends_on(dough));
    draft.add_edge(bread, depends_on(oven));
    recipe const steps = strider::freeze(std::move(draft)).value();

    auto const cook = [](strider::vertex_id, std::string const& step) {
        if (step == "find yeast") throw std::runtime_error("there is none");
    };
    boost::asio::thread_pool pool(1);  // with more threads, calls of a trace must be thread-safe
    auto const report = strider::walk(pool, steps, cook, strider::walk_options{.trace = print_trace(steps)});
    for (auto const v : report.root_causes()) std::cout << steps[v] << ": " << report[v].message() << '\n';
}
