// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_STATE_PARTS_HPP
#define IACCTL_WORKSPACE_STATE_PARTS_HPP

#include "plan_file.hpp"
#include "state/backend.hpp"
#include "state_access.hpp"

#include <string>
#include <vector>

namespace iacctl::workspace {

/// Finds the parts of state on which a plan depends.
///
/// The plan writes objects with an action other than none, objects for which the refresh found changes, and outputs
/// that change. It reads all resources on which those objects depend, and their instances. Without targets it also
/// reads the resources of the objects that it writes.
///
/// It reads all its objects that other processes are changing, even if it has no action for them.
///
/// \param prior  the state from which the plan was made
/// \param store  of that state, with versions of its parts; these are not read if the plan needs none
/// \complexity O(n log n) in instances and changes
[[nodiscard]] auto parts_of(plan const& p, read_state const& prior, state::store const& store) -> plan_parts;

/// The locks that an apply of a plan needs.
[[nodiscard]] auto locks_to_apply(plan const& p, plan_parts const& parts) -> state::state_parts;
/// The locks that a command needs if it only makes a plan: shared locks of all instances that the plan shows, changed
/// or not.
[[nodiscard]] auto locks_to_plan(plan const& p, plan_parts const& parts) -> state::state_parts;

/// The parts whose versions have changed, sorted.
[[nodiscard]] auto stale_parts(plan_parts const& parts, state::part_versions const& now) -> std::vector<std::string>;
/// The names of all parts.
[[nodiscard]] auto names_of(plan_parts const& parts) -> std::vector<std::string>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_STATE_PARTS_HPP
