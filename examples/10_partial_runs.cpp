// SPDX-License-Identifier: BSL-1.0
// Partial runs: after a change, a walker visits only the dependents of the change, and stops at unchanged results.
#include <strider/core.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

struct cell {
    std::string name;
    int value = 0;  // of a cell without dependencies
    bool is_sign = false;  // +1 or -1 instead of the sum
};

int main()
{
    strider::digraph<cell> draft;
    auto const a = draft.add_vertex({"a", 3}), b = draft.add_vertex({"b", 4});
    auto const sum = draft.add_vertex({"a + b"}), sign = draft.add_vertex({"sign", 0, true}),
               color = draft.add_vertex({"color"});
    draft.add_edge(sum, depends_on(a));
    draft.add_edge(sum, depends_on(b));
    draft.add_edge(sign, depends_on(sum));
    draft.add_edge(color, depends_on(sign));
    auto sheet = strider::freeze(std::move(draft)).value();
    auto const id = [&](auto of_draft) { return sheet.forward_map()[of_draft]; };

    std::vector<int> values(sheet.vertex_count());  // each visit writes its own element
    auto const compute = [&](strider::vertex_id v, cell const& c) {
        int next = c.value;
        for (auto const d : sheet.dependencies(v)) next += values[d.index()];
        if (c.is_sign) next = next < 0 ? -1 : 1;
        std::cout << "  " << c.name << " = " << next << '\n';
        bool const is_same = std::exchange(values[v.index()], next) == next;
        return is_same ? strider::visit_outcome::unchanged() : strider::visit_outcome::done();
    };

    //! [walker]
    boost::asio::thread_pool pool(1);
    strider::walker walk(pool, sheet, compute);
    std::cout << "all\n";
    walk.run();
    for (int const value : {5, -9}) {
        std::cout << "a becomes " << value << '\n';
        sheet[id(a)].value = value;
        std::vector const changed{id(a)};
        auto const report = walk.run(changed);
        std::cout << "  unchanged: " << report.unchanged() << '\n';
    }
    //! [walker]
}
