// SPDX-License-Identifier: BSL-1.0
#include "pg_native_backend.hpp"

#include "base/random.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "pg_native_store.hpp"
#include "state/part_locks.hpp"
#include "state/workspace_name.hpp"

#include <charconv>
#include <utility>

namespace iacctl::backends {

using postgres::parameters;
using state::make_failure;

namespace {

auto failure_of(pg_database const& database, std::string const& workspace, postgres::error const& e) -> infra::failure
{
    bool const unreachable = e.state().empty() || e.is_loss();
    return make_failure(unreachable ? messages::remote_state_unreachable : messages::state_database_refused,
        {database.place_of(workspace), e.what()});
}

auto locked(std::string const& place, std::string const& workspace, pg_conflict const& by) -> infra::failure
{
    auto const holder = by.with.holder.description();
    auto const release = release_command(workspace, by.with.holder.id);
    if (by.parts.empty()) return make_failure(messages::remote_state_locked, {place, holder, release});
    return make_failure(messages::parts_locked, {place, state::lines_of(by.parts), holder, release});
}

// The session of this process, until its end.
class session_lock final : public state::held_lock {
public:
    session_lock(std::shared_ptr<pg_database> in, std::string workspace)
        : database_(std::move(in)),
          workspace_(std::move(workspace))
    {}
    ~session_lock() override
    {
        try {
            database_->release(workspace_);
        } catch (...) {}  // the server ends the session with the connection
    }

    [[nodiscard]] auto exchange(state::lock_request const& requested) -> expected<void> override
    {
        return take(*database_, workspace_, requested);
    }
    [[nodiscard]] static auto take(
        pg_database& database, std::string const& workspace, state::lock_request const& requested) -> expected<void>
    {
        try {
            std::optional<pg_conflict> conflict;
            state::attempt_until(requested, [&] {
                conflict = database.lock(workspace, requested.operation, requested.parts);
                return !conflict;
            });
            if (!conflict) return {};
            return locked(database.place_of(workspace), workspace, *conflict);
        } catch (postgres::error const& e) {
            return failure_of(database, workspace, e);
        } catch (session_ended_error const&) {
            return make_failure(messages::session_ended, {database.place_of(workspace)});
        }
    }

private:
    std::shared_ptr<pg_database> database_;
    std::string workspace_;
};

}  // namespace

pg_native_backend::pg_native_backend(
    pg_settings settings, std::filesystem::path local, std::shared_ptr<encryption::target const> sealed_with)
    : database_(std::make_shared<pg_database>(std::move(settings))),
      local_(std::move(local)),
      encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
{}

auto pg_native_backend::is_made() const -> expected<bool>
{
    try {
        return database_->is_made();
    } catch (postgres::error const& e) {
        return failure_of(*database_, std::string(state::default_workspace), e);
    }
}

auto pg_native_backend::workspaces() const -> expected<std::vector<std::string>>
{
    try {
        auto const rows = database_->query("SELECT name FROM " + database_->table("workspace")
            + " WHERE lineage <> '' AND name <> 'default' ORDER BY name COLLATE \"C\"");
        std::vector<std::string> all{std::string(state::default_workspace)};
        for (int i = 0; i < rows.size(); ++i) all.emplace_back(rows.text(i, 0));
        return all;
    } catch (postgres::error const& e) {
        return failure_of(*database_, std::string(state::default_workspace), e);
    }
}

auto pg_native_backend::exists(std::string const& workspace) const -> expected<bool>
{
    try {
        return database_
                   ->query("SELECT FROM " + database_->table("workspace") + " WHERE name = $1 AND lineage <> ''",
                       parameters().add(workspace))
                   .size()
            > 0;
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::make(std::string const& workspace) const -> expected<void>
{
    try {
        if (database_->interchange_state(workspace, {}, 0))
            return make_failure(messages::state_in_interchange_mode, {database_->place_of(workspace)});
        if (!database_->migrates()) database_->guard(workspace);
        std::int64_t const number = database_->make(workspace);
        if (auto const ok = set_first_key(*database_, workspace, *encryption_); !ok) return ok.error();
        database_->query("UPDATE " + database_->table("workspace") + " SET lineage = $2 WHERE id = $1 AND lineage = ''",
            parameters().add(number).add(random_uuid()));
        return {};
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::remove(std::string const& workspace) const -> expected<void>
{
    try {
        auto const number = database_->find(workspace);
        if (!number) return {};
        std::string all = "WITH ";
        for (char const* name : {"resource", "dependency_set", "output", "pending", "base", "entry", "generation"})
            all +=
                std::string("gone_") + name + " AS (DELETE FROM " + database_->table(name) + " WHERE workspace = $1), ";
        all += "sessions AS (DELETE FROM " + database_->table("session") + " WHERE workspace = $1) DELETE FROM "
            + database_->table("workspace") + " WHERE id = $1";
        database_->query(all, parameters().add(*number));
        database_->drop_guard(workspace);
        return {};
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::open(std::string const& workspace, state::open_mode mode) const -> std::unique_ptr<state::store>
{
    return std::make_unique<pg_native_store>(database_, workspace, mode, encryption_, local_directory(workspace));
}

void pg_native_backend::begin_migration()
{
    database_->begin_migration();
}

auto pg_native_backend::end_migration(std::string const& workspace) const -> expected<void>
{
    try {
        database_->guard(workspace);
        return {};
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::lock(std::string const& workspace, state::lock_request const& requested) const
    -> expected<std::unique_ptr<state::held_lock>>
{
    if (auto const ok = session_lock::take(*database_, workspace, requested); !ok) return ok.error();
    return std::unique_ptr<state::held_lock>(std::make_unique<session_lock>(database_, workspace));
}

auto pg_native_backend::is_locked(std::string const& workspace) const -> bool
{
    auto const all = locks(workspace);
    return all && !all->empty();
}

auto pg_native_backend::holder(std::string const& workspace) const -> std::optional<std::string>
{
    auto const all = locks(workspace);
    if (!all || all->empty()) return std::nullopt;
    return all->front().operation + " of " + all->front().holder + ", started " + all->front().since;
}

auto pg_native_backend::locks(std::string const& workspace) const -> expected<std::vector<state::lock_description>>
{
    try {
        std::vector<state::lock_description> all;
        for (pg_session& one : database_->sessions(workspace)) {
            state::lock_description held;
            held.id = one.holder.id;
            held.holder = one.holder.who;
            held.operation = one.holder.operation;
            held.since = one.holder.created;
            held.of_workspace = one.of_workspace;
            held.written = std::move(one.written);
            held.read = std::move(one.read);
            all.push_back(std::move(held));
        }
        return all;
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::lock_failure(std::string const& workspace, std::string const& operations) const
    -> infra::failure
{
    std::string const place = database_->place_of(workspace);
    std::string by = "  Holder:    unknown";
    std::string id = "LOCK_ID";
    try {
        if (auto const all = database_->sessions(workspace); !all.empty()) {
            by = all.front().holder.description();
            id = all.front().holder.id;
        }
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
    if (operations.empty())
        return make_failure(messages::remote_state_locked, {place, by, release_command(workspace, id)});
    return make_failure(messages::state_under_change, {operations, place, by});
}

auto pg_native_backend::force_unlock(std::string const& workspace, std::string const& id) const -> expected<void>
{
    std::int64_t number = 0;
    auto const parsed = std::from_chars(id.data(), id.data() + id.size(), number);
    try {
        if (parsed.ec == std::errc() && parsed.ptr == id.data() + id.size() && database_->terminate(workspace, number))
            return {};
        auto const all = database_->sessions(workspace);
        if (all.empty()) return make_failure(messages::state_not_locked, {workspace});
        return make_failure(
            messages::lock_id_differs, {database_->place_of(workspace), all.front().holder.description(), id});
    } catch (postgres::error const& e) {
        return failure_of(*database_, workspace, e);
    }
}

auto pg_native_backend::salvage_choices(std::string const& workspace) const
    -> expected<std::vector<state::salvage_choice>>
{
    return pg_native_store(database_, workspace, state::open_mode::read_only, encryption_).salvage_choices();
}

auto pg_native_backend::salvage(std::string const& workspace, state::salvage_source from) const
    -> expected<state::restored_state>
{
    if (is_about_server(from)) return make_failure(messages::state_salvage_not_offered, {type(), to_string(from)});
    return pg_native_store(database_, workspace, state::open_mode::read_write, encryption_, local_directory(workspace))
        .salvage(from);
}

auto pg_native_backend::local_directory(std::string const& workspace) const -> std::filesystem::path
{
    return local_ / workspace;
}

}  // namespace iacctl::backends
