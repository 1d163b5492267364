// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_KEY_CHANGE_HPP
#define IACCTL_STATE_RECORD_KEY_CHANGE_HPP

#include "base/expected.hpp"
#include "database.hpp"
#include "digest.hpp"
#include "record_cipher.hpp"
#include "state/state_error.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The change of the key that encrypts the records of a state, which is the same for every database.
namespace iacctl::state {

/// A table with encrypted texts.
struct sealed_table {
    std::string_view name;
    std::string_view kind;  ///< of its records, in messages
    std::string_view number;  ///< the column that identifies a record; empty: `names` do
    std::vector<std::string_view> names;
    std::string_view version;  ///< the column to which texts are bound, or "0"
    std::vector<std::string_view> values;  ///< further columns in the place or the hash of a record
    std::vector<std::string_view> texts;
};
/// A row of such a table. The members are in the order of its columns.
struct sealed_record {
    std::int64_t number = 0;
    std::int64_t version = 0;
    std::vector<std::string> names;
    std::vector<std::int64_t> values;
    std::vector<std::string> texts;
    digest hash{};
};

/// Stores the texts and hashes of some records.
using record_writer = std::function<void(sealed_table const&, std::span<sealed_record const>)>;

/// Decrypts all records with one cipher and encrypts them with another, inside a transaction.
/// \param sum  of the hashes of all rows; set to the new one
/// \return a failure if a record is damaged: then the transaction must be rolled back
/// \throws database_error
[[nodiscard]] auto reseal_records(database& db, state_site const& site, record_cipher const& from,
    record_cipher const& to, content_sum& sum, record_writer const& write) -> expected<void>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_KEY_CHANGE_HPP
