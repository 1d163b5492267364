// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_LOGIN_HPP
#define IACCTL_PACKAGES_LOGIN_HPP

#include "base/expected.hpp"
#include "services.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <functional>
#include <string>

namespace iacctl::packages {

/// Questions to the user.
class login_dialog {
public:
    std::function<void(std::string const& text)> show;
    /// Returns an empty text if there is no answer. \param hidden  the input is not shown
    std::function<std::string(std::string const& question, bool hidden)> ask;
};

/// Obtains a token from a host: with OAuth 2.0 as its service "login.v1" specifies (authorization code with PKCE, or
/// password), or from the user if the host only has a page for tokens.
/// \source Terraform, server-side login protocol; RFC 6749, RFC 7636
[[nodiscard]] auto obtain_token(service_client& client, std::string const& host, login_dialog const& dialog)
    -> expected<std::string>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_LOGIN_HPP
