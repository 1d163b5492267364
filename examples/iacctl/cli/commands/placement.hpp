// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PLACEMENT_HPP
#define IACCTL_CLI_COMMANDS_PLACEMENT_HPP

#include "cli/arguments/shared_options.hpp"
#include "workspace/settings.hpp"

#include <strider/infra/model/diagnostics.hpp>

namespace iacctl::commands {

/// Returns the errors in -executor, -place and the block `placement` of the CLI configuration.
[[nodiscard]] auto placement_problems(placement_options const& options) -> strider::infra::diagnostics;

/// Configures the settings so that operations of placed types run as set by -executor, -place and the CLI
/// configuration. Nothing is started before the first operation.
/// \return the errors in these settings; then all operations run on this machine
[[nodiscard]] auto place_work(placement_options const& options, workspace::settings& s) -> strider::infra::diagnostics;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PLACEMENT_HPP
