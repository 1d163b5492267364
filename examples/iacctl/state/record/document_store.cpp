// SPDX-License-Identifier: BSL-1.0
#include "document_store.hpp"

#include "base/durable_file.hpp"
#include "base/json.hpp"
#include "base/last_error.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "digest.hpp"
#include "sqlite_database.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

/// "iacd"
constexpr std::int64_t documents_application_id = 0x69616364;
constexpr std::int64_t documents_format = 1;

// The last row of a workspace is its current document; one with `removed` has no text. AUTOINCREMENT: the number of a
// removed row is not used again.
constexpr char const* documents_sql = R"sql(
CREATE TABLE document (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  serial INTEGER NOT NULL,
  lineage TEXT NOT NULL,
  time INTEGER NOT NULL,
  author TEXT NOT NULL,
  removed INTEGER NOT NULL,
  size INTEGER NOT NULL,
  text TEXT NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE INDEX document_of_workspace ON document (workspace, number);
CREATE TABLE lock (
  workspace TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  info TEXT NOT NULL,
  author TEXT NOT NULL,
  time INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// With FULL, a truncated rollback journal is synchronized: a commit is durable when it returns.
constexpr char const* documents_settings_sql = "PRAGMA journal_mode = TRUNCATE; PRAGMA secure_delete = ON;";

constexpr std::string_view revision_columns = "number, serial, lineage, time, author, removed, size";

auto read_revision(statement const& row) -> document_revision
{
    return {row.integer(0), {row.integer(1), std::string(row.text(2))}, row.integer(3), std::string(row.text(4)),
        row.integer(6), row.integer(5) != 0};
}

}  // namespace

auto document_header::read(std::string_view text) -> std::optional<document_header>
{
    auto const whole = parse_json(text);
    json const* const serial = whole ? whole->find("serial") : nullptr;
    json const* const lineage = whole ? whole->find("lineage") : nullptr;
    if (serial == nullptr || lineage == nullptr || lineage->text() == nullptr) return std::nullopt;
    auto const number = serial->integer();
    if (!number || *number < 0) return std::nullopt;
    return document_header{*number, *lineage->text()};
}

class document_store::impl {
public:
    impl(fs::path directory, retention_policy keep) : directory_(std::move(directory)), keep_(keep) {}

    [[nodiscard]] auto file() const -> fs::path { return directory_ / "states.db"; }

    // Creates the directory and the database if they do not exist, and excludes other processes.
    [[nodiscard]] auto prepare() -> expected<void>
    {
        fs::path const lock = directory_ / "states.lock";
        std::error_code error;
        throw_on(make_private_directories(directory_));
        bool const had_lock = fs::exists(lock, error);
        bool const had_database = !error && fs::exists(file(), error);
        throw_on(error);
        if (had_lock && !had_database) return make_failure(messages::served_states_lost, {file().string()});
        if (!had_database) make();
        lock_ = file_descriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock_) throw_on(last_error());
        struct flock wanted{};
        wanted.l_type = F_WRLCK;
        wanted.l_whence = SEEK_SET;
        if (::fcntl(lock_.get(), F_OFD_SETLK, &wanted) != 0) {
            if (errno != EAGAIN && errno != EACCES) throw_on(last_error());
            return make_failure(messages::served_states_in_use, {directory_.string()});
        }
        throw_on(sync_directory(directory_));
        return {};
    }

    // The open database. A connection that has failed is replaced, which rolls back its transaction.
    [[nodiscard]] auto connection() -> sqlite_database&
    {
        if (db_) return *db_;
        sqlite_database opened(file(), open_mode::read_write);
        if (opened.pragma("application_id") != documents_application_id)
            throw sqlite_error(26, "the file is not a database of documents");  // SQLITE_NOTADB
        if (auto const format = opened.pragma("user_version"); format != documents_format) throw newer_format{format};
        opened.execute(documents_settings_sql);
        return db_.emplace(std::move(opened));
    }

    // The result of `work`, with exceptions converted into a failure.
    template <class Work>
    [[nodiscard]] auto guarded(Work const& work) -> std::invoke_result_t<Work const&>
    {
        try {
            return work();
        } catch (database_error const& failed) {
            db_.reset();
            if (failed.is_damage())
                return make_failure(messages::served_states_damaged, {file().string(), failed.what()});
            return make_failure(messages::served_states_unusable, {file().string(), failed.what()});
        } catch (newer_format const& found) {
            return make_failure(messages::served_states_too_new, {file().string(), std::to_string(found.number)});
        } catch (std::system_error const& failed) {
            return make_failure(messages::served_states_unusable, {file().string(), failed.code().message()});
        }
    }

    [[nodiscard]] auto last_revision(std::string_view workspace) -> std::optional<document_revision>
    {
        statement query = connection().prepare("SELECT " + std::string(revision_columns)
            + " FROM document WHERE workspace = ? ORDER BY number DESC LIMIT 1");
        query.bind(workspace);
        if (!query.step()) return std::nullopt;
        return read_revision(query);
    }
    [[nodiscard]] auto find_lock(std::string_view workspace) -> std::optional<document_lock>
    {
        statement query = connection().prepare("SELECT id, info, author, time FROM lock WHERE workspace = ?");
        query.bind(workspace);
        if (!query.step()) return std::nullopt;
        return document_lock{
            std::string(query.text(0)), std::string(query.text(1)), std::string(query.text(2)), query.integer(3)};
    }
    // Nothing if a client with this lock, or without one, may write.
    [[nodiscard]] auto refusal(std::string_view workspace, std::string_view lock_id) -> std::optional<outcome>
    {
        auto held = find_lock(workspace);
        if (held && held->id != lock_id) return outcome{verdict::locked, std::move(held), std::nullopt};
        if (!held && !lock_id.empty()) return outcome{verdict::lock_lost, std::nullopt, std::nullopt};
        return std::nullopt;
    }

    [[nodiscard]] auto document(std::string_view workspace, std::int64_t number) -> expected<std::optional<std::string>>
    {
        statement query =
            connection().prepare("SELECT number, serial, lineage, time, author, removed, size, text, sha256"
                                 " FROM document WHERE workspace = ? AND number = ?");
        query.bind(workspace).bind(number);
        if (!query.step() || query.integer(5) != 0) return std::optional<std::string>();
        auto row = read_revision(query);
        std::string text(query.text(7));
        if (hash(workspace, row.number, row, text) != query.hash(8))
            return make_failure(messages::served_states_damaged,
                {file().string(), "revision " + std::to_string(number) + " of \"" + std::string(workspace) + "\""});
        return std::optional(std::move(text));
    }

    // Adds the last revision of a workspace, and removes old ones.
    void add(std::string_view workspace, document_revision const& row, std::string_view text)
    {
        database& db = connection();
        statement insert =
            db.prepare("INSERT INTO document (workspace, serial, lineage, time, author, removed, size, text,"
                       " sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        statement next = db.prepare("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'document'");
        std::int64_t const number = next.step() ? next.integer(0) : 1;
        insert.bind(workspace).bind(row.header.serial).bind(row.header.lineage).bind(row.time).bind(row.author);
        insert.bind(std::int64_t{row.removed})
            .bind(static_cast<std::int64_t>(text.size()))
            .bind(text)
            .bind(hash(workspace, number, row, text))
            .run();
        db.prepare("DELETE FROM document WHERE workspace = ?1 AND time < ?2 AND number <= (SELECT number FROM document"
                   " WHERE workspace = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?3)")
            .bind(workspace)
            .bind(row.time - keep_.milliseconds)
            .bind(std::max<std::int64_t>(keep_.generations, 1))
            .run();
    }

    // Ids of released locks, which are not given again: a request for a lock may be delivered after the lock was released.
    [[nodiscard]] auto was_released(std::string_view lock_id) const -> bool
    {
        return std::ranges::find(released_, lock_id) != released_.end();
    }
    void note_released(std::string lock_id)
    {
        released_.push_back(std::move(lock_id));
        if (released_.size() > most_released) released_.pop_front();
    }

    [[nodiscard]] auto hash(
        std::string_view workspace, std::int64_t number, document_revision const& row, std::string_view text) -> digest
    {
        hasher_.start("document").field(workspace).field(number).field(row.header.serial).field(row.header.lineage);
        return hasher_.field(row.time).field(row.author).field(std::int64_t{row.removed}).field(text).finish();
    }

private:
    struct newer_format {
        std::int64_t number;
    };

    // More than there can be requests on their way. A restart of the server ends their connections.
    static constexpr std::size_t most_released = 10'000;

    void make()
    {
        fs::path const draft = directory_ / (".draft-" + random_hex(8));
        std::error_code ignored;
        try {
            throw_on(make_private_file(draft));
            {
                sqlite_database db(draft, open_mode::read_write);
                db.execute("BEGIN;");
                db.execute("PRAGMA application_id = " + std::to_string(documents_application_id));
                db.execute("PRAGMA user_version = " + std::to_string(documents_format));
                db.execute(documents_sql);
                db.execute("COMMIT;");
            }
            throw_on(sync_file(draft));
            fs::rename(draft, file());
            throw_on(sync_directory(directory_));
        } catch (...) {
            fs::remove(draft, ignored);
            throw;
        }
    }

    fs::path directory_;
    retention_policy keep_;
    file_descriptor lock_;
    std::optional<sqlite_database> db_;
    field_hasher hasher_;
    std::deque<std::string> released_;
};

document_store::document_store(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
document_store::document_store(document_store&&) noexcept = default;
auto document_store::operator=(document_store&&) noexcept -> document_store& = default;
document_store::~document_store() = default;

auto document_store::open(fs::path const& directory, retention_policy keep) -> expected<document_store>
{
    auto made = std::make_unique<impl>(directory, keep);
    auto const prepare = [&]() -> expected<void> {
        if (auto const ok = made->prepare(); !ok) return ok.error();
        (void)made->connection();
        return boost::system::in_place_value;
    };
    if (auto const ready = made->guarded(prepare); !ready) return ready.error();
    return document_store(std::move(made));
}

auto document_store::get(std::string const& workspace) -> expected<std::optional<std::string>>
{
    return impl_->guarded([&]() -> expected<std::optional<std::string>> {
        auto const last = impl_->last_revision(workspace);
        if (!last) return std::optional<std::string>();
        return impl_->document(workspace, last->number);
    });
}

auto document_store::get(std::string const& workspace, std::int64_t number) -> expected<std::optional<std::string>>
{
    return impl_->guarded([&] { return impl_->document(workspace, number); });
}

auto document_store::put(std::string const& workspace, std::string_view text, document_header const& header,
    std::string_view lock_id, std::string_view author) -> expected<outcome>
{
    return impl_->guarded([&]() -> expected<outcome> {
        transaction writing(impl_->connection(), database::purpose::writing);
        if (auto refused = impl_->refusal(workspace, lock_id)) return *refused;
        auto const last = impl_->last_revision(workspace);
        if (last && !last->removed) {
            auto const& [serial, lineage] = last->header;
            bool const is_other = !lineage.empty() && !header.lineage.empty() && lineage != header.lineage;
            if (is_other) return outcome{verdict::other_lineage, std::nullopt, last};
            if (header.serial < serial) return outcome{verdict::older_serial, std::nullopt, last};
            if (header.serial == serial) {
                auto const present = impl_->document(workspace, last->number);
                if (!present) return present.error();
                return outcome{*present == text ? verdict::done : verdict::same_serial, std::nullopt, last};
            }
        }
        impl_->add(workspace, {0, header, now_ms(), std::string(author), 0, false}, text);
        writing.commit();
        return outcome();
    });
}

auto document_store::remove(std::string const& workspace, std::string_view lock_id, std::string_view author)
    -> expected<outcome>
{
    return impl_->guarded([&]() -> expected<outcome> {
        transaction writing(impl_->connection(), database::purpose::writing);
        if (auto refused = impl_->refusal(workspace, lock_id)) return *refused;
        auto const last = impl_->last_revision(workspace);
        if (!last || last->removed) return outcome();
        impl_->add(workspace, {0, last->header, now_ms(), std::string(author), 0, true}, {});
        writing.commit();
        return outcome();
    });
}

auto document_store::lock(std::string const& workspace, std::string_view id, std::string_view info,
    std::string_view author) -> expected<outcome>
{
    return impl_->guarded([&]() -> expected<outcome> {
        database& db = impl_->connection();
        transaction writing(db, database::purpose::writing);
        if (auto held = impl_->find_lock(workspace)) {
            bool const is_own = held->id == id;
            return outcome{is_own ? verdict::done : verdict::locked, std::move(held), std::nullopt};
        }
        if (impl_->was_released(id)) return outcome{verdict::lock_lost, std::nullopt, std::nullopt};
        statement insert = db.prepare("INSERT INTO lock (workspace, id, info, author, time) VALUES (?, ?, ?, ?, ?)");
        insert.bind(workspace).bind(id).bind(info).bind(author).bind(now_ms()).run();
        writing.commit();
        return outcome();
    });
}

auto document_store::unlock(std::string const& workspace, std::string_view id) -> expected<outcome>
{
    return impl_->guarded([&]() -> expected<outcome> {
        database& db = impl_->connection();
        transaction writing(db, database::purpose::writing);
        auto held = impl_->find_lock(workspace);
        if (!held) return outcome();
        if (!id.empty() && held->id != id) return outcome{verdict::locked, std::move(held), std::nullopt};
        db.prepare("DELETE FROM lock WHERE workspace = ?").bind(workspace).run();
        writing.commit();
        impl_->note_released(std::move(held->id));
        return outcome();
    });
}

auto document_store::workspaces() -> expected<std::vector<workspace_summary>>
{
    return impl_->guarded([&]() -> expected<std::vector<workspace_summary>> {
        database& db = impl_->connection();
        transaction const reading(db, database::purpose::reading);
        statement names = db.prepare("SELECT workspace FROM document UNION SELECT workspace FROM lock ORDER BY 1");
        std::vector<workspace_summary> all;
        while (names.step()) {
            std::string name(names.text(0));
            auto last = impl_->last_revision(name);
            auto held = impl_->find_lock(name);
            all.push_back({std::move(name), std::move(last), std::move(held)});
        }
        return all;
    });
}

auto document_store::workspace(std::string const& name) -> expected<std::optional<workspace_summary>>
{
    return impl_->guarded([&]() -> expected<std::optional<workspace_summary>> {
        transaction const reading(impl_->connection(), database::purpose::reading);
        workspace_summary found{name, impl_->last_revision(name), impl_->find_lock(name)};
        if (!found.last && !found.lock) return std::optional<workspace_summary>();
        return std::optional(std::move(found));
    });
}

auto document_store::history(std::string const& workspace) -> expected<std::vector<document_revision>>
{
    return impl_->guarded([&]() -> expected<std::vector<document_revision>> {
        statement rows = impl_->connection().prepare(
            "SELECT " + std::string(revision_columns) + " FROM document WHERE workspace = ? ORDER BY number DESC");
        rows.bind(workspace);
        std::vector<document_revision> all;
        while (rows.step()) all.push_back(read_revision(rows));
        return all;
    });
}

}  // namespace iacctl::state
