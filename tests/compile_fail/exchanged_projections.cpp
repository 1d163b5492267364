// SPDX-License-Identifier: BSL-1.0
// expect: the arguments of make_digraph are values, key, dependencies: dependencies(value) is a range of keys of values
#include <strider/core.hpp>

#include <string>
#include <vector>

struct task {
    std::string name;
    std::vector<std::string> needs;
};

auto make(std::vector<task> const& tasks)
{
    return strider::make_digraph(tasks, &task::needs, &task::name);
}
