// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_FOREIGN_TYPES_HPP
#define IACCTL_STATE_BACKENDS_FOREIGN_TYPES_HPP

#include "language/validation/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// The name under which the arguments of the block `cloud` are found.
inline constexpr std::string_view cloud_block = "cloud";

/// The arguments and nested blocks of a backend that Terraform or OpenTofu has and this program does not; null for
/// another type. They are those of both programs together. No argument of the body is required, because `init` accepts
/// options for them.
/// \param type  the label of a `backend` block, or `cloud_block`
[[nodiscard]] auto find_foreign_arguments(std::string_view type) -> language::schema const*;

/// The labels of these backends, sorted, without `cloud_block`.
[[nodiscard]] auto foreign_types() -> std::vector<std::string_view>;

/// The backends that can take the place of such a type, for messages.
[[nodiscard]] auto replacement_of(std::string_view foreign_type) -> std::string_view;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_FOREIGN_TYPES_HPP
