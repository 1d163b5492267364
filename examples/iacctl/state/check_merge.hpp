// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_CHECK_MERGE_HPP
#define IACCTL_STATE_CHECK_MERGE_HPP

#include <strider/infra/model/object.hpp>

namespace iacctl::state {

namespace infra = strider::infra;

/// Merges the results of checks of a command with those that another command has saved since this one read state.
///
/// For each declaration and instance, the result is the own one if it is known and either differs from the one that was
/// read or no other command has saved another one. The declarations are those of `own` and those that others have
/// added.
/// \param read   the results when the command read state
/// \param own    the results of the command
/// \param saved  the results in the current state
/// \return `own` if another document is not in the format of a state file
[[nodiscard]] auto merge_checks(infra::document const& read, infra::document const& own, infra::document const& saved)
    -> infra::document;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_CHECK_MERGE_HPP
