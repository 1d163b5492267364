// SPDX-License-Identifier: BSL-1.0
// expect: values cannot be copied: move the graph, freeze(std::move(graph))
#include <strider/core.hpp>

#include <memory>

void freeze_all(strider::digraph<std::unique_ptr<int>> const& draft)
{
    (void)strider::freeze(draft);
}
