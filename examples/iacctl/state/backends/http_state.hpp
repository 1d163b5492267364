// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_HTTP_STATE_HPP
#define IACCTL_STATE_BACKENDS_HTTP_STATE_HPP

#include "base/http/client.hpp"
#include "state_client.hpp"

#include <memory>
#include <string>

namespace iacctl::backends {

/// The settings of the backend "http", under the names of its arguments.
struct http_settings {
    std::string address;
    std::string update_method = "POST";
    std::string lock_address;  ///< empty: no locks
    std::string lock_method = "LOCK";
    std::string unlock_address;  ///< empty: no locks
    std::string unlock_method = "UNLOCK";
    std::string username;
    std::string password;
    bool skip_cert_verification = false;
    http::retry_policy retries{2, std::chrono::seconds(1), std::chrono::seconds(30), true};
    std::string client_ca_certificate_pem;
    std::string client_certificate_pem;
    std::string client_private_key_pem;
};

/// The state document at one address. There is only the default workspace.
///
/// \pre `address`, and the other addresses if they are not empty, are URLs.
/// \source Terraform's backend "http": methods, headers, the query parameter `ID`, the meaning of each status
[[nodiscard]] auto make_http_state(http_settings settings) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_HTTP_STATE_HPP
