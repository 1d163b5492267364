// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_S3_BACKEND_HPP
#define IACCTL_BACKENDS_S3_BACKEND_HPP

#include "language/validation/schema.hpp"
#include "place.hpp"
#include "s3_state.hpp"
#include "state/backend.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of Terraform's backend "s3", without those of roles, identity providers and metadata services.
[[nodiscard]] auto s3_arguments() -> language::schema const&;

/// The settings, with those of AWS_... variables and of the profile where an argument is null.
[[nodiscard]] auto read_s3_settings(language::value const& settings, place const& of) -> state::expected<s3_settings>;

/// State as objects of a bucket of S3, or of a server that speaks its protocol.
[[nodiscard]] auto make_s3(language::value const& settings, place const& of)
    -> state::expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_S3_BACKEND_HPP
