// SPDX-License-Identifier: BSL-1.0
// expect: destroy_policy
// expect: policy.key(value)
#include <strider/core.hpp>
#include <strider/lifecycle.hpp>

#include <vector>

struct without_key {
    bool creates(int) const { return true; }
    bool remains(int) const { return true; }
    std::vector<int> destroyers(int) const { return {}; }
    strider::ordering ordered(int, int) const { return strider::ordering::required; }
};

auto const split = strider::destroy_split{without_key{}}(strider::digraph<int>());
