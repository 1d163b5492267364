// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SQLITE_STORE_HPP
#define IACCTL_STATE_SQLITE_STORE_HPP

#include "backend.hpp"
#include "support/expected.hpp"
#include "workspace_files.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

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
/// A row is one object. An append reads and writes only the rows that its entries affect. A generation begins with a
/// backup and a new epoch. Its end purges deleted rows and old history, and empties the log.
///
/// If this process holds locks of parts, other processes may write other parts. An append then takes over their
/// changes, and is refused if one of them has written an address that it writes, too. Otherwise an append is refused if
/// any other process has written since state was read.
class sqlite_store final : public store {
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

    [[nodiscard]] auto read() -> task<expected<infra::snapshot>> override;
    [[nodiscard]] auto read_now() -> expected<infra::snapshot> override;
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code> override;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> strider::error_code override;
    [[nodiscard]] auto last_failure() const -> std::optional<infra::failure> override;
    /// The version of a part is derived from the digests of its records: it changes with each change and is never used
    /// again, not even after a restore.
    [[nodiscard]] auto versions() const -> part_versions const* override;
    [[nodiscard]] auto current_versions(std::span<std::string const> parts) -> expected<part_versions> override;
    [[nodiscard]] auto saved_serial() const -> std::optional<std::uint64_t> override;
    [[nodiscard]] auto content_id() const -> std::string override;
    [[nodiscard]] auto replaceable_ids() const -> std::vector<std::string> override;
    [[nodiscard]] auto begin_generation(std::string_view command) -> expected<std::int64_t> override;
    [[nodiscard]] auto end_generation(std::string_view result) -> std::optional<infra::failure> override;
    [[nodiscard]] auto ensure_space(space_estimate planned) -> std::optional<infra::failure> override;
    [[nodiscard]] auto lineage() const -> std::string const& override;
    [[nodiscard]] auto place() const -> std::string override;

    [[nodiscard]] auto verify() -> expected<verification> override;
    [[nodiscard]] auto generations() -> expected<std::vector<generation_record>> override;
    [[nodiscard]] auto entries_after(std::int64_t after) -> expected<std::vector<history_entry>> override;
    [[nodiscard]] auto read_at(std::int64_t sequence) -> expected<infra::snapshot> override;

    [[nodiscard]] auto serial() const -> std::uint64_t;
    /// The number of the last entry that was read or written; 0 if there is none.
    [[nodiscard]] auto sequence() const -> std::int64_t;
    void set_retention_policy(retention_policy rule);

private:
    struct impl;

    std::unique_ptr<impl> impl_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_SQLITE_STORE_HPP
