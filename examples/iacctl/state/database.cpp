// SPDX-License-Identifier: BSL-1.0
#include "database.hpp"

#include "meta_row.hpp"
#include "schema.hpp"
#include "support/durable_file.hpp"
#include "wal_writer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

namespace iacctl::state {

namespace {

[[noreturn]] void refuse(sqlite3* db, int code)
{
    std::string message = db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db);
    if (db != nullptr && sqlite3_extended_errcode(db) == SQLITE_IOERR_SHMSIZE)
        message =
            std::filesystem::path(sqlite3_db_filename(db, "main")).filename().string() + "-shm could not be written";
    if (int const system = db == nullptr ? 0 : sqlite3_system_errno(db); system != 0 && (code & 0xFF) != SQLITE_CORRUPT)
        message += " (" + std::generic_category().message(system) + ")";
    if (db != nullptr && (code & 0xFF) == SQLITE_BUSY)
        if (auto const writer = find_wal_writer(sqlite3_db_filename(db, "main")))
            message += " by " + writer->phrase()
                + (writer->is_stopped ? " (to continue it: kill -CONT " + std::to_string(writer->pid) + ")" : "");
    throw database_error(code, message);
}

// Decides whether to retry an operation that another process blocks, and waits. Transactions take milliseconds on a
// working disk. A process that is stopped in its transaction is given less time than a running one.
auto wait_for_other(void* db, int attempts) -> int
{
    constexpr std::chrono::milliseconds longest{60000};
    constexpr std::chrono::milliseconds longest_if_stopped{5000};
    constexpr std::chrono::milliseconds first_delays{100};  // of the first attempts, increasing by a millisecond
    constexpr int few = 14;
    constexpr std::chrono::milliseconds delay{20};
    auto const waited = attempts < few ? first_delays : first_delays + delay * (attempts - few);
    if (waited >= longest) return 0;
    bool const asks = waited >= longest_if_stopped && (waited - longest_if_stopped) % std::chrono::seconds(1) < delay;
    if (asks) {
        auto const writer = find_wal_writer(sqlite3_db_filename(static_cast<sqlite3*>(db), "main"));
        if (writer && writer->is_stopped) return 0;
    }
    std::this_thread::sleep_for(attempts < few ? std::chrono::milliseconds(attempts + 1) : delay);
    return 1;
}

}  // namespace

auto database_error::is_damage() const noexcept -> bool
{
    // SQLITE_ERROR: the statements are correct, so the tables are not.
    return code() == SQLITE_CORRUPT || code() == SQLITE_NOTADB || code() == SQLITE_ERROR || code() == SQLITE_CONSTRAINT
        || code() == SQLITE_MISMATCH || code() == SQLITE_SCHEMA || code() == SQLITE_FORMAT || code() == SQLITE_TOOBIG;
}

auto database_error::is_read_only() const noexcept -> bool
{
    return code() == SQLITE_READONLY;
}

auto database_error::is_without_index() const noexcept -> bool
{
    return code_ == SQLITE_IOERR_SHMSIZE;
}

statement::statement(sqlite3* db, std::string_view sql)
{
    int const code =
        sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
    if (code != SQLITE_OK) refuse(db, code);
}

statement::statement(statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), next_(other.next_) {}

auto statement::operator=(statement&& other) noexcept -> statement&
{
    std::swap(handle_, other.handle_);
    std::swap(next_, other.next_);
    return *this;
}

statement::~statement()
{
    sqlite3_finalize(handle_);
}

auto statement::bind(std::int64_t value) -> statement&
{
    if (int const code = sqlite3_bind_int64(handle_, ++next_, value); code != SQLITE_OK)
        refuse(sqlite3_db_handle(handle_), code);
    return *this;
}

auto statement::bind(std::string_view value) -> statement&
{
    // An empty view may have a null pointer, which SQLite treats as NULL.
    char const* const data = value.empty() ? "" : value.data();
    int const code = sqlite3_bind_text64(handle_, ++next_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) refuse(sqlite3_db_handle(handle_), code);
    return *this;
}

auto statement::bind(digest const& value) -> statement&
{
    int const code = sqlite3_bind_blob64(handle_, ++next_, value.data(), value.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) refuse(sqlite3_db_handle(handle_), code);
    return *this;
}

auto statement::bind(stored_text value) -> statement&
{
    if (!value.sealed) return bind(value.bytes);
    int const code = sqlite3_bind_blob64(handle_, ++next_, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) refuse(sqlite3_db_handle(handle_), code);
    return *this;
}

auto statement::step() -> bool
{
    int const code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    sqlite3* const db = sqlite3_db_handle(handle_);
    if (code != SQLITE_DONE) {
        // The message is that of the last call: store it before the reset.
        try {
            refuse(db, code);
        } catch (...) {
            reset();
            throw;
        }
    }
    reset();
    return false;
}

auto statement::run() -> int
{
    while (step()) {}
    return sqlite3_changes(sqlite3_db_handle(handle_));
}

void statement::reset() noexcept
{
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
    next_ = 0;
}

auto statement::columns() const -> int
{
    return sqlite3_column_count(handle_);
}

auto statement::integer(int column) const -> std::int64_t
{
    return sqlite3_column_int64(handle_, column);
}

auto statement::text(int column) const -> std::string_view
{
    // As a blob: a text column is never converted, whatever type a damaged file gives it.
    void const* const data = sqlite3_column_blob(handle_, column);
    int const size = sqlite3_column_bytes(handle_, column);
    if (data == nullptr || size <= 0) return {};
    return {static_cast<char const*>(data), static_cast<std::size_t>(size)};
}

auto statement::hash(int column) const -> digest
{
    digest result{};
    std::string_view const bytes = text(column);
    if (bytes.size() != result.size()) return result;
    std::transform(bytes.begin(), bytes.end(), result.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return result;
}

database::database(std::filesystem::path const& file, int flags)
{
    int const code =
        sqlite3_open_v2(file.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    if (code == SQLITE_OK) {
        wait_for_others(true);
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        return;
    }
    try {
        refuse(handle_, code);
    } catch (...) {
        sqlite3_close_v2(std::exchange(handle_, nullptr));
        throw;
    }
}

database::database(std::filesystem::path const& file, open_mode mode) : database(file, SQLITE_OPEN_READWRITE)
{
    static constexpr char const* settings = "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
                                            "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;";
    if (mode == open_mode::read_write) {
        execute(settings);
        return;
    }
    // To read a log, SQLite needs files beside it. If they cannot be created, and there is no log, the file alone is
    // the state.
    try {
        execute(settings);
        // Tables are read once, from the first page to the last: more pages would only take memory.
        execute("PRAGMA query_only = ON; PRAGMA cache_size = 16;");
        [[maybe_unused]] auto const version = pragma("schema_version");
    } catch (database_error const& error) {
        std::filesystem::path log = file;
        log += "-wal";
        std::error_code ignored;
        // SQLite creates the log before the index.
        bool const no_log = !std::filesystem::exists(log, ignored)
            || (error.is_without_index() && std::filesystem::is_empty(log, ignored));
        bool const no_files =
            error.code() == SQLITE_CANTOPEN || error.code() == SQLITE_READONLY || error.is_without_index();
        if (!no_files || !no_log) throw;
        std::string uri = "file:";
        for (char const c : std::filesystem::absolute(file).string()) {
            if (c == '?') uri += "%3f";
            else if (c == '#') uri += "%23";
            else if (c == '%') uri += "%25";
            else uri += c;
        }
        *this = database(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
}

auto database::make_empty(std::filesystem::path const& file) -> database
{
    // SQLite gives the files that it creates beside this one the same permissions.
    throw_on(make_private_file(file));
    return {file, SQLITE_OPEN_READWRITE};
}

void database::make(std::filesystem::path const& file)
{
    database db = make_empty(file);
    db.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN;");
    db.execute(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
    db.execute(("PRAGMA user_version = " + std::to_string(format_version)).c_str());
    db.execute(sqlite_object_tables().c_str());
    db.execute(sqlite_tables().c_str());
    meta_row meta;
    meta.insert(db);
    db.execute("COMMIT;");
}

database::database(database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

auto database::operator=(database&& other) noexcept -> database&
{
    std::swap(handle_, other.handle_);
    return *this;
}

database::~database()
{
    // Existing statements keep it open until they are destroyed.
    sqlite3_close_v2(handle_);
}

void database::execute(char const* sql)
{
    int const code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) refuse(handle_, code);
}

auto database::prepare(std::string_view sql) -> statement
{
    return {handle_, sql};
}

auto database::pragma(std::string_view name) -> std::int64_t
{
    statement query = prepare("PRAGMA " + std::string(name));
    return query.step() ? query.integer(0) : 0;
}

auto database::quick_check() -> std::string
{
    try {
        statement query = prepare("PRAGMA quick_check(1)");
        if (!query.step()) return {};
        std::string const found(query.text(0));
        return found == "ok" ? std::string() : found;
    } catch (database_error const& error) {
        return error.what();
    }
}

auto database::integrity_check() -> std::vector<std::string>
{
    std::vector<std::string> found;
    try {
        statement query = prepare("PRAGMA integrity_check(100)");
        while (query.step())
            if (query.text(0) != "ok") found.emplace_back(query.text(0));
    } catch (database_error const& error) {
        if (!error.is_damage()) throw;
        found.emplace_back(error.what());
    }
    return found;
}

void database::copy_to(std::filesystem::path const& file)
{
    database target = make_empty(file);
    target.execute("PRAGMA synchronous = OFF;");
    sqlite3_backup* const copy = sqlite3_backup_init(target.handle_, "main", handle_, "main");
    if (copy == nullptr) refuse(target.handle_, sqlite3_errcode(target.handle_));
    int const step = sqlite3_backup_step(copy, -1);
    int const code = sqlite3_backup_finish(copy);
    if (step != SQLITE_DONE || code != SQLITE_OK) refuse(target.handle_, step != SQLITE_DONE ? step : code);
}

void database::watch_log(int& pages) noexcept
{
    auto const hook = [](void* target, sqlite3*, char const*, int count) {
        *static_cast<int*>(target) = count;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle_, hook, &pages);
}

void database::wait_for_others(bool patiently) noexcept
{
    constexpr int short_while = 200;  // milliseconds
    if (patiently) sqlite3_busy_handler(handle_, wait_for_other, handle_);
    else sqlite3_busy_timeout(handle_, short_while);
}

void database::preserve() noexcept
{
    if (handle_ != nullptr) sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

transaction::transaction(database& db, purpose why) : db_(&db)
{
    db.execute(why == purpose::writing ? "BEGIN IMMEDIATE" : "BEGIN");
}

transaction::~transaction()
{
    if (db_ == nullptr) return;
    try {
        db_->execute("ROLLBACK");
    } catch (database_error const&) {
        // SQLite has already done so, or the disk fails.
    }
}

void transaction::commit()
{
    db_->execute("COMMIT");
    db_ = nullptr;
}

}  // namespace iacctl::state
