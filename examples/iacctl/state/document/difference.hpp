// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DOCUMENT_DIFFERENCE_HPP
#define IACCTL_STATE_DOCUMENT_DIFFERENCE_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <vector>

namespace iacctl::state {

namespace infra = strider::infra;

/// The entries that turn one state into another. Only the content that a state file can hold is compared.
/// \complexity O(n log n), n the number of objects of both
[[nodiscard]] auto entries_between(infra::snapshot const& now, infra::snapshot const& to)
    -> std::vector<infra::journal_entry>;

/// Returns whether two states are the same document, apart from serial and lineage. Unlike `entries_between`, it disregards
/// what only a database can hold in both of them.
[[nodiscard]] auto have_same_document(infra::snapshot const& one, infra::snapshot const& other) -> bool;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DOCUMENT_DIFFERENCE_HPP
