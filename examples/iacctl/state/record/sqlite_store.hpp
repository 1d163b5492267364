// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_SQLITE_STORE_HPP
#define IACCTL_STATE_RECORD_SQLITE_STORE_HPP

#include "base/expected.hpp"
#include "record_store.hpp"
#include "workspace_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

class workspace_lock;

/// The state of a workspace in an SQLite database.
///
/// An append reads only the rows that it writes. A generation begins with a backup and a new epoch. Its end purges deleted rows and old history, and empties the log.
///
/// If this process holds locks of parts, other processes may write other parts. An append then takes over their
/// changes, and is refused if one of them has written an address that it writes, too. Otherwise an append is refused if
/// any other process has written since state was read.
class sqlite_store final : public record_store {
public:
    /// \param workspace_directory  `.iacctl/<workspace>`
    sqlite_store(std::filesystem::path workspace_directory, open_mode mode);
    /// \param lock  of this process; unless it is a lock of parts, this store is the only writer
    sqlite_store(workspace_files files, open_mode mode, std::weak_ptr<workspace_lock const> lock = {});
    /// The same, opened immediately.
    [[nodiscard]] static auto open(std::filesystem::path workspace_directory, open_mode mode) -> expected<sqlite_store>;

    sqlite_store(sqlite_store&&) noexcept;
    auto operator=(sqlite_store&&) noexcept -> sqlite_store&;
    ~sqlite_store() override;

    /// The version of a part is derived from the digests of its records: it changes with each change and is never used
    /// again, not even after a restore.
    [[nodiscard]] auto versions() const -> part_versions const* override;
    [[nodiscard]] auto current_versions(std::span<std::string const> parts) -> expected<part_versions> override;
    [[nodiscard]] auto saved_serial() const -> std::optional<std::uint64_t> override;
    [[nodiscard]] auto content_id() const -> std::string override;
    [[nodiscard]] auto replaceable_ids() const -> std::vector<std::string> override;
    [[nodiscard]] auto ensure_space(space_estimate planned) -> expected<void> override;
    [[nodiscard]] auto lineage() const -> std::string const& override;
    [[nodiscard]] auto verify() -> expected<verification> override;
    /// Makes durable what was read, before others are told of it: a process that was killed may have written it without
    /// synchronizing it.
    /// \pre the store is open for writing
    [[nodiscard]] auto secure() -> expected<void> { return make_ready(); }

    [[nodiscard]] auto serial() const -> std::uint64_t;
    /// The number of the last entry that was read or written; 0 if there is none.
    [[nodiscard]] auto sequence() const -> std::int64_t;

private:
    struct impl;

    explicit sqlite_store(std::unique_ptr<impl> made);

    [[nodiscard]] auto site() const -> state_site override;
    [[nodiscard]] auto thread() -> store_thread& override;
    [[nodiscard]] auto load() -> expected<std::optional<state_records>> override;
    [[nodiscard]] auto view(view_work const& work) -> expected<void> override;
    [[nodiscard]] auto view_without_key(std::function<void(database&)> const& work) -> expected<void> override;
    [[nodiscard]] auto make_ready() -> expected<void> override;
    [[nodiscard]] auto write(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> override;
    [[nodiscard]] auto begin(std::string_view command, std::int64_t now) -> std::int64_t override;
    void end(std::string_view result, std::int64_t now) override;
    [[nodiscard]] auto base_before(database& db, state_records const& content, std::vector<entry_row> const& entries,
        std::int64_t sequence) -> expected<history_base> override;
    [[nodiscard]] auto find_remains() -> expected<remains> override;
    [[nodiscard]] auto replace(remains const& all, recipe const& chosen) -> expected<restored_state> override;
    [[nodiscard]] auto explain(stage during) -> infra::failure override;

    impl* impl_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_SQLITE_STORE_HPP
