// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_CHECK_MERGE_HPP
#define IACCTL_STATE_CHECK_MERGE_HPP

#include <strider/infra/model/object.hpp>

namespace iacctl::state {

namespace infra = strider::infra;

/// Results of checks that a command saves, after another command has saved results since the first one has read state.
///
/// Of a declaration, and of each of its instances, it is the own result if that is known and differs from the one that was read,
/// or if nobody else has saved another one. The declarations are those of the own results, and those that others have added.
/// \param read   results at the time when the command has read state
/// \param own    results of the command
/// \param saved  results that the state has now
/// \return `own` if another document is not of the form that a state file has
[[nodiscard]] auto merge_checks(infra::document const& read, infra::document const& own, infra::document const& saved)
    -> infra::document;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_CHECK_MERGE_HPP
