// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_GCS_HPP
#define IACCTL_STATE_BACKENDS_GCS_HPP

#include "base/expected.hpp"
#include "gcs_objects.hpp"
#include "language/validation/schema.hpp"
#include "place.hpp"
#include "state/backend.hpp"
#include "state_client.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of the backend "gcs" of Terraform and OpenTofu.
[[nodiscard]] auto gcs_arguments() -> language::schema const&;

/// Reads the settings. An argument that is null has the value of its GOOGLE_... variable.
[[nodiscard]] auto read_gcs_settings(language::value const& settings, place const& p) -> expected<gcs_settings>;

/// State documents as objects `PREFIX/WORKSPACE.tfstate`, and locks as objects `PREFIX/WORKSPACE.tflock`, whose generation is
/// the id of the lock, as with Terraform.
/// \source Terraform's backend "gcs"
[[nodiscard]] auto make_gcs_state(gcs_settings settings) -> std::shared_ptr<state_client>;

/// State as objects in a bucket of Google Cloud Storage.
[[nodiscard]] auto make_gcs(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_GCS_HPP
