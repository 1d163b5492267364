// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DOCUMENT_STATE_V4_HPP
#define IACCTL_STATE_DOCUMENT_STATE_V4_HPP

#include "base/expected.hpp"
#include "state/encryption/target.hpp"
#include "state/state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// The members with private data of providers about an object, in the order of the format.
inline constexpr std::array<std::string_view, 3> private_members{"identity_schema_version", "identity", "private"};

/// State in Terraform's interchange format, version 4. Equal states have equal bytes.
///
/// `private_members` of an instance are preserved as they were read. Documents of objects and outputs are JSON; a
/// document that is not is written as a JSON string. Pending operations, which the format does not define, are written
/// to `pending_operations` if there are any, or if `tell_operations` requests the list even if it is empty.
/// \param replaces  the identifiers of stored contents that this state may replace, in `replaces`
[[nodiscard]] auto to_v4(infra::snapshot const& s, std::string_view terraform_version, bool report_operations = false,
    std::vector<std::string> const& replaces = {}) -> std::string;

/// The members of a text in addition to the state.
struct v4_additions {
    bool reports_operations = false;  ///< there is a list of pending operations, even an empty one
    std::vector<std::string> replaces;  ///< see `to_v4`
};

/// Parses such a text. All violations of the format are reported with their places. An empty text is an error too,
/// since a crash can leave one. Attributes become canonical JSON.
/// \param more  receives the other members
[[nodiscard]] auto from_v4(std::string_view text, v4_additions* more = nullptr) -> expected<infra::snapshot>;

/// A state in that format for storage outside of this machine: encrypted if the methods require it, with serial and
/// lineage in plain text, as OpenTofu writes it.
[[nodiscard]] auto seal_v4(std::string text, infra::snapshot const& s, encryption::target const& t)
    -> expected<std::string>;
/// Parses the output of `seal_v4` or OpenTofu. An unencrypted state is accepted if the methods allow it.
/// \param subject  the name of the text in messages
[[nodiscard]] auto from_sealed_v4(std::string text, encryption::target const& t, std::string_view subject,
    v4_additions* more = nullptr) -> expected<infra::snapshot>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DOCUMENT_STATE_V4_HPP
