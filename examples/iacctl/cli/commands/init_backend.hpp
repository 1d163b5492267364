// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP
#define IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP

#include "init_command.hpp"
#include "language/configuration/configuration.hpp"
#include "session.hpp"

namespace iacctl::commands {

/// Selects the backend of a configuration for later commands: copies states according to the options of `init` and the
/// answers of the user, and stores the choice last. If something fails before, the old choice stays.
/// \return the exit code of the program
[[nodiscard]] auto init_backend(session const& s, init_options const& options, language::configuration const& root)
    -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_INIT_BACKEND_HPP
