// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline comes too late
// expect: excluded_property<strider::properties::reduced, strider::detail::excluded_by<strider::pipeline<strider::scope_boundaries<int>
// expect: strider::detail::established_by<strider::transitive_reduction>
#include <strider/transform.hpp>

using inner = strider::pipeline<strider::scope_boundaries<int>>;
strider::pipeline<strider::transitive_reduction, inner> const stages;
