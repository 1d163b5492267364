// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_LOCAL_HPP
#define IACCTL_STATE_BACKENDS_LOCAL_HPP

#include "base/expected.hpp"
#include "language/validation/schema.hpp"
#include "place.hpp"
#include "state/backend.hpp"

#include <memory>

namespace iacctl::backends {

/// `path` and `workspace_dir`.
[[nodiscard]] auto local_arguments() -> language::schema const&;

/// State in databases on this machine. Without arguments they are below `.iacctl`. With `path`, the default workspace
/// is in `PATH.iacctl/default`, with `workspace_dir` the workspace NAME is in `WORKSPACE_DIR.iacctl/NAME`. Terraform's
/// default values, "terraform.tfstate" and "terraform.tfstate.d", have the same effect as no value.
[[nodiscard]] auto make_local(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_LOCAL_HPP
