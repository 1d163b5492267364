// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline comes too late
#include <strider/transform.hpp>

using inner = strider::pipeline<strider::scope_boundaries<int>>;
strider::pipeline<strider::reduce, inner> const stages;
