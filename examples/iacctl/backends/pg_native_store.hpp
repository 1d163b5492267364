// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_PG_NATIVE_STORE_HPP
#define IACCTL_BACKENDS_PG_NATIVE_STORE_HPP

#include "encryption/target.hpp"
#include "pg_database.hpp"
#include "pg_workspace.hpp"
#include "state/backend.hpp"
#include "state/dependency_catalog.hpp"
#include "state/digest.hpp"
#include "state/store_thread.hpp"
#include "support/expected.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
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
class pg_native_store final : public state::store {
public:
    pg_native_store(std::shared_ptr<pg_database> in, std::string workspace, state::open_mode mode,
        std::shared_ptr<encryption::target const> sealed_with);

    [[nodiscard]] auto read() -> state::task<expected<infra::snapshot>> override;
    [[nodiscard]] auto read_now() -> expected<infra::snapshot> override;
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> state::task<strider::error_code> override;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> strider::error_code override;
    [[nodiscard]] auto last_failure() const -> std::optional<infra::failure> override { return failure_; }
    [[nodiscard]] auto versions() const -> state::part_versions const* override { return &versions_; }
    [[nodiscard]] auto saved_serial() const -> std::optional<std::uint64_t> override { return serial_; }
    [[nodiscard]] auto current_versions(std::span<std::string const> parts) -> expected<state::part_versions> override;
    [[nodiscard]] auto begin_generation(std::string_view command) -> expected<std::int64_t> override;
    [[nodiscard]] auto end_generation(std::string_view result) -> std::optional<infra::failure> override;
    [[nodiscard]] auto ensure_space(state::space_estimate) -> std::optional<infra::failure> override { return {}; }
    [[nodiscard]] auto lineage() const -> std::string const& override { return lineage_; }
    [[nodiscard]] auto place() const -> std::string override { return database_->place_of(workspace_); }
    [[nodiscard]] auto verify() -> expected<state::verification> override;
    [[nodiscard]] auto generations() -> expected<std::vector<state::generation_record>> override;
    [[nodiscard]] auto entries_after(std::int64_t after) -> expected<std::vector<state::history_entry>> override;
    [[nodiscard]] auto read_at(std::int64_t sequence) -> expected<infra::snapshot> override;

    /// As in `state::backend`. \param directory  receives a file with the replaced rows
    [[nodiscard]] auto salvage_choices() -> expected<std::vector<state::salvage_choice>>;
    [[nodiscard]] auto salvage(state::salvage_source from, std::filesystem::path const& directory)
        -> expected<state::restored_state>;

    void set_retention_policy(state::retention_policy rule) { keep_ = rule; }

private:
    // Rows that were read in one transaction.
    struct content : state::state_records {
        std::optional<pg_workspace> header;
    };
    // An entry of the history, or of the state at its beginning.
    struct stored_entry {
        state::history_entry of;
        std::string name;  // for messages
        bool damaged = false;
    };
    // All records that can be read from a damaged workspace.
    struct remains {
        content rows;
        std::vector<stored_entry> base;
        std::vector<stored_entry> entries;
        std::int64_t last = 0;  // sequence of the last entry
    };

    // Executes work on the database, and returns its exceptions as failures.
    template <class Work>
    [[nodiscard]] auto attempt(Work work) const -> decltype(work())
    {
        try {
            return work();
        } catch (postgres::error const& e) {
            return failure_of(e);
        } catch (session_ended_error const&) {
            return session_ended();
        }
    }
    // Reads the header, and executes read-only work if there is a state.
    template <class Work>
    void in_one_view(content& to, Work work)
    {
        database_->repeat([&](postgres::connection& on) {
            to = content();
            pg_records tables = database_->records(on, 0);
            state::transaction reading(tables, state::database::purpose::reading);
            read_header(on, to);
            if (to.header && to.damaged.empty()) work(on);
            reading.commit();
            return 0;
        });
    }

    void read_content(postgres::connection& on, content& to);
    void read_header(postgres::connection& on, content& to) const;
    void read_sets(postgres::connection& on, content& to);
    // Starts a session, and makes sure that records are encrypted with the first method of the configuration.
    [[nodiscard]] auto make_ready() -> std::optional<infra::failure>;
    [[nodiscard]] auto site() const -> state::state_site;
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
    void write(std::span<infra::journal_entry const> batch, infra::snapshot const& after);
    // \param checks           the new results of checks, if an entry has results
    // \param replaced_checks  the hash of the results that they replace; nothing: the entries have no results
    // \param before           work in the same transaction, in which there are no other sessions
    void write(std::span<infra::journal_entry const> batch, infra::snapshot const& after, infra::document const& checks,
        std::optional<std::string> const& replaced_checks,
        std::function<void(postgres::connection&)> const& before = {});
    [[nodiscard]] auto failure_of(postgres::error const& e) const -> infra::failure;
    [[nodiscard]] auto session_ended() const -> infra::failure;

    [[nodiscard]] auto read_entries(postgres::connection& on, content const& with, std::int64_t after,
        std::int64_t until = std::numeric_limits<std::int64_t>::max()) -> std::vector<stored_entry>;
    // \param addresses  of the entries; null: all of them
    [[nodiscard]] auto read_base(postgres::connection& on, content const& with, std::string const* addresses = nullptr)
        -> std::vector<stored_entry>;
    void write_base(postgres::connection& on, content const& with, std::vector<infra::journal_entry> const& all);
    void check_history(postgres::connection& on, content& with, state::verification& to);
    // Removes the old part of the history. Damaged entries are kept.
    void prune(std::int64_t now);
    [[nodiscard]] auto prune_entries(postgres::connection& on, std::int64_t last_generation) -> bool;
    [[nodiscard]] auto prune_sets(postgres::connection& on) -> bool;

    // Entries that create a state from an empty one.
    [[nodiscard]] static auto entries_that_make(infra::snapshot const& s) -> std::vector<infra::journal_entry>;
    [[nodiscard]] auto read_remains() -> expected<remains>;
    // One choice per source.
    [[nodiscard]] auto choices_of(remains const& all) const -> std::vector<state::salvage_choice>;
    // All rows of a workspace as JSON.
    [[nodiscard]] auto kept_rows(postgres::connection& on, std::int64_t workspace) const -> std::string;
    // Removes all records of a workspace, and its history up to an entry.
    void clear(postgres::connection& on, std::int64_t workspace, std::int64_t last) const;

    std::shared_ptr<pg_database> database_;
    std::string workspace_;
    state::open_mode mode_;
    std::shared_ptr<encryption::target const> sealed_with_;
    state::retention_policy keep_;
    bool is_ready_ = false;
    state::record_key key_;
    state::field_hasher hasher_;
    std::string lineage_;
    std::uint64_t serial_ = 0;  // last read or written; others may have increased it since
    infra::document checks_;  // results of checks, as last read or written
    state::part_versions versions_;
    state::dependency_catalog sets_;
    std::int64_t generation_ = 0;
    std::string command_ = "change";
    std::optional<infra::failure> failure_;
    state::store_thread thread_;  // last, so that a running call ends before the other members are destroyed
};

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_PG_NATIVE_STORE_HPP
