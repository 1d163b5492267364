// SPDX-License-Identifier: BSL-1.0
// A data pipeline: steps receive the results of the preceding steps, and large results are released early.
#include <strider/core.hpp>
#include <strider/walk/visit_values.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

using counts = std::map<std::string, int>;
using inputs = strider::dependency_values<counts>;
struct step {
    std::string name;
    std::function<counts(inputs)> run;
};

auto count_words(std::string const& text) -> counts
{
    counts result;
    std::istringstream words(text);
    for (std::string word; words >> word;) ++result[word];
    return result;
}

auto sum(inputs all) -> counts
{
    counts result;
    for (counts const& each : all)
        for (auto const& [word, count] : each) result[word] += count;
    return result;
}

auto repeated(inputs all) -> counts
{
    counts result = sum(all);
    std::erase_if(result, [](auto const& entry) { return entry.second < 2; });
    return result;
}

int main()
{
    strider::digraph<step> draft;
    auto const total = draft.add_vertex({"sum", sum}), report = draft.add_vertex({"repeated words", repeated});
    draft.add_edge(report, depends_on(total));
    for (std::string const text : {"the cat and the dog", "a dog and a bird", "the end"})
        draft.add_edge(total, depends_on(draft.add_vertex({"count", [text](inputs) { return count_words(text); }})));
    auto const steps = strider::freeze(std::move(draft)).value();

    boost::asio::thread_pool pool(2);
    strider::visit_values<counts> results(steps);  // the values of steps without dependents remain
    auto const run = [](strider::vertex_id, step const& s, inputs before) { return s.run(before); };
    if (strider::walk(pool, steps, results.visitor(run)).error()) return 1;
    for (auto const& [word, count] : results[steps.forward_map()[report]]) std::cout << word << ": " << count << '\n';
}
