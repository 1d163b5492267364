// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_HANDSHAKE_HPP
#define IACCTL_PROVIDERS_PLUGIN_HANDSHAKE_HPP

#include <boost/system/result.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::plugin {

/// The address of a socket: the path of a local one, or "HOST:PORT".
class plugin_socket {
public:
    std::string text;
    bool tcp = false;

    /// \param network  "unix" or "tcp"; nothing for another one
    [[nodiscard]] static auto of(std::string_view network, std::string text) -> std::optional<plugin_socket>;
};

/// The address on which a provider listens, from the first line of its standard output.
class handshake {
public:
    int protocol_version = 0;  ///< 5 or 6
    plugin_socket socket;
    std::string certificate;  ///< DER; empty: no TLS

    /// Parses "1|5|unix|PATH|grpc|CERTIFICATE". The error is a description of the problem.
    [[nodiscard]] static auto parse(std::string_view line) -> boost::system::result<handshake, std::string>;
};

/// The environment variables that make a program serve as a provider. \param certificate  of the client, PEM
/// \source hashicorp/go-plugin; Terraform
[[nodiscard]] auto handshake_environment(std::string const& certificate) -> std::map<std::string, std::string>;

/// A provider that was started separately, usually in a debugger.
class reattached_provider {
public:
    int protocol_version = 5;
    int process = 0;
    bool test = false;  ///< it continues after its last client has disconnected
    plugin_socket socket;
};

/// Parses TF_REATTACH_PROVIDERS. The keys are addresses such as "registry.terraform.io/hashicorp/random". The error is
/// a description of the problem.
[[nodiscard]] auto parse_reattach(std::string_view text)
    -> boost::system::result<std::map<std::string, reattached_provider>, std::string>;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_HANDSHAKE_HPP
