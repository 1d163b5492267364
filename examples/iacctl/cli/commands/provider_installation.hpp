// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PROVIDER_INSTALLATION_HPP
#define IACCTL_CLI_COMMANDS_PROVIDER_INSTALLATION_HPP

#include "init_command.hpp"
#include "language/configuration/configuration.hpp"
#include "session.hpp"

namespace iacctl::commands {

/// The part of `init` for providers: selects versions, installs packages, and writes the dependency lock file.
///
/// A provider that is built in is installed only if the lock file selects it, or if a directory of packages has it.
/// \return the exit code
[[nodiscard]] auto install_providers(
    session const& s, init_options const& options, language::configuration const& configuration) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PROVIDER_INSTALLATION_HPP
