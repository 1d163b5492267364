// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECORD_CHECKS_HPP
#define IACCTL_STATE_RECORD_RECORD_CHECKS_HPP

#include "database.hpp"
#include "digest.hpp"
#include "records.hpp"
#include "state/history.hpp"
#include "state/state_error.hpp"

#include <cstdint>
#include <optional>

/// The checks of records, which are the same for every database. An adapter adds those of its files.
namespace iacctl::state {

/// What makes records unusable: damage, or else missing records, or else contradictions in their content.
/// \return empty if they are sound
[[nodiscard]] auto problems_of(state_records const& records, state_site const& site) -> infra::diagnostics;

/// Adds the checks `rows`, `checksum` and `structure`.
void check_records(verification& to, state_records const& records, state_site const& site);

/// Adds the check `history`, and the check `records` if the database has the state before its entries: then they make
/// the present records again.
/// \param last  the last sequence, as the header has it; nothing if it is unknown
/// \return the last sequence of an entry; 0 if there is none
/// \throws database_error for errors other than damage
auto check_history(verification& to, database& db, field_hasher& hasher, state_records const& records,
    state_site const& site, std::optional<std::int64_t> last = {}) -> std::int64_t;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECORD_CHECKS_HPP
