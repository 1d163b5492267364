// SPDX-License-Identifier: BSL-1.0
// expect: this is a result: freeze(made.value())
#include <strider/core.hpp>

#include <string>
#include <vector>

void make(std::vector<std::string> const& names)
{
    (void)strider::freeze(strider::make_digraph(names, {{1, 0}}));
}
