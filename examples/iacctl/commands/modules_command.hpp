// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_MODULES_COMMAND_HPP
#define IACCTL_COMMANDS_MODULES_COMMAND_HPP

#include "language/configuration/configuration.hpp"
#include "session.hpp"

namespace iacctl::commands {

/// Loads the configuration of the directory, and installs the modules that it calls.
/// \param update  install again what is installed
[[nodiscard]] auto load_with_modules(session const& s, bool update, language::diagnostics& found)
    -> language::configuration;

/// Copies the module that -from-module names into the directory. \return the exit code
[[nodiscard]] auto copy_from_module(session const& s) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_MODULES_COMMAND_HPP
