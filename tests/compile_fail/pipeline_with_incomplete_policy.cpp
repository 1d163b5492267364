// SPDX-License-Identifier: BSL-1.0
// expect: if false, a call of that stage alone names what its policy lacks
// expect: destroy_split<without_all>
#include <strider/core.hpp>
#include <strider/lifecycle.hpp>

struct without_all {};

auto const split = (strider::destroy_split{without_all{}} | strider::cycle_validation{})(strider::digraph<int>());
