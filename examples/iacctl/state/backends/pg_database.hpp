// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_DATABASE_HPP
#define IACCTL_STATE_BACKENDS_PG_DATABASE_HPP

#include "lock_info.hpp"
#include "pg_records.hpp"
#include "pg_state.hpp"
#include "state/backend.hpp"
#include "state/postgres/connection.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace iacctl::backends {

/// The session of this process in a workspace has ended: another process may have taken its locks.
class session_ended_error : public std::runtime_error {
public:
    session_ended_error() : std::runtime_error("the session was ended") {}
};

/// A session of another process.
struct pg_session {
    std::int64_t id = 0;
    lock_info holder;
    bool of_workspace = false;
    std::vector<std::string> written;
    std::vector<std::string> read;
};

/// A lock of another session that excludes a requested one, with the parts that both need; no parts: the whole
/// workspace.
struct pg_conflict {
    pg_session with;
    std::vector<std::string> parts;
};

/// The tables of states in one schema of a database, and the sessions of this process in them.
///
/// A session is a row and an advisory lock that is held by the connection. A process that obtains the advisory lock of
/// a session thereby knows that the process of the session has ended and cannot commit any more. When a connection is
/// lost, this class makes another one, takes the advisory locks of its sessions again, and only then checks which of
/// its appends were committed. A session without a row has ended; the statement of an append requires the row.
///
/// Calls must be sequential. They block, and throw `postgres::error`.
class pg_database {
public:
    /// The time during which it tries to restore a lost connection.
    static constexpr std::chrono::seconds reconnect_timeout{60};

    explicit pg_database(pg_settings settings);

    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string;
    /// Returns whether the tables exist. They are made at the first query.
    [[nodiscard]] auto is_made() const -> bool;
    /// The quoted name of a table.
    [[nodiscard]] auto table(std::string_view name) const -> std::string;
    /// The records of a workspace. \param on  must outlive them
    [[nodiscard]] auto records(postgres::connection& on, std::int64_t workspace) const -> pg_records
    {
        return {on, schema_, workspace};
    }
    /// A query for the sum of the rows of a workspace. \param workspace  an SQL expression for its number
    [[nodiscard]] auto content_query(std::string_view workspace) const -> std::string;

    /// Executes one statement. \pre the statement may be executed twice
    auto query(std::string const& statement, postgres::parameters const& p = {}) -> postgres::result_set;
    /// Executes several statements. \pre the work may be executed twice
    template <class Work>
    auto repeat(Work work)
    {
        std::chrono::milliseconds delay(10);
        for (auto const until = std::chrono::steady_clock::now() + reconnect_timeout;;) {
            try {
                connect();
                return work(*connection_);
            } catch (postgres::error const& e) {
                if (!may_repeat(e) || std::chrono::steady_clock::now() > until) throw;
                std::this_thread::sleep_for(delay);
                delay = std::min(delay * 2, std::chrono::milliseconds(1000));
            }
        }
    }

    /// The state that a workspace has in the interchange mode, unless it is an earlier version of this one, or a migration
    /// to the native mode is running.
    [[nodiscard]] auto interchange_state(std::string const& workspace, std::string const& lineage, std::uint64_t serial)
        -> std::optional<std::string>;
    void begin_migration() noexcept { migrates_ = true; }
    [[nodiscard]] auto migrates() const noexcept -> bool { return migrates_; }
    /// Excludes the interchange mode from a workspace. Its state there gets another name.
    void guard(std::string const& workspace);
    /// Permits the interchange mode again.
    void drop_guard(std::string const& workspace);

    /// The number of a workspace; nothing if it does not exist.
    [[nodiscard]] auto find(std::string const& workspace) -> std::optional<std::int64_t>;
    /// Creates the workspace if it does not exist, and returns its number.
    auto make(std::string const& workspace) -> std::int64_t;

    /// Starts a session with the requested locks, or replaces the locks of the session of this process by them.
    /// \return a session of another process whose locks exclude them; then nothing has changed
    [[nodiscard]] auto lock(std::string const& workspace, std::string const& operation,
        std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>;
    /// Ends the session of this process, if it has one.
    void release(std::string const& workspace);
    /// Ends the session of another process. \return false if there is no such session
    auto terminate(std::string const& workspace, std::int64_t session) -> bool;
    /// Sessions of other processes that have locks, the oldest first.
    [[nodiscard]] auto sessions(std::string const& workspace) -> std::vector<pg_session>;

    /// The number of the session of this process. Starts one without locks if there is none.
    [[nodiscard]] auto session_of(std::string const& workspace, std::string const& operation) -> std::int64_t;
    /// Returns whether this process has a session in the workspace.
    [[nodiscard]] auto has_session(std::string const& workspace) const -> bool { return own_.contains(workspace); }
    /// Several statements in one transaction, which may be executed twice. Returns false to roll the transaction back.
    using transaction_work = std::function<bool(postgres::connection&)>;
    /// Executes work that is exclusive among processes.
    void in_turn(std::string const& workspace, transaction_work const& work);
    /// Executes work while no other process has a session in the workspace; none can start one meanwhile.
    /// \return a session of another process; then the work was not executed
    [[nodiscard]] auto alone(std::string const& workspace, transaction_work const& work) -> std::optional<pg_session>;
    /// Executes a statement exactly once. The statement must update the row of the session (`$1`) from batch `$2` - 1
    /// to batch `$2`; if there is no such row, it must change nothing and return no row.
    /// \param p    the values of $3 and further parameters
    /// \param before  work in the same transaction; all other sessions are ended first
    /// \throws session_ended_error
    void append(std::string const& workspace, std::string const& statement, postgres::parameters const& p,
        std::function<void(postgres::connection&)> const& before = {});

private:
    struct own_session {
        std::int64_t id;
        std::int64_t workspace;
        std::int64_t batch;
    };

    void connect();
    [[nodiscard]] auto may_repeat(postgres::error const& after) const -> bool;
    void make_tables(postgres::connection& on) const;
    // After a lost connection: terminates its server process if that still runs, and takes its advisory locks.
    void resume(postgres::connection& on);
    [[nodiscard]] auto lock_key(std::string const& session) const -> std::string;
    [[nodiscard]] auto is_alive(std::string const& session) const -> std::string;
    // Serializes the transactions that start a session or depend on the existing ones.
    void lock_row(postgres::connection& on, std::int64_t workspace) const;
    // A statement that ends sessions of the workspace $1 and returns their number.
    [[nodiscard]] auto end_sessions(std::string const& condition) const -> std::string;
    void drop_dead_sessions(postgres::connection& on, std::int64_t workspace, std::int64_t own);
    [[nodiscard]] auto find_conflict(postgres::connection& on, std::int64_t workspace, std::int64_t own,
        std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>;

    pg_settings with_;
    std::string schema_;
    std::optional<postgres::connection> connection_;
    int server_process_ = 0;  // of the last connection
    bool was_connected_ = false;
    bool migrates_ = false;
    std::map<std::string, own_session> own_;  // by workspace
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_DATABASE_HPP
