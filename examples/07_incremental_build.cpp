// SPDX-License-Identifier: BSL-1.0
// An incremental build: after a change, only the affected rules run, and a change does not propagate beyond an
// unchanged result.
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

#include <boost/asio/thread_pool.hpp>

#include <initializer_list>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using text = std::string;

// A rule makes a text from the texts of its dependencies.
struct rule {
    text name;
    text (*make)(text const& name, strider::dependency_values<text> inputs);
    std::vector<text> inputs;
};

std::map<text, text> sources{
    {"list.h", "int size(); // of the list"}, {"list.c", "int size() { return 3; }"}, {"main.c", "print(size());"}};

auto read(text const& name, strider::dependency_values<text>) -> text
{
    return sources.at(name);
}
auto without_comment(text const&, strider::dependency_values<text> inputs) -> text
{
    text const& file = inputs[0];
    return file.substr(0, file.find(" //"));
}
auto compile(text const&, strider::dependency_values<text> inputs) -> text
{
    text object;
    for (text const& input : inputs) {
        if (input.find('?') != text::npos) throw std::runtime_error("syntax error");
        object += "[" + input + "]";
    }
    return object;
}

auto build_graph(std::vector<rule> const& rules) -> strider::dag<rule>
{
    return strider::freeze(strider::make_digraph(rules, &rule::name, &rule::inputs).value()).value();
}

}  // namespace

auto main() -> int
{
    auto const rules = build_graph({{"list.h", read, {}}, {"list.c", read, {}}, {"main.c", read, {}},
        {"header", without_comment, {"list.h"}}, {"list.o", compile, {"list.c", "header"}},
        {"main.o", compile, {"main.c", "header"}}, {"program", compile, {"list.o", "main.o"}}});
    strider::asio::thread_pool pool(2);
    strider::value_cache<text> results(rules);
    auto const make = [](strider::vertex_id, rule const& r, strider::dependency_values<text> inputs) {
        std::cout << ' ' << r.name;
        return r.make(r.name, inputs);
    };
    // One rule at a time, for a repeatable output.
    strider::walker walks(pool, rules, results.visitor(make), {.max_concurrency = 1});

    auto const build = [&](text const& why, std::initializer_list<text> files) {
        std::vector<strider::vertex_id> changed;
        for (auto const v : rules.vertices())
            for (text const& file : files)
                if (rules[v].name == file) changed.push_back(v);
        std::cout << why << ":";
        auto const report = walks.run(results.outdated(changed));
        std::cout << "\n  " << report.unchanged() << " unchanged";
        for (auto const v : report.root_causes()) std::cout << ", " << rules[v].name << ": " << report[v].message();
        std::cout << '\n';
    };
    build("first build", {});
    build("no change", {});
    sources["main.c"] = "print(size() + 1);";
    build("main.c", {"main.c"});
    sources["list.h"] = "int size(); // of a list";
    build("a comment of list.h", {"list.h"});
    sources["main.c"] = "print(size() + ?);";
    sources["list.h"] = "long size();";
    build("list.h, and an error in main.c", {"list.h", "main.c"});
    sources["main.c"] = "print(size() + 2);";
    build("main.c", {"main.c"});
}
