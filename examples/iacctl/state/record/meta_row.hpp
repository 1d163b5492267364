// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_META_ROW_HPP
#define IACCTL_STATE_RECORD_META_ROW_HPP

#include "commit_mark.hpp"
#include "digest.hpp"
#include "records.hpp"
#include "schema.hpp"
#include "sqlite_database.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace iacctl::state {

/// The header of a state in SQLite. The seal is of `hash`, as it was read.
struct meta_row : state_header {
    meta_row() { format = format_version; }

    std::int64_t epoch = 0;
    std::int64_t generation = 0;
    std::int64_t sequence = 0;  ///< of the last entry
    content_sum content;

    [[nodiscard]] auto point() const noexcept -> commit_point { return {epoch, sequence}; }
    /// Distinguishes the contents of one state.
    [[nodiscard]] auto content_id() const -> std::string
    {
        return std::to_string(serial) + "-" + to_hex(content.bytes());
    }
    [[nodiscard]] auto hash(field_hasher& hasher) const -> digest
    {
        hasher.start("meta").field(format).field(features).field(lineage).field(serial).field(epoch);
        hasher.field(generation).field(sequence).field(content.bytes());
        if (format >= first_format_with_encryption) hasher.field(encryption);
        return hasher.finish();
    }
    void insert(database& db) const
    {
        field_hasher hasher;
        digest const sum = content.bytes();
        digest const sha256 = hash(hasher);
        statement add = db.prepare("INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        add.bind(format).bind(features).bind(lineage).bind(serial).bind(epoch).bind(generation).bind(sequence);
        add.bind(sum).bind(sha256).bind(encryption).bind(stored_text{seal, true}).run();
    }
    /// Nothing if the row is missing or invalid.
    [[nodiscard]] static auto read(database& db, field_hasher& hasher) -> std::optional<meta_row>
    {
        // The columns of encryption are the last ones, where the format has them.
        constexpr int columns_without_encryption = 10;
        statement query = db.prepare("SELECT * FROM meta");
        if (query.columns() < columns_without_encryption || !query.step()) return std::nullopt;
        meta_row row;
        row.format = query.integer(1);
        row.features = query.text(2);
        row.lineage = query.text(3);
        row.serial = query.integer(4);
        row.epoch = query.integer(5);
        row.generation = query.integer(6);
        row.sequence = query.integer(7);
        row.content = content_sum(query.hash(8));
        if (row.format >= first_format_with_encryption) {
            if (query.columns() != columns_without_encryption + 2) return std::nullopt;
            row.encryption = query.text(10);
            row.seal = query.text(11);
        }
        if (row.hash(hasher) != query.hash(9) || query.step()) return std::nullopt;
        return row;
    }
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_META_ROW_HPP
