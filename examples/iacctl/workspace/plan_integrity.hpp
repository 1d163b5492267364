// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PLAN_INTEGRITY_HPP
#define IACCTL_WORKSPACE_PLAN_INTEGRITY_HPP

#include "plan_file.hpp"
#include "workspace/program/hcl_program.hpp"

#include <string>

namespace iacctl::workspace {

/// Checks all preconditions of an apply on its plan: its numbers are those of declarations and changes of this
/// configuration, its values fit the types of resources, and no vertex repeats the operation of another.
///
/// \complexity O(n log n) in changes, vertices and the size of values.
/// \return the reason why the plan cannot be applied; empty if it can
[[nodiscard]] auto find_contradiction(saved_plan const& saved, program::hcl_program const& desired) -> std::string;

/// Adds blocks that the types did not have when an earlier version wrote the plan, as null values.
void complete_objects(saved_plan& saved, program::hcl_program const& desired);

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_PLAN_INTEGRITY_HPP
