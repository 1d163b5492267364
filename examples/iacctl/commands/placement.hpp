// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_PLACEMENT_HPP
#define IACCTL_COMMANDS_PLACEMENT_HPP

#include "app/settings.hpp"
#include "command_line.hpp"

#include <strider/infra/model/diagnostics.hpp>

namespace iacctl::commands {

/// Returns the errors in -executor, -place and the block `placement` of the CLI configuration.
[[nodiscard]] auto placement_problems(request const& requested) -> strider::infra::diagnostics;

/// Makes the settings do the work of placed types where -executor, -place and the CLI configuration say. Nothing is started before
/// the first operation. \return errors in them; all work is done on this machine then
[[nodiscard]] auto place_work(request const& requested, app::settings& of) -> strider::infra::diagnostics;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_PLACEMENT_HPP
