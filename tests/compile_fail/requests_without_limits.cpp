// SPDX-License-Identifier: BSL-1.0
// expect: requests need limits: resource_pools(limits, request_of)
#include <strider/core.hpp>
#include <strider/walk.hpp>

void make_pools()
{
    strider::resource_pools const pools([](strider::vertex_id) { return strider::resource_request{1, 1}; });
}
