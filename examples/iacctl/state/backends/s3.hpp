// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_S3_HPP
#define IACCTL_STATE_BACKENDS_S3_HPP

#include "base/expected.hpp"
#include "language/validation/schema.hpp"
#include "place.hpp"
#include "s3_objects.hpp"
#include "state/backend.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of the backend "s3" of Terraform 1.17 and OpenTofu 1.13, and of this program.
[[nodiscard]] auto s3_arguments() -> language::schema const&;

/// Reads the settings. An argument that is null has the value of its AWS_... variable or of the profile. Credentials are
/// not obtained yet, because that may need a server.
[[nodiscard]] auto read_s3_settings(language::value const& settings, place const& p) -> expected<s3_settings>;

/// State as objects in a bucket of S3, or of a server with a compatible protocol.
[[nodiscard]] auto make_s3(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_S3_HPP
