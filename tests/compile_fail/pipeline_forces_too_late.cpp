// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline comes too late
// expect: excluded_property<strider::properties::reduced, strider::detail::excluded_by<strider::scope_boundaries<int>
// expect: strider::detail::established_by<strider::reduce>
#include <strider/transform.hpp>

strider::pipeline<strider::reduce, strider::scope_boundaries<int>> const stages;
