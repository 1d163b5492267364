// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_REDIRECTION_HPP
#define IACCTL_STATE_BACKENDS_REDIRECTION_HPP

#include "base/http/client.hpp"
#include "state/state_error.hpp"

#include <optional>
#include <string>

namespace iacctl::backends {

/// The error for a redirection that was not followed; nothing for another response. The query of the target is not
/// shown, because it may contain a signature.
/// \param place  of the state
[[nodiscard]] auto redirection_failure(std::string const& place, std::string const& method, http::response const& got)
    -> std::optional<state::infra::failure>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_REDIRECTION_HPP
