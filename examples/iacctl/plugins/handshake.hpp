// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_HANDSHAKE_HPP
#define IACCTL_PLUGINS_HANDSHAKE_HPP

#include <boost/system/result.hpp>

#include <map>
#include <string>
#include <string_view>

namespace iacctl::plugins {

/// The address on which a provider listens: the first line of its standard output.
class handshake {
public:
    int protocol_version = 0;  ///< 5 or 6
    std::string socket;  ///< path
    std::string certificate;  ///< DER; empty: no TLS

    /// Reads "1|5|unix|PATH|grpc|CERTIFICATE". The error says what is wrong with it.
    [[nodiscard]] static auto parse(std::string_view line) -> boost::system::result<handshake, std::string>;
};

/// Variables of the environment that make a program serve as a provider. \param certificate  of the client, PEM
/// \source hashicorp/go-plugin; Terraform
[[nodiscard]] auto handshake_environment(std::string const& certificate) -> std::map<std::string, std::string>;

/// A provider that somebody else has started, usually in a debugger.
class reattached_provider {
public:
    int protocol_version = 5;
    int process = 0;
    bool test = false;  ///< it is not ended with its last client
    std::string socket;
};

/// Reads the value of TF_REATTACH_PROVIDERS: by address, such as "registry.terraform.io/hashicorp/random". The error says what
/// is wrong with it.
[[nodiscard]] auto parse_reattach(std::string_view text)
    -> boost::system::result<std::map<std::string, reattached_provider>, std::string>;

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_HANDSHAKE_HPP
