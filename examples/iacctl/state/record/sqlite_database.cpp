// SPDX-License-Identifier: BSL-1.0
#include "sqlite_database.hpp"

#include "base/durable_file.hpp"
#include "meta_row.hpp"
#include "schema.hpp"
#include "wal_writer.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
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
    throw sqlite_error(code, message);
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

class sqlite_statement final : public statement::driver {
public:
    sqlite_statement(sqlite3* db, std::string_view sql)
    {
        auto const size = static_cast<int>(sql.size());
        int const code = sqlite3_prepare_v3(db, sql.data(), size, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
        if (code != SQLITE_OK) refuse(db, code);
    }
    ~sqlite_statement() override { sqlite3_finalize(handle_); }

    void bind(std::int64_t value) override { check(sqlite3_bind_int64(handle_, ++next_, value)); }
    void bind(stored_text value) override
    {
        // An empty view may have a null pointer, which SQLite treats as NULL.
        char const* const data = value.bytes.empty() ? "" : value.bytes.data();
        std::size_t const size = value.bytes.size();
        check(value.sealed ? sqlite3_bind_blob64(handle_, ++next_, data, size, SQLITE_STATIC)
                           : sqlite3_bind_text64(handle_, ++next_, data, size, SQLITE_STATIC, SQLITE_UTF8));
    }
    auto step() -> bool override
    {
        int const code = sqlite3_step(handle_);
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) {
            // The message is that of the last call: store it before the reset.
            try {
                refuse(sqlite3_db_handle(handle_), code);
            } catch (...) {
                reset();
                throw;
            }
        }
        reset();
        return false;
    }
    auto changes() -> int override { return sqlite3_changes(sqlite3_db_handle(handle_)); }
    void reset() noexcept override
    {
        sqlite3_reset(handle_);
        sqlite3_clear_bindings(handle_);
        next_ = 0;
    }
    [[nodiscard]] auto columns() const -> int override { return sqlite3_column_count(handle_); }
    [[nodiscard]] auto is_null(int column) const -> bool override
    {
        return sqlite3_column_type(handle_, column) == SQLITE_NULL;
    }
    [[nodiscard]] auto integer(int column) const -> std::int64_t override
    {
        return sqlite3_column_int64(handle_, column);
    }
    [[nodiscard]] auto text(int column) const -> std::string_view override
    {
        // As a blob: a text column is never converted, whatever type a damaged file gives it.
        void const* const data = sqlite3_column_blob(handle_, column);
        int const size = sqlite3_column_bytes(handle_, column);
        if (data == nullptr || size <= 0) return {};
        return {static_cast<char const*>(data), static_cast<std::size_t>(size)};
    }
    [[nodiscard]] auto hash(int column) const -> digest override { return digest_from(text(column)); }

private:
    void check(int code)
    {
        if (code != SQLITE_OK) refuse(sqlite3_db_handle(handle_), code);
    }

    sqlite3_stmt* handle_ = nullptr;
    int next_ = 0;
};

}  // namespace

auto sqlite_error::is_damage() const noexcept -> bool
{
    // SQLITE_ERROR: the statements are correct, so the tables are not.
    return code() == SQLITE_CORRUPT || code() == SQLITE_NOTADB || code() == SQLITE_ERROR || code() == SQLITE_CONSTRAINT
        || code() == SQLITE_MISMATCH || code() == SQLITE_SCHEMA || code() == SQLITE_FORMAT || code() == SQLITE_TOOBIG;
}

auto sqlite_error::is_read_only() const noexcept -> bool
{
    return code() == SQLITE_READONLY;
}

auto sqlite_error::is_without_index() const noexcept -> bool
{
    return code_ == SQLITE_IOERR_SHMSIZE;
}

sqlite_database::sqlite_database(std::filesystem::path const& file, int flags)
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

sqlite_database::sqlite_database(std::filesystem::path const& file, open_mode mode)
    : sqlite_database(file, SQLITE_OPEN_READWRITE)
{
    // A connection that cannot use the index of the log would remove the log on closing, although it has copied nothing.
    preserve();
    static constexpr char const* settings = "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
                                            "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;";
    if (mode == open_mode::read_write) {
        execute(settings);
        preserve(false);
        return;
    }
    // To read a log, SQLite needs files beside it. If they cannot be created, and there is no log, the file alone is
    // the state.
    try {
        execute(settings);
        // Tables are read once, from the first page to the last: more pages would only take memory.
        execute("PRAGMA query_only = ON; PRAGMA cache_size = 16;");
        [[maybe_unused]] auto const version = pragma("schema_version");
        preserve(false);
    } catch (sqlite_error const& error) {
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
        *this = sqlite_database(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
}

auto sqlite_database::make_empty(std::filesystem::path const& file) -> sqlite_database
{
    // SQLite gives the files that it creates beside this one the same permissions.
    throw_on(make_private_file(file));
    return {file, SQLITE_OPEN_READWRITE};
}

void sqlite_database::make(std::filesystem::path const& file)
{
    sqlite_database db = make_empty(file);
    db.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN;");
    db.execute("PRAGMA application_id = " + std::to_string(application_id));
    db.execute("PRAGMA user_version = " + std::to_string(format_version));
    db.execute(sqlite_object_tables());
    db.execute(sqlite_tables());
    meta_row meta;
    meta.insert(db);
    db.execute("COMMIT;");
}

sqlite_database::sqlite_database(sqlite_database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

auto sqlite_database::operator=(sqlite_database&& other) noexcept -> sqlite_database&
{
    std::swap(handle_, other.handle_);
    return *this;
}

sqlite_database::~sqlite_database()
{
    // Existing statements keep it open until they are destroyed.
    sqlite3_close_v2(handle_);
}

void sqlite_database::execute(std::string const& sql)
{
    int const code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) refuse(handle_, code);
}

auto sqlite_database::prepare(std::string_view sql) -> statement
{
    return statement(std::make_unique<sqlite_statement>(handle_, sql));
}

void sqlite_database::begin(purpose why)
{
    execute(why == purpose::writing ? "BEGIN IMMEDIATE" : "BEGIN");
}

auto sqlite_database::properties() const -> dialect const&
{
    static dialect const only;
    return only;
}

auto sqlite_database::pragma(std::string_view name) -> std::int64_t
{
    statement query = prepare("PRAGMA " + std::string(name));
    return query.step() ? query.integer(0) : 0;
}

auto sqlite_database::quick_check() -> std::string
{
    try {
        statement query = prepare("PRAGMA quick_check(1)");
        if (!query.step()) return {};
        std::string const found(query.text(0));
        return found == "ok" ? std::string() : found;
    } catch (sqlite_error const& error) {
        return error.what();
    }
}

auto sqlite_database::integrity_check() -> std::vector<std::string>
{
    std::vector<std::string> found;
    try {
        statement query = prepare("PRAGMA integrity_check(100)");
        while (query.step())
            if (query.text(0) != "ok") found.emplace_back(query.text(0));
    } catch (sqlite_error const& error) {
        if (!error.is_damage()) throw;
        found.emplace_back(error.what());
    }
    return found;
}

void sqlite_database::copy_to(std::filesystem::path const& file)
{
    sqlite_database target = make_empty(file);
    target.execute("PRAGMA synchronous = OFF;");
    sqlite3_backup* const copy = sqlite3_backup_init(target.handle_, "main", handle_, "main");
    if (copy == nullptr) refuse(target.handle_, sqlite3_errcode(target.handle_));
    int const step = sqlite3_backup_step(copy, -1);
    int const code = sqlite3_backup_finish(copy);
    if (step != SQLITE_DONE || code != SQLITE_OK) refuse(target.handle_, step != SQLITE_DONE ? step : code);
}

void sqlite_database::watch_log(int& pages) noexcept
{
    auto const hook = [](void* target, sqlite3*, char const*, int count) {
        *static_cast<int*>(target) = count;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle_, hook, &pages);
}

void sqlite_database::wait_for_others(bool patiently) noexcept
{
    constexpr int short_while = 200;  // milliseconds
    if (patiently) sqlite3_busy_handler(handle_, wait_for_other, handle_);
    else sqlite3_busy_timeout(handle_, short_while);
}

void sqlite_database::preserve(bool unchanged) noexcept
{
    if (handle_ != nullptr) sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, unchanged ? 1 : 0, nullptr);
}

void sqlite_database::rewrite_log(std::filesystem::path const& log)
{
    transaction const alone(*this, purpose::writing);
    file_descriptor const file(::open(log.c_str(), O_RDWR | O_CLOEXEC));
    if (!file) throw_on(last_error());
    std::string part(std::size_t{1} << 20U, '\0');
    for (off_t at = 0;;) {
        ssize_t const got = ::pread(file.get(), part.data(), part.size(), at);
        if (got < 0) throw_on(last_error());
        if (got == 0) break;
        for (ssize_t done = 0; done < got;) {
            ssize_t const written =
                ::pwrite(file.get(), part.data() + done, static_cast<std::size_t>(got - done), at + done);
            if (written < 0) throw_on(last_error());
            done += written;
        }
        at += got;
    }
    if (::fdatasync(file.get()) != 0) throw_on(last_error());
}

}  // namespace iacctl::state
