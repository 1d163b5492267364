// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AWS_CONNECTION_HPP
#define IACCTL_STATE_BACKENDS_AWS_CONNECTION_HPP

#include "base/http/blocking_client.hpp"
#include "base/http/client.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// The settings of connections to services of AWS.
struct aws_connection {
    bool insecure = false;  ///< certificates of servers are not verified
    std::string trusted_pem;  ///< certificates of authorities; empty: those of the system
    std::shared_ptr<http::proxies const> via;  ///< null: the proxies of the environment
    bool use_fips = false;
    bool use_dualstack = false;
    http::retry_policy retries{5, std::chrono::milliseconds(200), std::chrono::seconds(20), true};

    /// Sends a request. It is sent again as `retries` states, also if the service refuses it because there are too many.
    [[nodiscard]] auto send(http::blocking_client& by, http::request r) const -> http::response;
    /// The address of a service: "https://sts.eu-central-1.amazonaws.com".
    /// \source AWS, "Service endpoints", "FIPS endpoints by service", "Dual-stack endpoints"
    [[nodiscard]] auto endpoint(std::string_view service, std::string const& region) const -> std::string;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AWS_CONNECTION_HPP
