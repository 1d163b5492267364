// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_PLACEMENT_HPP
#define IACCTL_COMMANDS_PLACEMENT_HPP

#include "command_line.hpp"
#include "providers/child_process.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <optional>

namespace iacctl::commands {

/// The error in -executor and -place, if there is one.
[[nodiscard]] auto placement_problem(request const& asked) -> std::optional<strider::infra::diagnostic>;

/// Runs commands where -executor and -place say; empty: on this machine. Nothing is started before the first command.
[[nodiscard]] auto placed_runner(request const& asked) -> providers::command_runner;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_PLACEMENT_HPP
