// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_PG_DATABASE_HPP
#define IACCTL_BACKENDS_PG_DATABASE_HPP

#include "lock_info.hpp"
#include "pg_state.hpp"
#include "postgres/connection.hpp"
#include "state/backend.hpp"

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

/// The session of this process in a workspace is no more: another process may have taken its locks.
class session_ended_error : public std::runtime_error {
public:
    session_ended_error() : std::runtime_error("the session was ended") {}
};

/// Another session, with its locks.
struct pg_session {
    std::int64_t id = 0;
    lock_info holder;
    bool of_workspace = false;
    std::vector<std::string> written;
    std::vector<std::string> read;
};

/// A lock that another session has, and the parts about which the two are at odds; no parts: the whole workspace.
struct pg_conflict {
    pg_session with;
    std::vector<std::string> parts;
};

/// The tables of states in one schema of a database, and the sessions that this process has there.
///
/// A session is a row, and an advisory lock that the connection holds: whoever gets that lock knows that the process which took
/// it is gone, and so is what it was about to commit. When a connection is lost, this makes another one, takes the advisory
/// locks of its sessions again, and only then looks which of its appends were committed. A session whose row is gone
/// has ended: the same statement that appends asks for the row.
///
/// Calls are made one after another, and block. All of them throw `postgres::error`.
class pg_database {
public:
    /// The time during which a lost connection is made anew.
    static constexpr std::chrono::seconds patience{60};

    explicit pg_database(pg_settings with);

    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string;
    /// The quoted name of a table.
    [[nodiscard]] auto table(std::string_view name) const -> std::string;
    /// A query for the sum of the rows of a workspace. \param workspace  an expression with its number
    [[nodiscard]] auto content_query(std::string_view workspace) const -> std::string;

    /// One statement that may be carried out twice.
    auto query(std::string const& statement, postgres::parameters const& with = {}) -> postgres::result_set;
    /// Work of several statements that may be carried out twice.
    template <class Work>
    auto repeat(Work work)
    {
        std::chrono::milliseconds delay(10);
        for (auto const until = std::chrono::steady_clock::now() + patience;;) {
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

    /// The number of a workspace; nothing: it was never made.
    [[nodiscard]] auto find(std::string const& workspace) -> std::optional<std::int64_t>;
    /// Makes it, if it is not there.
    auto make(std::string const& workspace) -> std::int64_t;

    /// Starts a session that has the locks asked for, or gives the locks of the session that this process has to it.
    /// \return another session that has locks which exclude them
    [[nodiscard]] auto lock(std::string const& workspace, std::string const& operation,
        std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>;
    /// Ends the session of this process, if it has one.
    void release(std::string const& workspace);
    /// Ends the session of another process. \return false: there is none of that number
    auto terminate(std::string const& workspace, std::int64_t session) -> bool;
    /// Sessions of other processes that have locks, the oldest first.
    [[nodiscard]] auto sessions(std::string const& workspace) -> std::vector<pg_session>;

    /// The number of the session of this process; one without locks is started if there is none.
    [[nodiscard]] auto session_of(std::string const& workspace, std::string const& operation) -> std::int64_t;
    /// Has this process a session there?
    [[nodiscard]] auto has_session(std::string const& workspace) const -> bool { return own_.contains(workspace); }
    /// Work of several statements in one transaction, which may be carried out twice; it returns false to take all of it back.
    using transaction_work = std::function<bool(postgres::connection&)>;
    /// Carries out work that only one process at a time may do.
    void in_turn(std::string const& workspace, transaction_work const& work);
    /// Carries out work while no other process has a session in the workspace, and keeps others from starting one meanwhile.
    /// \return a session that another process has: nothing was done
    [[nodiscard]] auto alone(std::string const& workspace, transaction_work const& work) -> std::optional<pg_session>;
    /// Carries out a statement exactly once: it must update the row of the session (`$1`) from batch `$2` - 1 to batch `$2`, and
    /// do nothing, and return no row, if there is no such row.
    /// \param with    of $3 and further
    /// \param before  work of the same transaction, which excludes all other sessions and ends them
    /// \throws session_ended_error
    void append(std::string const& workspace, std::string const& statement, postgres::parameters const& with,
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
    // After the loss of a connection: makes sure that its server process is gone, and takes its advisory locks.
    void resume(postgres::connection& on);
    [[nodiscard]] auto lock_key(std::string const& session) const -> std::string;
    [[nodiscard]] auto is_alive(std::string const& session) const -> std::string;
    // One transaction after the other that starts a session, or depends on those that there are.
    void lock_row(postgres::connection& on, std::int64_t workspace) const;
    // A statement that ends sessions of the workspace $1, and returns their number.
    [[nodiscard]] auto end_sessions(std::string const& condition) const -> std::string;
    void drop_dead_sessions(postgres::connection& on, std::int64_t workspace, std::int64_t own);
    [[nodiscard]] auto find_conflict(postgres::connection& on, std::int64_t workspace, std::int64_t own,
        std::optional<state::state_parts> const& parts) -> std::optional<pg_conflict>;

    pg_settings with_;
    std::string schema_;
    std::optional<postgres::connection> connection_;
    int server_process_ = 0;  // of the last connection
    bool was_connected_ = false;
    std::map<std::string, own_session> own_;  // by workspace
};

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_PG_DATABASE_HPP
