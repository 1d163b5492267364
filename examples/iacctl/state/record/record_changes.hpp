// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECORD_CHANGES_HPP
#define IACCTL_STATE_RECORD_RECORD_CHANGES_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iacctl::state {

namespace infra = strider::infra;

/// An entry as its row has it.
struct written_entry {
    infra::journal_entry const* source;
    std::string address;  ///< empty for entries about the state as a whole
    std::string operation;  ///< that it begins or ends; otherwise empty
    std::string document;
};

/// The entries of a batch about an address.
struct touched_address {
    std::size_t last = 0;  ///< the index of the last entry about it
    bool changes_objects = false;  ///< an entry that only begins an operation changes none
};

/// An operation that a batch begins or ends.
struct touched_operation {
    std::string name;
    std::string document;  ///< of the begin, if the batch has it
};

/// The records that a batch of entries writes, and their texts.
struct record_changes {
    std::vector<written_entry> entries;
    std::map<infra::address, touched_address> addresses;
    std::vector<std::string> outputs;  ///< sorted; the name of the results of checks is empty
    std::vector<touched_operation> operations;  ///< sorted by name
    infra::document checks;  ///< the results of checks after the batch

    /// The record of an output after the batch; nothing: there is none.
    [[nodiscard]] auto output(std::string const& name, infra::snapshot const& after) const
        -> std::optional<std::string>;
    /// The record of a pending operation after the batch; nothing: it has ended.
    [[nodiscard]] static auto pending(touched_operation const& operation, infra::snapshot const& after)
        -> std::optional<std::string>;
};

/// \param checks  the results of checks after the batch: those of `after`, merged with what others have saved
[[nodiscard]] auto changes_of(std::span<infra::journal_entry const> batch, infra::document checks) -> record_changes;

/// Returns whether an entry of the batch has results of checks.
[[nodiscard]] auto has_checks(std::span<infra::journal_entry const> batch) -> bool;

/// "aws_instance.web[0]": the address of an entry as its row has it.
[[nodiscard]] auto address_of(infra::journal_entry const& entry) -> std::string;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECORD_CHANGES_HPP
