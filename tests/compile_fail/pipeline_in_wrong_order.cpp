// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline needs a property that no earlier stage establishes
// expect: missing_property<strider::properties::destroy_split, strider::detail::needed_by<strider::cbd_inversion<toy>
#include <strider/core.hpp>
#include <strider/lifecycle.hpp>

#include <string>

struct toy {
    bool is_creator(std::string const&) const { return true; }
    bool is_destroyer(std::string const&) const { return false; }
    bool destroys_after_create(std::string const&) const { return false; }
};

auto const split = (strider::cbd_inversion{toy{}} | strider::cycle_validation{})(strider::digraph<std::string>());
