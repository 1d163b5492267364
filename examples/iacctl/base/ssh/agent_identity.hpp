// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_AGENT_IDENTITY_HPP
#define IACCTL_BASE_SSH_AGENT_IDENTITY_HPP

#include <strider/infra/program/task.hpp>

#include <set>
#include <string>
#include <string_view>

namespace iacctl::ssh {

/// The public key of the agent that an identity names; empty if there is none.
/// \param listed  the keys of the agent, one on each line, as `ssh-add -L` prints them
/// \param public_keys  the keys in the files that the identity names, in the same format
/// \source Terraform 1.11, communicator ssh: an identity is the file of a key, the comment of a key, or its end.
[[nodiscard]] auto agent_key(std::string_view listed, std::string_view public_keys, std::string_view identity)
    -> std::string;

/// Asks the agent. \param withheld  environment variables that the programs do not inherit
[[nodiscard]] auto find_agent_key(std::string identity, std::set<std::string> withheld)
    -> strider::infra::task<std::string>;

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_AGENT_IDENTITY_HPP
