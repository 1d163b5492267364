// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_PROXY_CONNECTION_HPP
#define IACCTL_BASE_SSH_PROXY_CONNECTION_HPP

#include "settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::ssh {

/// The first of the arguments with which this program runs as a connection: a file of `proxy_text`, a host and a port follow.
inline constexpr std::string_view proxy_connection_argument = "-proxy-connection";

/// A proxy as the content of a file. It contains the password.
[[nodiscard]] auto proxy_text(http_proxy const& proxy) -> std::string;

/// Connects the standard streams with a host, by the method CONNECT of a proxy. \return the exit code
[[nodiscard]] auto run_proxy_connection(std::vector<std::string> const& arguments) -> int;

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_PROXY_CONNECTION_HPP
