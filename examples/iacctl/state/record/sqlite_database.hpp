// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_SQLITE_DATABASE_HPP
#define IACCTL_STATE_RECORD_SQLITE_DATABASE_HPP

#include "database.hpp"
#include "state/backend.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace iacctl::state {

/// An error of SQLite. It is thrown inside this folder only: public functions convert it into a diagnostic.
class sqlite_error final : public database_error {
public:
    sqlite_error(int code, std::string const& message) : database_error(message), code_(code) {}

    /// SQLite's primary result code.
    [[nodiscard]] auto code() const noexcept -> int { return code_ & 0xFF; }
    [[nodiscard]] auto is_damage() const noexcept -> bool override;
    [[nodiscard]] auto is_read_only() const noexcept -> bool override;
    /// Returns whether there was no space for the index of the log, which the first process that uses the file creates.
    [[nodiscard]] auto is_without_index() const noexcept -> bool;

private:
    int code_;
};

/// A connection to the database of a workspace.
class sqlite_database final : public database {
public:
    /// Opens an existing file, without further checks.
    sqlite_database(std::filesystem::path const& file, open_mode mode);
    /// Creates a new file with empty tables. It is complete and closed when this returns.
    /// \throws sqlite_error, std::system_error
    static void make(std::filesystem::path const& file);
    sqlite_database(sqlite_database&&) noexcept;
    auto operator=(sqlite_database&&) noexcept -> sqlite_database&;
    ~sqlite_database();

    void execute(std::string const& sql) override;
    [[nodiscard]] auto prepare(std::string_view sql) -> statement override;
    void begin(purpose why) override;
    [[nodiscard]] auto properties() const -> dialect const& override;
    [[nodiscard]] auto pragma(std::string_view name) -> std::int64_t;
    /// The first problem that SQLite's quick check finds; empty if there is none.
    [[nodiscard]] auto quick_check() -> std::string;
    /// All problems that SQLite's thorough check finds, which also reads indexes.
    [[nodiscard]] auto integrity_check() -> std::vector<std::string>;
    /// Copies all of it into a new file, in one consistent state.
    /// \throws sqlite_error, std::system_error
    void copy_to(std::filesystem::path const& file);
    /// Stores the number of pages in the log in `pages` after each commit. `pages` must outlive this object.
    void watch_log(int& pages) noexcept;
    /// Sets the time to wait for transactions of other processes. Patiently: one minute, or five seconds if the other
    /// process is stopped. Otherwise a short time.
    void wait_for_others(bool patiently) noexcept;
    /// Leaves the files unchanged on closing, as they may be evidence.
    /// \param unchanged  false: the last connection copies the log into the database, as usual
    void preserve(bool unchanged = true) noexcept;
    /// Writes the content of the log again, and makes it durable, while no other process can write.
    ///
    /// The process that wrote the log may have received an error when it synchronized it. The system then treats the pages as
    /// written: it shows them to other processes, and their synchronizations do not write them.
    /// \throws sqlite_error, std::system_error
    void rewrite_log(std::filesystem::path const& log);

private:
    sqlite_database(std::filesystem::path const& file, int flags);
    static auto make_empty(std::filesystem::path const& file) -> sqlite_database;

    sqlite3* handle_ = nullptr;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_SQLITE_DATABASE_HPP
