// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_RECORDS_HPP
#define IACCTL_STATE_BACKENDS_PG_RECORDS_HPP

#include "state/postgres/connection.hpp"
#include "state/record/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// The records of a workspace in tables of PostgreSQL. A statement reads all of its rows when the first is requested.
/// \throws postgres::error
class pg_records final : public state::database {
public:
    /// \param on  must outlive this object \param schema  a quoted identifier \param workspace  its number
    pg_records(postgres::connection& on, std::string const& schema, std::int64_t workspace);

    void execute(std::string const& sql) override;
    [[nodiscard]] auto prepare(std::string_view sql) -> state::statement override;
    void begin(purpose why) override;
    [[nodiscard]] auto properties() const -> state::dialect const& override { return dialect_; }

private:
    postgres::connection* on_;
    state::dialect dialect_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_RECORDS_HPP
