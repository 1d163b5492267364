// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PG_HPP
#define IACCTL_STATE_BACKENDS_PG_HPP

#include "base/expected.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"
#include "place.hpp"
#include "state/backend.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of Terraform's backend "pg", those that OpenTofu adds, and `mode`.
[[nodiscard]] auto pg_arguments() -> language::schema const&;

/// Keeps states in a PostgreSQL database: as documents that Terraform reads, or with `mode = "native"` in tables with a row for
/// each object.
[[nodiscard]] auto make_pg(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PG_HPP
