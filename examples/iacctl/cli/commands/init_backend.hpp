// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP
#define IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP

#include "init_command.hpp"
#include "language/configuration/configuration.hpp"
#include "session.hpp"

namespace iacctl::commands {

/// The result of taking over the states of Terraform.
enum class takeover : std::uint8_t {
    complete,  ///< all were taken over, or there are none
    refused,   ///< the user does not want to take some over, so plans fail
};

/// Selects the backend of a configuration for later commands: copies states according to the options of `init` and the
/// answers of the user, and stores the choice last. If something fails before, the old choice stays.
[[nodiscard]] auto init_backend(session const& s, init_options const& options, language::configuration const& root)
    -> or_exit<takeover>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP
