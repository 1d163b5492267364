// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_DATABASE_HPP
#define IACCTL_STATE_RECORD_DATABASE_HPP

#include "base/database_error.hpp"
#include "digest.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

/// The port of the record store: all that it requires of a database. There are two adapters, `sqlite_database` and
/// `backends::pg_records`.
///
/// Both have one model of records. The tables `resource`, `dependency_set`, `output` and `pending` are the state, one
/// row per record, each with the hash of its texts; a header has the sum of these hashes. `entry` is the history: the
/// entries of the journal, which begin and end operations and set records, and from which the state can be made again.
/// `generation` has a row for each command that changed the state. Texts may be encrypted, each bound to its place. A
/// transaction adds entries, replaces the records that they change, and renews the header: it is durable before the
/// append returns, and an operation begins only after that.
///
/// The dialects differ in these points, all of them properties or functions of an adapter:
///
/// | | SQLite | PostgreSQL |
/// |---|---|---|
/// | rows | of one workspace in one file | of all workspaces in one schema: `dialect::own_rows` |
/// | a change of a row | its position in the history | a version from a sequence |
/// | a destroyed object | a row that is marked until the command ends | no row |
/// | encrypted texts | blobs | base64, bound to workspace and version, too |
/// | other writers | the header has changed | the session of this process has ended |
/// | locks | files | rows and advisory locks of sessions |
/// | state before the history | backups | the table `base` |
/// | lost commits | the mark, the log | the server |
namespace iacctl::state {

/// The content of a column of records. Encrypted content is stored as bytes.
struct stored_text {
    std::string_view bytes;
    bool sealed = false;
};

/// A prepared statement, whose parameters are $1, $2 ... in this order. Bound texts must live until the next `step` or
/// `run` returns.
class statement {
public:
    /// The interface that an adapter implements.
    class driver {
    public:
        driver() = default;
        driver(driver const&) = delete;
        auto operator=(driver const&) -> driver& = delete;
        virtual ~driver() = default;

        virtual void bind(std::int64_t value) = 0;
        virtual void bind(stored_text value) = 0;
        virtual auto step() -> bool = 0;
        virtual auto changes() -> int = 0;
        virtual void reset() noexcept = 0;
        [[nodiscard]] virtual auto columns() const -> int = 0;
        [[nodiscard]] virtual auto is_null(int column) const -> bool = 0;
        [[nodiscard]] virtual auto integer(int column) const -> std::int64_t = 0;
        [[nodiscard]] virtual auto text(int column) const -> std::string_view = 0;
        [[nodiscard]] virtual auto hash(int column) const -> digest = 0;
    };

    statement() = default;
    explicit statement(std::unique_ptr<driver> d) : driver_(std::move(d)) {}

    auto bind(std::int64_t value) -> statement&
    {
        driver_->bind(value);
        return *this;
    }
    auto bind(stored_text value) -> statement&
    {
        driver_->bind(value);
        return *this;
    }
    auto bind(std::string_view value) -> statement& { return bind(stored_text{value, false}); }
    auto bind(digest const& value) -> statement&
    {
        return bind(stored_text{{reinterpret_cast<char const*>(value.data()), value.size()}, true});
    }

    /// \return whether there is a row; after the last one, new values can be bound
    [[nodiscard]] auto step() -> bool { return driver_->step(); }
    /// Runs a statement that returns no rows. \return the number of rows that it changed
    auto run() -> int
    {
        while (step()) {}
        return driver_->changes();
    }
    void reset() noexcept { driver_->reset(); }

    [[nodiscard]] auto columns() const -> int { return driver_->columns(); }
    [[nodiscard]] auto is_null(int column) const -> bool { return driver_->is_null(column); }
    [[nodiscard]] auto integer(int column) const -> std::int64_t { return driver_->integer(column); }
    /// Valid until the next `step`. Empty for NULL.
    [[nodiscard]] auto text(int column) const -> std::string_view { return driver_->text(column); }
    /// All zero if the column does not contain a digest.
    [[nodiscard]] auto hash(int column) const -> digest { return driver_->hash(column); }

private:
    std::unique_ptr<driver> driver_;
};

/// The columns of records that only one of the databases has. The other one has constants in their place.
struct dialect {
    std::string schema;  ///< what precedes the name of a table
    std::string own_rows = "TRUE";  ///< the condition for rows of this workspace
    std::string_view number = "number";  ///< of a row of `resource`, which identifies it; empty: its names do
    std::string_view position = "position";  ///< of a row of `resource`, which its hash includes
    std::string_view deleted = "deleted";  ///< whether the object of such a row was destroyed
    std::string_view version = "0";  ///< of a row, to which encryption binds its texts
    std::string_view hashed_sequence = "sequence";  ///< of a row of `entry`, which its hash includes
    bool is_gapless = true;  ///< entries of a workspace have consecutive sequences
    bool has_base = false;  ///< `base` has the state before the history
};

/// A connection to the records of a workspace. Calls must be sequential. \throws database_error
class database {
public:
    enum class purpose : std::uint8_t { reading, writing };

    virtual ~database() = default;

    /// Executes statements that are separated by semicolons.
    virtual void execute(std::string const& sql) = 0;
    [[nodiscard]] virtual auto prepare(std::string_view sql) -> statement = 0;
    /// Begins a transaction: see `transaction`. One for reading sees one state of all tables.
    virtual void begin(purpose why) = 0;
    [[nodiscard]] virtual auto properties() const -> dialect const& = 0;

    [[nodiscard]] auto table(std::string_view name) const -> std::string
    {
        return properties().schema + std::string(name);
    }
    /// "FROM entry WHERE ...": the rows of this workspace, to which a condition can be appended with AND.
    [[nodiscard]] auto rows_of(std::string_view name) const -> std::string
    {
        return " FROM " + table(name) + " WHERE " + properties().own_rows;
    }

protected:
    database() = default;
    database(database const&) = default;
    database(database&&) = default;
    auto operator=(database const&) -> database& = default;
    auto operator=(database&&) -> database& = default;
};

/// Several statements that take effect together or not at all. The destructor rolls back what was not committed.
class transaction {
public:
    transaction(database& db, database::purpose why) : db_(&db) { db.begin(why); }
    transaction(transaction const&) = delete;
    auto operator=(transaction const&) -> transaction& = delete;
    ~transaction()
    {
        if (db_ == nullptr) return;
        try {
            db_->execute("ROLLBACK");
        } catch (database_error const&) {
            // The database has already done so, the disk fails, or the connection is lost.
        }
    }
    void commit()
    {
        db_->execute("COMMIT");
        db_ = nullptr;
    }

private:
    database* db_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_DATABASE_HPP
