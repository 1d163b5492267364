// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_NATIVE_STORE_HPP
#define IACCTL_STATE_BACKENDS_PG_NATIVE_STORE_HPP

#include "base/expected.hpp"
#include "pg_database.hpp"
#include "pg_workspace.hpp"
#include "state/encryption/target.hpp"
#include "state/record/record_changes.hpp"
#include "state/record/record_store.hpp"
#include "state/store_thread.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// The state of a workspace in the tables of a PostgreSQL database.
///
/// An append is one statement, and thus one transaction. It writes only the rows that its entries affect, so that
/// sessions with locks of different parts do not wait for each other. It writes only while the session of this process
/// exists and records are encrypted with the key of this store.
class pg_native_store final : public state::record_store {
public:
    /// \param local  a directory on this machine, which receives the rows that a repair replaces
    pg_native_store(std::shared_ptr<pg_database> in, std::string workspace, state::open_mode mode,
        std::shared_ptr<encryption::target const> sealed_with, std::filesystem::path local = {});

    [[nodiscard]] auto versions() const -> state::part_versions const* override { return &versions_; }
    [[nodiscard]] auto saved_serial() const -> std::optional<std::uint64_t> override { return data().serial; }
    [[nodiscard]] auto current_versions(std::span<std::string const> parts) -> expected<state::part_versions> override;
    [[nodiscard]] auto ensure_space(state::space_estimate) -> expected<void> override { return {}; }
    [[nodiscard]] auto lineage() const -> std::string const& override { return lineage_; }
    [[nodiscard]] auto verify() -> expected<state::verification> override;

private:
    // Rows that were read in one transaction.
    struct content : state::state_records {
        std::optional<pg_workspace> header;
    };

    [[nodiscard]] auto site() const -> state::state_site override
    {
        return {database_->place_of(workspace_), [] { return std::string(recovery_advice); }};
    }
    [[nodiscard]] auto thread() -> state::store_thread& override { return thread_; }
    [[nodiscard]] auto load() -> expected<std::optional<state::state_records>> override;
    [[nodiscard]] auto view(view_work const& work) -> expected<void> override;
    [[nodiscard]] auto view_without_key(std::function<void(state::database&)> const& work) -> expected<void> override;
    // Starts a session, and makes sure that records are encrypted with the first method of the configuration.
    [[nodiscard]] auto make_ready() -> expected<void> override;
    [[nodiscard]] auto write(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> override;
    [[nodiscard]] auto begin(std::string_view command, std::int64_t now) -> std::int64_t override;
    void end(std::string_view result, std::int64_t now) override;
    [[nodiscard]] auto base_before(state::database& db, state::state_records const& records,
        std::vector<state::entry_row> const& entries, std::int64_t sequence) -> expected<history_base> override;
    [[nodiscard]] auto find_remains() -> expected<state::remains> override;
    [[nodiscard]] auto replace(state::remains const& all, state::recipe const& chosen)
        -> expected<state::restored_state> override;
    [[nodiscard]] auto explain(stage during) -> infra::failure override;

    // Reads the header, and executes read-only work if there is a state that can be read.
    template <class Work>
    void in_one_view(content& to, Work work, bool with_key = true)
    {
        database_->repeat([&](postgres::connection& on) {
            to = content();
            pg_records tables = database_->records(on, 0);
            state::transaction reading(tables, state::database::purpose::reading);
            read_header(on, to);
            if (with_key) find_key_of(to);
            if (to.header && to.damaged.empty()) work(on);
            reading.commit();
            return 0;
        });
    }

    void read_content(postgres::connection& on, content& to);
    void read_header(postgres::connection& on, content& to) const;
    void find_key_of(content& to) const;
    void read_sets(postgres::connection& on, content& to);
    void keep_lineage(std::string const& of_state);
    // Numbers reserved for rows to be written, to which encrypted texts are bound. Without a key, the statement assigns
    // the numbers.
    struct reserved {
        std::int64_t version = 0;
        std::vector<std::int64_t> sequences;
    };
    [[nodiscard]] auto reserve(std::size_t entries) const -> reserved;
    // The reason why an append changed nothing.
    [[nodiscard]] auto refused() const -> infra::failure;
    // Results of checks in the database, and the hash of their row.
    struct saved_results {
        infra::document results;
        std::string hash;
    };
    [[nodiscard]] auto saved_checks() const -> saved_results;
    // \param replaced_checks  the hash of the results of checks that the new ones replace; nothing: there are no new ones
    // \param before           work in the same transaction, in which there are no other sessions
    void write_rows(state::record_changes const& changes, infra::snapshot const& after,
        std::optional<std::string> const& replaced_checks,
        std::function<void(postgres::connection&)> const& before = {});
    [[nodiscard]] auto failure_of(postgres::error const& e) const -> infra::failure;
    [[nodiscard]] auto session_ended() const -> infra::failure;

    void write_base(postgres::connection& on, content const& c, std::vector<infra::journal_entry> const& all);
    // Removes the old part of the history. Damaged entries are kept.
    void prune(std::int64_t now);
    [[nodiscard]] auto prune_entries(postgres::connection& on, std::int64_t now) -> bool;
    [[nodiscard]] auto prune_sets(postgres::connection& on) -> bool;

    // All rows of a workspace as JSON.
    [[nodiscard]] auto kept_rows(postgres::connection& on, std::int64_t workspace) const -> std::string;
    // Removes all records of a workspace, and its history up to an entry.
    void clear(postgres::connection& on, std::int64_t workspace, std::int64_t last) const;

    std::shared_ptr<pg_database> database_;
    std::string workspace_;
    state::open_mode mode_;
    std::shared_ptr<encryption::target const> sealed_with_;
    std::filesystem::path local_;
    bool is_ready_ = false;
    std::string lineage_;
    state::part_versions versions_;
    state::store_thread thread_;  // last, so that a running call ends before the other members are destroyed
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_NATIVE_STORE_HPP
