// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_MODULES_COMMAND_HPP
#define IACCTL_CLI_COMMANDS_MODULES_COMMAND_HPP

#include "language/configuration/configuration.hpp"
#include "language/configuration/test_file.hpp"
#include "session.hpp"

#include <string>
#include <vector>

namespace iacctl::commands {

/// Loads the configuration of the directory, and installs the modules that it calls.
/// \param update  also installs modules that are already installed
[[nodiscard]] auto load_with_modules(session const& s, bool update, infra::diagnostics& found)
    -> language::configuration;

/// Adds the local modules that runs of test files execute, as if the configuration called them, because of the
/// providers that they require.
/// \param tests  the directory of test files
/// \return the files to which `found` and `to` refer
[[nodiscard]] auto add_modules_of_tests(session const& s, std::string const& tests, language::configuration& to,
    infra::diagnostics& found) -> std::vector<language::test_file>;

/// Copies a module into the directory. \return the exit code
[[nodiscard]] auto copy_from_module(session const& s, std::string const& source) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_MODULES_COMMAND_HPP
