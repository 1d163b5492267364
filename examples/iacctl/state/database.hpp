// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DATABASE_HPP
#define IACCTL_STATE_DATABASE_HPP

#include "backend.hpp"
#include "digest.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace iacctl::state {

/// An error of SQLite. It is thrown inside this folder only: public functions convert it into a diagnostic.
class database_error : public std::runtime_error {
public:
    database_error(int code, std::string const& message) : std::runtime_error(message), code_(code) {}

    /// SQLite's primary result code.
    [[nodiscard]] auto code() const noexcept -> int { return code_ & 0xFF; }
    /// Returns whether the file is damaged or not a database.
    [[nodiscard]] auto is_damage() const noexcept -> bool;
    /// Returns whether the file can be read but not written.
    [[nodiscard]] auto is_read_only() const noexcept -> bool;
    /// Returns whether there was no space for the index of the log, which the first process that uses the file creates.
    [[nodiscard]] auto is_without_index() const noexcept -> bool;

private:
    int code_;
};

/// The content of a column of records. Encrypted content is stored as a blob.
struct stored_text {
    std::string_view bytes;
    bool sealed = false;
};

/// A prepared statement. Bound texts must live until the next `step` or `run` returns.
class statement {
public:
    statement() = default;
    statement(sqlite3* db, std::string_view sql);
    statement(statement&&) noexcept;
    auto operator=(statement&&) noexcept -> statement&;
    ~statement();

    auto bind(std::int64_t value) -> statement&;
    auto bind(std::string_view value) -> statement&;
    auto bind(digest const& value) -> statement&;
    auto bind(stored_text value) -> statement&;

    /// \return whether there is a row; after the last one, new values can be bound
    [[nodiscard]] auto step() -> bool;
    /// Runs a statement that returns no rows. \return the number of rows that it changed
    auto run() -> int;
    void reset() noexcept;

    [[nodiscard]] auto columns() const -> int;
    [[nodiscard]] auto integer(int column) const -> std::int64_t;
    /// Valid until the next `step`.
    [[nodiscard]] auto text(int column) const -> std::string_view;
    /// All zero if the column does not contain a digest.
    [[nodiscard]] auto hash(int column) const -> digest;

private:
    sqlite3_stmt* handle_ = nullptr;
    int next_ = 0;
};

/// A connection to the database of a workspace.
class database {
public:
    /// Opens an existing file, without further checks.
    database(std::filesystem::path const& file, open_mode mode);
    /// Creates a new file with empty tables. It is complete and closed when this returns.
    /// \throws database_error, std::system_error
    static void make(std::filesystem::path const& file);
    database(database&&) noexcept;
    auto operator=(database&&) noexcept -> database&;
    ~database();

    void execute(char const* sql);
    [[nodiscard]] auto prepare(std::string_view sql) -> statement;
    [[nodiscard]] auto pragma(std::string_view name) -> std::int64_t;
    /// The first problem that SQLite's quick check finds; empty if there is none.
    [[nodiscard]] auto quick_check() -> std::string;
    /// All problems that SQLite's thorough check finds, which also reads indexes.
    [[nodiscard]] auto integrity_check() -> std::vector<std::string>;
    /// Copies all of it into a new file, in one consistent state.
    /// \throws database_error, std::system_error
    void copy_to(std::filesystem::path const& file);
    /// Stores the number of pages in the log in `pages` after each commit. `pages` must outlive this object.
    void watch_log(int& pages) noexcept;
    /// Sets the time to wait for transactions of other processes. Patiently: one minute, or five seconds if the other
    /// process is stopped. Otherwise a short time.
    void wait_for_others(bool patiently) noexcept;
    /// Leaves the files unchanged on closing, as they may be evidence.
    void preserve() noexcept;

private:
    database(std::filesystem::path const& file, int flags);
    static auto make_empty(std::filesystem::path const& file) -> database;

    sqlite3* handle_ = nullptr;
};

/// Several statements that take effect together or not at all. The destructor rolls back what was not committed.
class transaction {
public:
    enum class purpose : std::uint8_t { reading, writing };

    transaction(database& db, purpose why);
    transaction(transaction const&) = delete;
    auto operator=(transaction const&) -> transaction& = delete;
    ~transaction();
    void commit();

private:
    database* db_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DATABASE_HPP
