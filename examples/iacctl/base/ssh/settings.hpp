// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_SETTINGS_HPP
#define IACCTL_BASE_SSH_SETTINGS_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace iacctl::ssh {

/// A machine, and what authenticates the user there. Empty texts: not set.
class endpoint {
public:
    std::string host;  ///< a name or an address, without brackets
    unsigned port = 22;
    std::string user;
    std::string password;
    std::string private_key;  ///< its text
    std::string certificate;  ///< of the private key
    std::string host_key;  ///< the key of the machine, or of the authority that signed it; empty: it is not checked
};

/// A proxy that makes TCP connections by the method CONNECT of HTTP.
class http_proxy {
public:
    std::string scheme;  ///< "http" or "https"
    std::string host;
    unsigned port = 0;
    std::string user;
    std::string password;
};

/// The shell that runs commands on a machine.
enum class platform : std::uint8_t { posix, windows };

/// A connection to a machine.
class settings {
public:
    endpoint target;
    std::optional<endpoint> bastion;  ///< the connection to the target is made from there
    std::optional<http_proxy> proxy;  ///< for the first connection
    bool agent = false;  ///< keys of the agent may be used, also by programs on the target
    std::string agent_identity;  ///< the key of the agent to use first: a file, or its comment; empty: any
    platform target_platform = platform::posix;
    std::set<std::string> withheld;  ///< environment variables that the programs do not inherit
};

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_SETTINGS_HPP
