// SPDX-License-Identifier: BSL-1.0
// expect: the arguments of make_digraph are values, key, dependencies: key(value) is an ordered type, such as a text
#include <strider/core.hpp>

#include <vector>

struct place {
    int x;
};
struct task {
    place at;
    std::vector<place> needs;
};

auto make(std::vector<task> const& tasks)
{
    return strider::make_digraph(tasks, &task::at, &task::needs);
}
