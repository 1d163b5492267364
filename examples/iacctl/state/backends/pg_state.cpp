// SPDX-License-Identifier: BSL-1.0
#include "pg_state.hpp"

#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "pg_modes.hpp"
#include "pg_native_backend.hpp"
#include "state/postgres/connection.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace iacctl::backends {

using postgres::parameters;
using state::make_failure;

namespace {

// The key of the lock that protects the creation of a row, in all schemas.
constexpr std::int64_t creation_lock = -1;

class lock_lost_error : public std::runtime_error {
public:
    lock_lost_error() : std::runtime_error("the lock was lost") {}
};

class native_mode_error : public std::runtime_error {
public:
    native_mode_error() : std::runtime_error("the state is in the native mode") {}
};

class pg_state final : public state_client {
public:
    explicit pg_state(pg_settings settings) : with_(std::move(settings)) {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "pg"; }
    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string override
    {
        try {
            return postgres::connection_settings(with_.conn_str).place() + " (" + with_.schema_name + "."
                + with_.table_name + ", " + workspace + ")";
        } catch (postgres::error const&) {
            return "PostgreSQL";
        }
    }

    [[nodiscard]] auto is_made() -> expected<bool> override
    {
        return attempt<bool>([&] {
            postgres::connection on{postgres::connection_settings(with_.conn_str)};
            return has_interchange_table(on, with_);
        });
    }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        return attempt<std::vector<std::string>>([&] {
            auto const rows = ask("SELECT name FROM " + table() + " WHERE name <> 'default' AND NOT "
                + native_guard_condition("data") + " ORDER BY name");
            std::vector<std::string> all{std::string(state::default_workspace)};
            for (int i = 0; i < rows.size(); ++i) all.emplace_back(rows.text(i, 0));
            return all;
        });
    }
    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>> override
    {
        return attempt<std::optional<std::string>>([&] {
            auto const rows = ask("SELECT data FROM " + table() + " WHERE name = $1", parameters().add(workspace));
            std::optional<std::string> document;
            if (rows.size() > 0 && !rows.text(0, 0).empty()) document = rows.text(0, 0);
            bool const is_native =
                document ? is_native_guard(*document) : has_native_state(*connection_, with_, workspace);
            if (is_native && !migrates_) throw native_mode_error();
            if (is_native) document.reset();
            has_moved_ = is_native;
            documents_[workspace].seen = document.value_or(std::string());
            return document;
        });
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const&)
        -> expected<void> override
    {
        return change([&] {
            known_document& document = documents_[workspace];
            if (!document.seen && !migrates_) {
                connect();
                if (has_native_state(*connection_, with_, workspace)) throw native_mode_error();
            }
            document.sent = text;
            auto const written = ask("INSERT INTO " + table()
                    + " AS s (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = $2"
                      " WHERE $3 OR NOT "
                    + native_guard_condition("s.data") + " RETURNING id",
                parameters().add(workspace).add(text).add(migrates_), &workspace);
            if (written.size() == 0) throw native_mode_error();
            document.seen = text;
        });
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> expected<void> override
    {
        return change(
            [&] { ask("DELETE FROM " + table() + " WHERE name = $1", parameters().add(workspace), &workspace); });
    }

    // A state that has moved to the native mode is not lost.
    [[nodiscard]] auto may_go_back() const noexcept -> bool override { return has_moved_; }
    void begin_migration() override { migrates_ = true; }
    [[nodiscard]] auto end_migration(std::string const& workspace) -> expected<void> override
    {
        bool is_native = false;
        auto found = change([&] {
            connect();
            is_native = has_native_state(*connection_, with_, workspace);
        });
        if (!found || !is_native) return found;
        return pg_native_backend(with_, {}).remove(workspace);
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override { return true; }
    [[nodiscard]] auto lock_outlasts_process() const noexcept -> bool override { return false; }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const&) -> expected<lock_attempt> override
    {
        return attempt<lock_attempt>([&] {
            lock_attempt tried;
            for (int again = 3; again > 0 && !tried.held && !tried.holder; --again) {
                connect();
                auto const key = try_lock(workspace);
                tried.held = key.has_value();
                if (key) {
                    locks_[workspace] = *key;
                    lost_.erase(workspace);
                } else {
                    tried.holder = find_holder(workspace);  // none: it was released meanwhile
                }
            }
            return tried;
        });
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const& info) -> expected<void> override
    {
        return change([&] {
            if (auto const own = locks_.extract(workspace)) {
                if (is_connected()) release(own.mapped());
                return;
            }
            if (lost_.erase(workspace) > 0) return;
            std::int64_t process = 0;
            std::from_chars(info.id.data(), info.id.data() + info.id.size(), process);
            for (std::int64_t const key : keys_of(workspace))
                ask("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE pid = $1 AND " + is_lock("$2"),
                    parameters().add(process).add(key));
        });
    }
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        auto found = attempt<std::optional<lock_info>>([&] { return find_holder(workspace); });
        return found ? std::move(*found) : std::nullopt;
    }

private:
    struct known_document {
        std::optional<std::string> seen;  // as last read or written
        std::optional<std::string> sent;  // it may have been written
    };

    [[nodiscard]] auto table() const -> std::string { return interchange_table(with_); }
    [[nodiscard]] auto is_connected() const -> bool { return connection_ && !connection_->is_lost(); }

    void connect()
    {
        if (is_connected()) return;
        connection_.reset();
        connection_.emplace(postgres::connection_settings(with_.conn_str));
        if (!prepared_) make_interchange_table(*connection_, with_);
        prepared_ = true;
        try {
            for (auto at = locks_.begin(); at != locks_.end();) {
                if (lock_again(at->first, at->second)) {
                    ++at;
                } else {
                    lost_.insert(at->first);
                    at = locks_.erase(at);
                }
            }
        } catch (...) {
            connection_.reset();  // nothing is written before the key is known
            throw;
        }
    }
    // A lock ends with its connection. False: another process has taken it meanwhile, and may have changed the
    // document.
    auto lock_again(std::string const& workspace, std::int64_t& key) -> bool
    {
        auto const found = try_lock(workspace);
        if (!found) return false;
        key = *found;
        auto const rows =
            connection_->query("SELECT data FROM " + table() + " WHERE name = $1", parameters().add(workspace));
        std::string const now(rows.size() > 0 ? rows.text(0, 0) : std::string_view());
        known_document const& last = documents_[workspace];
        bool const changed = last.seen && *last.seen != now && (!last.sent || *last.sent != now);
        if (changed) release(key);
        return !changed;
    }
    // Executes one statement. All statements may be repeated.
    // \param written  the workspace that it changes, if any \throws lock_lost_error instead of writing without the lock
    auto ask(std::string const& statement, parameters const& p = {}, std::string const* written = nullptr)
        -> postgres::result_set
    {
        for (bool again = true;; again = false) {
            connect();
            if (written != nullptr && lost_.contains(*written)) throw lock_lost_error();
            try {
                return connection_->query(statement, p);
            } catch (postgres::error const& e) {
                if (!again || !e.is_loss()) throw;
            }
        }
    }

    // Tries to take the lock of a row, or the lock for its creation. \return its key
    [[nodiscard]] auto try_lock(std::string const& workspace) -> std::optional<std::int64_t>
    {
        auto const rows = connection_->query(
            "SELECT id, pg_try_advisory_lock(id), pg_try_advisory_lock(-1) FROM " + table() + " WHERE name = $1",
            parameters().add(workspace));
        if (rows.size() == 0) {
            bool const creates = connection_->query("SELECT pg_try_advisory_lock(-1)").boolean(0, 0);
            return creates ? std::optional(creation_lock) : std::nullopt;
        }
        std::int64_t const id = rows.integer(0, 0);
        bool const has_row = rows.boolean(0, 1);
        bool const may_create = rows.boolean(0, 2);
        if (may_create) release(creation_lock);
        if (has_row && may_create) return id;
        if (has_row) release(id);
        return std::nullopt;
    }
    void release(std::int64_t key)
    {
        connection_->query("SELECT pg_advisory_unlock($1::bigint)", parameters().add(key));
    }

    [[nodiscard]] auto keys_of(std::string const& workspace) -> std::vector<std::int64_t>
    {
        auto const rows = ask("SELECT id FROM " + table() + " WHERE name = $1", parameters().add(workspace));
        std::vector<std::int64_t> keys;
        if (rows.size() > 0) keys.push_back(rows.integer(0, 0));
        keys.push_back(creation_lock);
        return keys;
    }
    // A condition on `pg_locks`: the advisory lock of a key of 64 bits.
    [[nodiscard]] static auto is_lock(std::string const& key) -> std::string
    {
        return "locktype = 'advisory' AND granted AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = "
            + key + "::bigint AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    }
    [[nodiscard]] auto find_holder(std::string const& workspace) -> std::optional<lock_info>
    {
        for (std::int64_t const key : keys_of(workspace)) {
            auto const rows = ask(
                "SELECT a.pid, coalesce(a.usename, ''), coalesce(host(a.client_addr), 'localhost'), a.application_name,"
                " to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                " FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.pid <> pg_backend_pid() AND "
                    + is_lock("$1"),
                parameters().add(key));
            if (rows.size() == 0) continue;
            lock_info found;
            found.id = rows.text(0, 0);
            found.who = std::string(rows.text(0, 1)) + "@" + std::string(rows.text(0, 2));
            found.operation = rows.text(0, 3);
            found.created = rows.text(0, 4);
            found.info = "the ID is that of the server process of the connection";
            return found;
        }
        return std::nullopt;
    }

    template <class T, class Work>
    [[nodiscard]] auto attempt(Work work) -> expected<T>
    {
        try {
            return work();
        } catch (postgres::error const& e) {
            bool const unreachable = e.state().empty() || e.is_loss();
            return make_failure(unreachable ? messages::remote_state_unreachable : messages::state_database_refused,
                {place_of("default"), e.what()});
        } catch (lock_lost_error const&) {
            return make_failure(messages::remote_lock_lost, {place_of("default")});
        } catch (native_mode_error const&) {
            return make_failure(messages::state_in_native_mode, {place_of("default")});
        }
    }
    template <class Work>
    [[nodiscard]] auto change(Work work) -> expected<void>
    {
        auto const done = attempt<bool>([&] {
            work();
            return true;
        });
        return done ? expected<void>() : done.error();
    }

    pg_settings with_;
    std::optional<postgres::connection> connection_;
    bool prepared_ = false;
    bool migrates_ = false;  // a state of the native mode is replaced
    bool has_moved_ = false;  // the document that was read last is in the native mode
    std::map<std::string, std::int64_t> locks_;  // keys by workspace
    std::set<std::string> lost_;  // workspaces whose lock another process took after a lost connection
    std::map<std::string, known_document> documents_;  // by workspace
};

}  // namespace

auto make_pg_state(pg_settings settings) -> std::shared_ptr<state_client>
{
    return std::make_shared<pg_state>(std::move(settings));
}

}  // namespace iacctl::backends
