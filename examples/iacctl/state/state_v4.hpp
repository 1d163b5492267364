// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STATE_V4_HPP
#define IACCTL_STATE_STATE_V4_HPP

#include "encryption/target.hpp"
#include "state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <array>
#include <string>
#include <string_view>

namespace iacctl::state {

/// Private data of providers about an object, in the order of the format.
inline constexpr std::array<std::string_view, 3> private_members{"identity_schema_version", "identity", "private"};

/// State in Terraform's interchange format, version 4: equal states give equal bytes.
///
/// `private_members` of an instance are its private data: they are kept and written as they were read. Documents of
/// objects and outputs are JSON; one that is not is written as a JSON string. Operations that are pending,
/// which the format does not know, stand in `pending_operations`: where there are any, or `tell_operations` wants the list
/// even if it is empty.
[[nodiscard]] auto to_v4(infra::snapshot const& s, std::string_view terraform_version, bool report_operations = false)
    -> std::string;

/// Reads such a text. All that the format forbids is refused, every fault with its place; an empty text too, since that
/// is what a crash leaves behind. Attributes become canonical JSON.
/// \param tells_operations  gets whether it has a list of pending operations, be it an empty one
[[nodiscard]] auto from_v4(std::string_view text, bool* reports_operations = nullptr) -> expected<infra::snapshot>;

/// A state in that format as it is kept outside of this machine: encrypted if the methods say so, with serial and lineage in clear,
/// as OpenTofu writes it.
[[nodiscard]] auto seal_v4(std::string text, infra::snapshot const& s, encryption::target const& with)
    -> expected<std::string>;
/// Reads what `seal_v4` or OpenTofu has written. An unencrypted state is read if that is accepted.
/// \param what  the text, as messages call it
[[nodiscard]] auto from_sealed_v4(std::string text, encryption::target const& with, std::string_view what,
    bool* reports_operations = nullptr) -> expected<infra::snapshot>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_STATE_V4_HPP
