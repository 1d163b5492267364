// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_HISTORY_HPP
#define IACCTL_STATE_HISTORY_HPP

#include "state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// The limits of history. Entries and backups outside both limits, number and age, are removed.
struct retention_policy {
    std::int64_t generations = 20;
    std::int64_t milliseconds = std::int64_t{7} * 24 * 60 * 60 * 1000;
};

/// An entry of the history of a state.
struct history_entry {
    std::int64_t sequence = 0;
    std::int64_t generation = 0;
    std::int64_t epoch = 0;
    std::int64_t time = 0;  ///< milliseconds since 1970, UTC
    infra::journal_entry entry;
};

/// A command that changed state.
struct generation_record {
    std::int64_t number = 0;
    std::string command;
    std::string author;  ///< "user@host"; empty: an earlier version has not recorded it
    std::int64_t started = 0;  ///< milliseconds since 1970, UTC
    std::optional<std::int64_t> ended;  ///< empty: it is running, or was interrupted
    std::string result;
    std::int64_t serial = 0;  ///< at its end, or at its start if it has not ended
    std::int64_t sequence = 0;  ///< of the last entry before it
};

/// One of the checks of a verification.
struct state_check {
    enum class result_type : std::uint8_t { passed, failed, skipped };

    std::string_view name;
    result_type result = result_type::passed;
    std::string detail;  ///< "12 rows, 3456 bytes"
};

/// The result of all checks that a store has for its state.
struct verification {
    std::vector<state_check> checks;
    infra::diagnostics problems;  ///< of checks that failed
    infra::snapshot content;  ///< all undamaged records
    std::int64_t format = 0;
    std::int64_t sequence = 0;  ///< of the last entry
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;  ///< of these rows

    [[nodiscard]] auto passed() const -> bool { return problems.empty(); }
    /// Adds a finished check. \param detail  for a check without problems
    void add(std::string_view name, infra::diagnostics found, std::string detail = {});
    void add_skipped(std::string_view name, char const* why)
    {
        checks.push_back({name, state_check::result_type::skipped, why});
    }
};

/// "1 row", "12 rows".
[[nodiscard]] auto counted(std::size_t number, char const* c, char const* many) -> std::string;

/// The result of a replacement of the database of a workspace.
struct restored_state {
    std::filesystem::path from;
    std::filesystem::path replaced;  ///< directory of the files that were replaced
    std::uint64_t serial = 0;
    std::size_t resources = 0;
    std::size_t pending = 0;
};

/// Sources from which a damaged state can be recovered.
enum class salvage_source : std::uint8_t {
    rows,    ///< the undamaged records
    backup,  ///< the newest backup that passes every check
    replay,  ///< that backup, and the entries of the damaged history that follow it without a gap
    mirror,  ///< the copy of a state on a server that this machine has
    server,  ///< the document of the server, also if it is missing or older than that copy
};
inline constexpr std::string_view salvage_source_names[]{"rows", "backup", "replay", "mirror", "server"};
[[nodiscard]] constexpr auto to_string(salvage_source source) noexcept -> std::string_view
{
    return salvage_source_names[static_cast<std::size_t>(source)];
}

[[nodiscard]] constexpr auto is_about_server(salvage_source source) noexcept -> bool
{
    return source == salvage_source::mirror || source == salvage_source::server;
}

/// A state that can be recovered from a damaged one, and its losses.
struct salvage_choice {
    salvage_source source = salvage_source::rows;
    std::optional<infra::failure> impossible;  ///< the reason why it cannot be recovered
    std::filesystem::path from;  ///< the backup, or the database
    infra::snapshot content;
    std::vector<std::string> losses;  ///< one line each; empty: no saved change is lost
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_HISTORY_HPP
