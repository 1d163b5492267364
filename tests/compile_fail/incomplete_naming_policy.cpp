// SPDX-License-Identifier: BSL-1.0
// expect: naming_policy
// expect: policy.reason(value, value, origin)
#include <strider/core.hpp>

#include <string>

struct without_reason {
    std::string name(int value) const { return std::to_string(value); }
};

auto const graph = strider::freeze(strider::digraph<int>(), without_reason{});
