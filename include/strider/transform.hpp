// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_HPP
#define STRIDER_TRANSFORM_HPP

#include <strider/core.hpp>
#include <strider/transform/cycle_validation.hpp>
#include <strider/transform/pipeline.hpp>
#include <strider/transform/properties.hpp>
#include <strider/transform/prune.hpp>
#include <strider/transform/scope_boundaries.hpp>
#include <strider/transform/single_root.hpp>
#include <strider/transform/target_subgraph.hpp>
#include <strider/transform/transformer.hpp>
#include <strider/transform/transitive_reduction.hpp>

#endif  // STRIDER_TRANSFORM_HPP
