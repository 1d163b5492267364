// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_COMMAND_WORDS_HPP
#define IACCTL_BASE_SSH_COMMAND_WORDS_HPP

#include "settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::ssh {

/// The files that the programs read for one machine. Empty: there is none.
class endpoint_files {
public:
    std::string private_key;
    std::string certificate;
    std::string known_hosts;
    std::string password;
};

/// The files for a connection.
class connection_files {
public:
    endpoint_files target;
    endpoint_files bastion;
    std::string agent_identity;  ///< a public key
    std::string proxy;  ///< as `write_proxy` writes it
    std::string control;  ///< the socket on which sessions are requested
};

/// The line that the connecting `ssh` prints when the user is authenticated.
inline constexpr std::string_view connected_line = "connected";

/// `ssh` that connects to the target, and keeps the connection without a session. The files of the user and of the system
/// with settings are not read.
[[nodiscard]] auto connecting_words(settings const& how, connection_files const& files) -> std::vector<std::string>;

/// `ssh` that runs a command on the target in a session of the connection. \param terminal  the session has a terminal
[[nodiscard]] auto session_words(settings const& how, connection_files const& files, bool terminal, std::string command)
    -> std::vector<std::string>;

/// Words as one command for the shell of a machine.
[[nodiscard]] auto remote_command(platform of, std::vector<std::string> const& words) -> std::string;

/// The content of a file with the keys of the one machine that it is about. \param host_key  of the machine, or of an authority
[[nodiscard]] auto known_hosts_text(std::string_view host_key) -> std::string;

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_COMMAND_WORDS_HPP
