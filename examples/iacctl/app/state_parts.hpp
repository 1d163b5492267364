// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_STATE_PARTS_HPP
#define IACCTL_APP_STATE_PARTS_HPP

#include "plan_file.hpp"
#include "state/backend.hpp"
#include "state_access.hpp"

#include <string>
#include <vector>

namespace iacctl::app {

/// Finds the parts of state that a plan depends on.
///
/// It writes objects with an action other than none, what the refresh has found changed, and outputs that change. It reads
/// all resources that those objects depend on, and their instances. Without targets it reads the resources of the objects that it
/// writes, too.
///
/// Of the objects that others are at work on, it reads those that it has an action for, were it none.
///
/// \param prior  state as the plan was made from it
/// \param store  of that state; has versions of its parts, and is not asked for them if the plan needs none
/// \complexity O(n log n) in instances and changes
[[nodiscard]] auto parts_of(plan const& of, read_state const& prior, state::store const& store) -> plan_parts;

/// The locks that an apply of a plan needs.
[[nodiscard]] auto locks_to_apply(plan_parts const& parts) -> state::state_parts;
/// The locks that a command needs which only makes a plan: shared ones of all instances that the plan shows, changed or not.
[[nodiscard]] auto locks_to_plan(plan const& of, plan_parts const& parts) -> state::state_parts;

/// The parts that have another version now. Sorted.
[[nodiscard]] auto stale_parts(plan_parts const& parts, state::part_versions const& now) -> std::vector<std::string>;
/// All of them.
[[nodiscard]] auto names_of(plan_parts const& parts) -> std::vector<std::string>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_STATE_PARTS_HPP
