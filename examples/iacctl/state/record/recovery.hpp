// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECOVERY_HPP
#define IACCTL_STATE_RECORD_RECOVERY_HPP

#include "base/expected.hpp"
#include "history_rows.hpp"
#include "records.hpp"
#include "state/history.hpp"
#include "state/state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

/// States that can be recovered from damaged records, which ever database has them.
namespace iacctl::state {

/// A state that an intact copy has, and that entries of the history continue.
struct earlier_state {
    infra::snapshot content;
    std::int64_t sequence = 0;  ///< of the last entry in it
    std::filesystem::path from;
};

/// All that can be read of a damaged state.
struct remains {
    state_records rows;  ///< without the damaged ones
    bool has_rows = true;  ///< the tables can be read, at least in parts
    bool has_header = true;  ///< the lineage and the serial can be read
    std::vector<entry_row> entries;
    bool is_gapless = true;  ///< consecutive entries have consecutive sequences
    infra::diagnostics broken_history;  ///< the reason why `entries` are not all that there are
    expected<earlier_state> base = earlier_state();  ///< from which entries are replayed
    expected<void> backup;  ///< whether `base` is a backup, to which the state can be restored
    std::int64_t in_rows = 0;  ///< sequence of the last entry in `rows`, if there is a header
    std::int64_t last = 0;  ///< sequence of the last entry that is known
    std::uint64_t serial = 0;  ///< the largest that is known
};

/// A choice, and how its state is made.
struct recipe {
    salvage_choice choice;
    bool on_base = false;  ///< the entries continue `remains::base`; else they make the whole state
    std::vector<infra::journal_entry> entries;
};

/// The three ways to make a state: from the rows, from the backup, by replay of the history.
[[nodiscard]] auto recipes(remains const& all, state_site const& site) -> std::vector<recipe>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECOVERY_HPP
