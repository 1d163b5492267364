// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_HISTORY_ROWS_HPP
#define IACCTL_STATE_RECORD_HISTORY_ROWS_HPP

#include "database.hpp"
#include "digest.hpp"
#include "records.hpp"
#include "state/history.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// An entry, as read from its row.
struct entry_row {
    history_entry content;  ///< without the entry itself if the row is damaged
    std::string address;
    digest hash{};
    bool damaged = false;
};

/// Calls `f` for each entry above `after`, oldest first, until it returns false.
/// \param until  the last sequence
/// \throws database_error
void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& f,
    std::int64_t until = std::numeric_limits<std::int64_t>::max());
/// The same entries in a list.
[[nodiscard]] auto read_entries(database& db, field_hasher& hasher, state_records const& records,
    std::int64_t after = 0, std::int64_t until = std::numeric_limits<std::int64_t>::max()) -> std::vector<entry_row>;
/// Applies entries to a state. \return false if one is damaged or does not fit
[[nodiscard]] auto replay_all(infra::snapshot& to, std::vector<entry_row> const& entries) -> bool;

/// The entries that make the state before the first entry, if the database has them.
/// \param addresses  of the entries, as an array of PostgreSQL; null: all of them
/// \throws database_error
[[nodiscard]] auto read_base(database& db, field_hasher& hasher, state_records const& records,
    std::string const* addresses = nullptr) -> std::vector<entry_row>;
/// The name of an entry in `base`, beside its address.
[[nodiscard]] auto name_in_base(infra::journal_entry const& e) -> std::string;
[[nodiscard]] auto base_hash(
    field_hasher& hasher, std::string_view address, std::string_view name, std::string_view document) -> digest;

[[nodiscard]] auto read_generations(database& db) -> std::vector<generation_record>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_HISTORY_ROWS_HPP
