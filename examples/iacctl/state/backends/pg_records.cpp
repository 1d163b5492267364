// SPDX-License-Identifier: BSL-1.0
#include "pg_records.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace iacctl::backends {

namespace {

class pg_statement final : public state::statement::driver {
public:
    pg_statement(postgres::connection& on, std::string_view sql) : on_(&on), sql_(sql) {}

    void bind(std::int64_t value) override { values_.add(value); }
    void bind(state::stored_text value) override
    {
        if (value.sealed) values_.add_bytes(value.bytes);
        else values_.add(std::string(value.bytes));
    }
    auto step() -> bool override
    {
        if (!rows_) {
            rows_ = on_->query(sql_, std::exchange(values_, {}));
            changed_ = rows_->changed();
            row_ = -1;
        }
        if (++row_ < rows_->size()) return true;
        reset();
        return false;
    }
    auto changes() -> int override { return changed_; }
    void reset() noexcept override
    {
        rows_.reset();
        values_ = {};
    }
    [[nodiscard]] auto columns() const -> int override { return rows_ ? rows_->columns() : 0; }
    [[nodiscard]] auto is_null(int column) const -> bool override { return rows_->is_null(row_, column); }
    [[nodiscard]] auto integer(int column) const -> std::int64_t override { return rows_->integer(row_, column); }
    [[nodiscard]] auto text(int column) const -> std::string_view override { return rows_->text(row_, column); }
    [[nodiscard]] auto hash(int column) const -> state::digest override
    {
        return state::digest_from(rows_->bytes(row_, column));
    }

private:
    postgres::connection* on_;
    std::string sql_;
    postgres::parameters values_;
    std::optional<postgres::result_set> rows_;
    int row_ = -1;
    int changed_ = 0;
};

}  // namespace

pg_records::pg_records(postgres::connection& on, std::string const& schema, std::int64_t workspace) : on_(&on)
{
    dialect_.schema = schema + ".";
    dialect_.own_rows = "workspace = " + std::to_string(workspace);
    dialect_.number = {};
    dialect_.position = "0";
    dialect_.deleted = "0";
    dialect_.version = "version";
    dialect_.hashed_sequence = "0";
    dialect_.is_gapless = false;
    dialect_.has_base = true;
}

void pg_records::execute(std::string const& sql)
{
    on_->execute(sql);
}

auto pg_records::prepare(std::string_view sql) -> state::statement
{
    return state::statement(std::make_unique<pg_statement>(*on_, sql));
}

void pg_records::begin(purpose why)
{
    // A writing transaction reads with each statement what others have committed before.
    on_->execute(why == purpose::reading ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                                         : "BEGIN ISOLATION LEVEL READ COMMITTED");
}

}  // namespace iacctl::backends
