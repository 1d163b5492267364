// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STORE_IMPL_HPP
#define IACCTL_STATE_STORE_IMPL_HPP

#include "check.hpp"
#include "sqlite_store.hpp"
#include "store_thread.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iacctl::state {

/// Where the rows of objects are: the tables have no index.
class row_index {
public:
    struct place {
        std::string deposed;
        std::int64_t number;
    };

    /// \throws database_error
    explicit row_index(database& db);
    /// Of the objects of a resource; lives until the next call.
    [[nodiscard]] auto of(std::string const& address) -> std::vector<place>& { return places_[address]; }
    /// The number of a row that is about to be made.
    [[nodiscard]] auto next() noexcept -> std::int64_t { return ++last_; }

private:
    std::unordered_map<std::string, std::vector<place>> places_;
    std::int64_t last_ = 0;
};

/// Touched by one call at a time, on whatever thread that runs.
struct sqlite_store::impl {
    impl(workspace_files where, open_mode how) : files(std::move(where)), mode(how) {}

    /// Makes the workspace if there is none, and prepares writing.
    [[nodiscard]] auto make_ready() -> std::optional<infra::failure>;
    /// Opens the database if there is one and it is not open yet.
    [[nodiscard]] auto connect() -> std::optional<infra::failure>;
    void write(std::span<infra::journal_entry const> batch, infra::snapshot const& after);
    /// After a commit: now and then the log is moved into the database, from another connection on another thread.
    void checkpoint_if_long();
    /// Waits for a checkpoint that is under way, and empties the log.
    void empty_log();
    /// \throws database_error, std::system_error
    void back_up(std::int64_t now);
    void prune_backups() const;
    /// Removes rows that are marked as deleted, unless something that lives depends on them.
    void purge_deleted();
    void prune_entries(std::int64_t now);
    /// Reads the sets of dependencies, if that was not done before. \throws database_error
    [[nodiscard]] auto know_sets() -> std::optional<infra::failure>;
    /// Gives a database of an older format the tables of today, and its mark, after a backup.
    /// \throws database_error, overtaken_error, std::system_error
    void upgrade();
    /// Encrypts the database and its backups with the method that the configuration writes with.
    /// \throws database_error, overtaken_error, std::system_error
    [[nodiscard]] auto change_key() -> std::optional<infra::failure>;
    /// Removes the sets that nothing refers to any more, if they are many.
    void prune_sets();
    /// \throws database_error, overtaken_error, std::system_error
    void begin(std::string_view command, std::int64_t now);
    void end(std::string_view result, std::int64_t now);
    /// Inside a transaction: is `meta` still what is there? \throws overtaken_error
    void check_not_overtaken();
    /// Ends a transaction with `next` in the place of the row that was last seen, then writes the mark.
    /// \throws overtaken_error if it is another row, database_error, std::system_error
    void commit(transaction& writing, meta_row next);

    workspace_files files;
    open_mode mode;
    field_hasher hasher;
    keep_rule keep;
    meta_row meta;
    record_key key;
    commit_mark mark;
    std::int64_t running_generation = 0;
    bool owns_epoch = false;
    bool backed_up = false;  ///< since the last generation of this store has begun
    bool failed = false;
    std::optional<infra::failure> failure;
    int log_pages = 0;  ///< in the log after the last commit
    std::atomic<bool> checkpoint_runs = false;
    std::uint64_t observed_record = 0;
    std::uint64_t largest_record = 0;

    dependency_catalog sets;      ///< those that are in the database, once `sets_known`
    bool sets_known = false;
    std::optional<row_index> index;   ///< those that are in the database, once they were asked for

    std::optional<database> db;
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
    };
    std::optional<statements> prepared;

    std::optional<database> checkpointer;
    std::optional<boost::asio::thread_pool> checkpoint_thread;
    store_thread disk;  ///< last: its thread ends before all else does

private:
    void write_resource(infra::address const& target, std::int64_t position, infra::snapshot const& after);
    void write_sets(infra::journal_entry const& of);
    void write_output(std::string const& name, infra::snapshot const& after);
    void write_pending(std::string const& operation, infra::snapshot const& after);

    content_sum sum_;  // of the transaction that is being written
};

/// Somebody else has written since this store has read.
class overtaken_error : public std::runtime_error {
public:
    overtaken_error() : std::runtime_error("another process has written to it") {}
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_STORE_IMPL_HPP
