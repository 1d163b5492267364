// SPDX-License-Identifier: BSL-1.0
// A user-defined order: among the steps that are ready, the one with the earliest due date starts first.
#include <strider/core.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

struct order {
    std::string name;
    int due;
};
using orders = strider::dag<order>;

// A ready queue. The walk makes one call at a time, and never passes a vertex whose dependencies are not completed.
class earliest_due_first {
public:
    explicit earliest_due_first(orders const& all) : all_(&all) {}

    void reset(std::size_t) { ready_.clear(); }
    void push(strider::vertex_id v) { ready_.push_back(v); }
    auto pop() -> strider::vertex_id
    {
        auto const first = std::ranges::min_element(ready_, {}, [&](auto v) { return (*all_)[v].due; });
        auto const v = *first;
        ready_.erase(first);
        return v;
    }
    auto size() const -> std::size_t { return ready_.size(); }

private:
    orders const* all_;
    std::vector<strider::vertex_id> ready_;
};

int main()
{
    strider::digraph<order> draft;
    draft.add_vertex({"chairs", 30});
    auto const wood = draft.add_vertex({"wood", 20});
    draft.add_vertex({"repair", 10});
    auto const table = draft.add_vertex({"table", 5});  // urgent, but it needs wood
    draft.add_edge(table, depends_on(wood));
    orders const all = strider::freeze(std::move(draft)).value();

    auto const make = [](strider::vertex_id, order const& o) {
        std::cout << o.name << ", due on day " << o.due << '\n';
    };
    boost::asio::thread_pool pool(1);
    strider::walk_options options{.max_concurrency = 1, .ready = earliest_due_first(all)};
    return strider::walk(pool, all, make, options).error() ? 1 : 0;
}
