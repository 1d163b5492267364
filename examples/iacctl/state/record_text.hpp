// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_TEXT_HPP
#define IACCTL_STATE_RECORD_TEXT_HPP

#include "base/json.hpp"
#include "dependency_catalog.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <optional>
#include <string>
#include <string_view>

/// The canonical texts of the parts of state, which are stored and hashed: one text for each value. The functions that
/// read return nothing for a text that no function here writes, or that refers to a set that the catalog lacks.
namespace iacctl::state {

namespace infra = strider::infra;

/// All members of an object except its attributes, which have their own column.
[[nodiscard]] auto text_of(infra::object const& o) -> std::string;
[[nodiscard]] auto read_object(std::string_view document, std::string attributes, dependency_catalog const& sets)
    -> std::optional<infra::object>;

/// Appends a set without parts as the list of its names, any other as its key in a catalog.
void append_dependencies(std::string& out, infra::dependency_set const& set);
[[nodiscard]] auto read_dependencies(json const& from, dependency_catalog const& sets)
    -> std::optional<infra::dependency_set>;

[[nodiscard]] auto text_of(infra::output_value const& value) -> std::string;
[[nodiscard]] auto read_output(std::string_view document) -> std::optional<infra::output_value>;

[[nodiscard]] auto text_of(infra::pending_operation const& operation) -> std::string;
[[nodiscard]] auto read_operation(std::string_view document) -> std::optional<infra::pending_operation>;
[[nodiscard]] auto read_operation(json const& document) -> std::optional<infra::pending_operation>;

/// \param of_operation  if it is not null and the entry has an operation, receives the text of that, as `text_of` makes it
[[nodiscard]] auto text_of(infra::journal_entry const& entry, std::string* of_operation = nullptr) -> std::string;
[[nodiscard]] auto read_entry(std::string_view document, dependency_catalog const& sets)
    -> std::optional<infra::journal_entry>;

[[nodiscard]] auto to_string(infra::journal_entry::kind_type kind) noexcept -> std::string_view;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_TEXT_HPP
