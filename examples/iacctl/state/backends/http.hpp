// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_HTTP_HPP
#define IACCTL_STATE_BACKENDS_HTTP_HPP

#include "base/expected.hpp"
#include "http_state.hpp"
#include "language/validation/schema.hpp"
#include "place.hpp"
#include "state/backend.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of Terraform's backend "http".
[[nodiscard]] auto http_arguments() -> language::schema const&;

/// Reads the settings. An argument that is null has the value of its TF_HTTP_... variable.
[[nodiscard]] auto read_http_settings(language::value const& settings) -> expected<http_settings>;

/// State on a server of Terraform's HTTP protocol.
[[nodiscard]] auto make_http(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_HTTP_HPP
