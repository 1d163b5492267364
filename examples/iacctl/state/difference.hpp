// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DIFFERENCE_HPP
#define IACCTL_STATE_DIFFERENCE_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <vector>

namespace iacctl::state {

namespace infra = strider::infra;

/// The entries that make one state of another. States are compared by what a state file can hold, which is less than is kept.
/// \complexity O(n log n), n the number of objects of both
[[nodiscard]] auto entries_between(infra::snapshot const& now, infra::snapshot const& to)
    -> std::vector<infra::journal_entry>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DIFFERENCE_HPP
