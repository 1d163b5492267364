// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline needs a property that no earlier stage establishes, or that an earlier stage invalidates
// expect: missing_property<strider::properties::acyclic, strider::detail::needed_by<levels>, strider::detail::invalidated_by<tiers>
#include <strider/transform.hpp>

struct tiers : strider::transformer_base {
    using invalidates = strider::property_list<strider::properties::acyclic>;
};
struct levels : strider::transformer_base {
    using needs = strider::property_list<strider::properties::acyclic>;
};
strider::pipeline<strider::cycle_validation<>, tiers, levels> const stages;
