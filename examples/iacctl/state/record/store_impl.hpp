// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_STORE_IMPL_HPP
#define IACCTL_STATE_RECORD_STORE_IMPL_HPP

#include "check.hpp"
#include "record_changes.hpp"
#include "sqlite_store.hpp"
#include "state/store_thread.hpp"

#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace iacctl::state {

/// The places of the rows of objects, in memory because the tables have no index.
class row_index {
public:
    struct place {
        std::string deposed;
        std::int64_t number;
    };

    /// \throws database_error
    explicit row_index(database& db);
    /// The rows of the objects of a resource; valid until the next call.
    [[nodiscard]] auto of(std::string const& address) -> std::vector<place>& { return places_[address]; }
    /// The number for the next row.
    [[nodiscard]] auto next() noexcept -> std::int64_t { return ++last_; }
    /// Accounts for rows that other processes have created, up to that number.
    void raise(std::int64_t last) noexcept { last_ = std::max(last_, last); }

private:
    std::unordered_map<std::string, std::vector<place>> places_;
    std::int64_t last_ = 0;
};

/// Used by one call at a time, on the thread of that call.
struct sqlite_store::impl : journal_data {
    impl(workspace_files where, open_mode mode, std::weak_ptr<workspace_lock const> held)
        : files(std::move(where)),
          mode(mode),
          lock(std::move(held))
    {}

    /// Creates the workspace if it does not exist, and prepares writing.
    [[nodiscard]] auto make_ready() -> expected<void>;
    /// Opens the database if there is one and it is not open yet.
    [[nodiscard]] auto open() -> expected<void>;
    /// The same, and finds its key.
    [[nodiscard]] auto connect() -> expected<void>;
    [[nodiscard]] auto write(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void>;
    /// After a commit: moves a long log into the database, from another connection on another thread.
    void checkpoint_if_long();
    /// Waits for a running checkpoint, and empties the log.
    void empty_log();
    /// \throws database_error, std::system_error
    void back_up(std::int64_t now);
    void prune_backups() const;
    /// Removes rows that are marked as deleted, unless an existing object depends on them.
    void purge_deleted();
    /// Removes the part of the history outside the limits of retention, and unreferenced sets.
    void prune_history(std::int64_t now);
    /// Returns whether a process that has ended, or one that is at work, left commits in the log.
    [[nodiscard]] auto has_log() const -> bool;
    /// Returns whether other processes may write other parts meanwhile.
    [[nodiscard]] auto is_shared() const -> bool;
    /// Returns whether no other process holds a lock. Changes and removals of rows of others require that.
    [[nodiscard]] auto is_alone() const -> bool;
    /// Reads the sets of dependencies that were added since the last call. \throws database_error
    [[nodiscard]] auto read_new_sets() -> expected<void>;
    /// Converts a database of an older format to the current one, with its mark, after a backup.
    /// \throws database_error, overtaken_error, std::system_error
    void upgrade();
    /// Encrypts the database and its backups with the first method of the configuration.
    /// \throws database_error, overtaken_error, std::system_error
    [[nodiscard]] auto change_key() -> expected<void>;
    /// \throws database_error, overtaken_error, std::system_error
    void begin(std::string_view command, std::int64_t now);
    void end(std::string_view result, std::int64_t now);
    /// Inside a transaction: updates `meta` from the database, and determines what others have written.
    /// \throws overtaken_error unless they have written other parts
    void catch_up();
    /// Ends a transaction by replacing the row that was last read with `next`, then writes the mark.
    /// \throws overtaken_error if the row has changed, database_error, std::system_error
    void commit(transaction& writing, meta_row next);

    workspace_files files;
    open_mode mode;
    std::weak_ptr<workspace_lock const> lock;
    meta_row meta;
    commit_mark mark;
    std::vector<part_version> records;  ///< of the state that was last read
    digest records_of{};  ///< the hash of its `meta`
    std::int64_t own_epoch = 0;  ///< 0: nothing has been written yet
    bool backed_up = false;  ///< since the last generation of this store began
    int log_pages = 0;  ///< in the log after the last commit
    std::atomic<bool> checkpoint_runs = false;
    std::uint64_t observed_record = 0;
    std::uint64_t largest_record = 0;

    bool sets_known = false;  ///< `sets` has those of the database
    std::int64_t last_set = 0;  ///< the position up to which sets were read
    std::optional<row_index> index;  ///< the rows in the database; empty until needed
    std::unordered_set<std::string> written_by_others;  ///< addresses
    std::string attempted;  ///< the content that the last transaction was to store

    // Versions of parts, computed from `records` on demand.
    part_versions versions;
    bool has_versions = false;

    std::optional<sqlite_database> db;
    bool has_key = false;
    struct statements {
        explicit statements(database& db);

        statement add_entry;
        statement find_resource;
        statement put_resource;
        statement add_set;
        statement find_output;
        statement put_output;
        statement drop_output;
        statement find_pending;
        statement put_pending;
        statement drop_pending;
        statement find_meta;
        statement put_meta;
        statement find_addresses;
    };
    std::optional<statements> prepared;

    std::optional<sqlite_database> checkpointer;
    std::optional<boost::asio::thread_pool> checkpoint_thread;
    store_thread disk;  ///< last, so that its thread ends before the other members are destroyed

private:
    void write_resource(infra::address const& target, std::int64_t position, infra::snapshot const& after);
    void write_sets(infra::journal_entry const& entry);
    void write_output(std::string const& name, std::optional<std::string> const& text);
    // The new results of checks, merged with those that others have saved meanwhile. \throws database_error
    [[nodiscard]] auto merged_checks(infra::document const& own) -> infra::document;
    void write_pending(std::string const& name, std::optional<std::string> const& text);

    content_sum sum_;  // of the current transaction
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_STORE_IMPL_HPP
