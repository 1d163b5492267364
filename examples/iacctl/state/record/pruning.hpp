// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_PRUNING_HPP
#define IACCTL_STATE_RECORD_PRUNING_HPP

#include "database.hpp"
#include "digest.hpp"
#include "records.hpp"
#include "state/history.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Removal of records that are no longer needed. All calls are part of a transaction. \throws database_error
namespace iacctl::state {

/// The beginning of a history.
struct old_history {
    std::int64_t generation = 0;  ///< the last one in it
    std::int64_t sequence = 0;  ///< of the last entry in it
};

/// The part of the history outside the limits of retention. Nothing if there is none.
[[nodiscard]] auto find_old_history(database& db, retention_policy const& keep, std::int64_t now)
    -> std::optional<old_history>;
void remove_history(database& db, old_history const& old);

/// Removes sets of dependencies to which no record and no entry refers, if there are many. Removes none if a record, an
/// entry or a set is damaged.
/// \return the hashes of the removed rows
[[nodiscard]] auto prune_sets(database& db, field_hasher& hasher, record_key const& key) -> std::vector<digest>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_PRUNING_HPP
