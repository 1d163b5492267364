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

/// What SQLite refuses. Thrown inside this folder only: each public function turns it into a diagnostic.
class database_error : public std::runtime_error {
public:
    database_error(int code, std::string const& message) : std::runtime_error(message), code_(code) {}

    /// SQLite's primary result code.
    [[nodiscard]] auto code() const noexcept -> int { return code_ & 0xFF; }
    /// The file is not what SQLite or we have written.
    [[nodiscard]] auto is_damage() const noexcept -> bool;
    /// The file may be read, but not written.
    [[nodiscard]] auto is_read_only() const noexcept -> bool;

private:
    int code_;
};

/// The content of a column of records. SQLite keeps what is sealed as a blob: it is no text.
struct stored_text {
    std::string_view bytes;
    bool sealed = false;
};

/// A prepared statement. Texts that are bound must live until the next `step` or `run` returns.
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
    auto bind_null() -> statement&;

    /// \return is there a row? After the last one the statement is ready for new values.
    [[nodiscard]] auto step() -> bool;
    /// Runs a statement that gives no rows. \return the number of rows that it changed
    auto run() -> int;
    void reset() noexcept;

    [[nodiscard]] auto columns() const -> int;
    [[nodiscard]] auto integer(int column) const -> std::int64_t;
    /// Valid until the next `step`.
    [[nodiscard]] auto text(int column) const -> std::string_view;
    /// All zero if the column does not hold a digest.
    [[nodiscard]] auto hash(int column) const -> digest;

private:
    sqlite3_stmt* handle_ = nullptr;
    int next_ = 0;
};

/// A connection to the database of a workspace.
class database {
public:
    /// Opens an existing file, and checks nothing but that it can be opened.
    database(std::filesystem::path const& file, open_mode mode);
    /// Makes a new file with our tables and no content, complete and closed when this returns.
    /// \throws database_error, std::system_error
    static void make(std::filesystem::path const& file);
    database(database&&) noexcept;
    auto operator=(database&&) noexcept -> database&;
    ~database();

    void execute(char const* sql);
    [[nodiscard]] auto prepare(std::string_view sql) -> statement;
    [[nodiscard]] auto pragma(std::string_view name) -> std::int64_t;
    /// What SQLite's own check finds; empty: nothing.
    [[nodiscard]] auto quick_check() -> std::string;
    /// All that SQLite's thorough check finds, which reads indexes, too.
    [[nodiscard]] auto integrity_check() -> std::vector<std::string>;
    /// Copies all of it into a new file, in one consistent state.
    /// \throws database_error, std::system_error
    void copy_to(std::filesystem::path const& file);
    /// Keeps the number of pages in the log in `pages`, which must outlive this.
    void watch_log(int& pages) noexcept;
    /// Waits for transactions of other processes: for a minute, or five seconds if the other process is stopped. Otherwise for a
    /// short while.
    void wait_for_others(bool patiently) noexcept;
    /// Leaves the files as they are when it is closed: they may be evidence.
    void preserve() noexcept;

private:
    database(std::filesystem::path const& file, int flags);
    static auto make_empty(std::filesystem::path const& file) -> database;

    sqlite3* handle_ = nullptr;
};

/// Several statements that take effect together, or not at all: takes back what was not committed.
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
