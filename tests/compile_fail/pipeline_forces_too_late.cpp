// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline comes too late
#include <strider/transform.hpp>

strider::pipeline<strider::reduce, strider::scope_boundaries<int>> const stages;
