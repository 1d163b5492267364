// SPDX-License-Identifier: BSL-1.0
// expect: the function of resource_pools is copyable and called as pool_of(vertex_id) -> resource_pool
#include <strider/core.hpp>
#include <strider/walk.hpp>

void make_pools()
{
    strider::resource_pools const pools([](strider::vertex_id) { return "compiler"; });
}
