// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECORDS_HPP
#define IACCTL_STATE_RECORD_RECORDS_HPP

#include "base/expected.hpp"
#include "database.hpp"
#include "digest.hpp"
#include "record_cipher.hpp"
#include "state/dependency_catalog.hpp"
#include "state/encryption/target.hpp"
#include "state/state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The records of a state, as every database stores them.
namespace iacctl::state {

/// The row about a state as a whole, as every database has it.
struct state_header {
    std::int64_t format = 0;
    std::string features;  ///< what a program must support beyond the format; empty: nothing
    std::string lineage;  ///< empty: nothing has been written yet
    std::int64_t serial = 0;
    std::string encryption;  ///< metadata of the key; empty: nothing is encrypted
    std::string seal;  ///< made with the key

    /// Sets the lineage and the serial.
    void describe(infra::snapshot& s) const;
};
/// Checks that this program supports a state. \param newest  the newest format that it supports
[[nodiscard]] auto check_support(state_header const& header, std::int64_t newest, std::string const& place)
    -> expected<void>;

/// The key of the records of a state.
struct record_key {
    record_cipher cipher;
    std::string metadata;  ///< as the header has it; empty: nothing is encrypted
    bool is_current = true;  ///< the configuration encrypts with the same method
};
/// Finds the key that has made a seal.
/// \param subject    the name of the state in messages
/// \param workspace  of the records, if they are bound to it
/// \return a failure if there is none, or if an unencrypted state is not accepted
[[nodiscard]] auto find_key(state_header const& header, record_place const& of_seal, encryption::target const& methods,
    std::string const& subject, std::optional<std::int64_t> workspace = {}) -> expected<record_key>;

/// A record of a part of the state, and its version.
struct part_version {
    std::string part;
    std::int64_t version;
};

/// The records of a state, and their sums.
struct state_records {
    record_key key;
    infra::snapshot snapshot;
    dependency_catalog sets;
    std::int64_t last_set = 0;  ///< the position of the last one
    std::vector<part_version> versions;  ///< of objects, outputs and pending operations
    content_sum sum;  ///< of the hashes of all rows
    std::optional<bool> is_complete;  ///< the rows add up to the sum in the header; nothing: that cannot be said
    std::uint64_t rows = 0;  ///< of objects, outputs and pending operations
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;  ///< bytes of the largest row
    infra::diagnostics damaged;  ///< one per record, or per error of the database
};
/// Reads all records with the key in `to`, and checks each against its hash. Damaged ones are left out.
/// \throws database_error for errors other than damage
void read_records(database& db, state_site const& site, field_hasher& hasher, state_records& to);

/// Reads sets of dependencies. \return the ids of the damaged sets
/// \param last  the position after which to read; set to the position of the last one
/// \throws database_error
[[nodiscard]] auto read_dependency_sets(database& db, field_hasher& hasher, dependency_catalog& to, content_sum& sum,
    std::int64_t& last) -> std::vector<std::string>;

[[nodiscard]] auto resource_hash(field_hasher& hasher, std::string_view address, std::string_view deposed,
    std::int64_t position, bool deleted, std::string_view attributes, std::string_view document) -> digest;
[[nodiscard]] auto dependency_set_hash(field_hasher& hasher, std::string_view id, std::string_view document) -> digest;
[[nodiscard]] auto output_hash(field_hasher& hasher, std::string_view name, std::string_view document) -> digest;
[[nodiscard]] auto pending_hash(field_hasher& hasher, std::string_view operation, std::string_view document) -> digest;
[[nodiscard]] auto entry_hash(field_hasher& hasher, std::int64_t sequence, std::int64_t generation, std::int64_t epoch,
    std::int64_t time, std::string_view document) -> digest;

/// The error for a record that differs from what was written. \param kind  `resource`, `output`, ...
[[nodiscard]] auto damaged_record(state_site const& site, std::string_view kind, std::string_view name)
    -> infra::diagnostic;
/// The error for a database of which a part cannot be read.
[[nodiscard]] auto damaged_database(state_site const& site, database_error const& error) -> infra::diagnostic;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECORDS_HPP
