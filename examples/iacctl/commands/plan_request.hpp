// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_PLAN_REQUEST_HPP
#define IACCTL_COMMANDS_PLAN_REQUEST_HPP

#include "session.hpp"

#include <memory>
#include <optional>
#include <string>

namespace iacctl::commands {

/// The plan that the options of a command ask for. Nothing, and an exit code, if they contradict each other.
[[nodiscard]] auto read_plan_parameters(session const& s, int& code) -> std::optional<app::plan_parameters>;

/// Warnings about addresses of -target and -exclude at which neither the configuration nor state has anything.
[[nodiscard]] auto idle_selections(infra::plan_options const& requested, app::prepared_plan const& made)
    -> infra::diagnostics;

/// A plan that is only looked at, with its configuration.
struct shown_plan {
    std::unique_ptr<program::hcl_program> desired;
    app::saved_plan plan;
};

/// The plan that was saved in a file. Nothing, and an exit code, if it cannot be used.
[[nodiscard]] auto saved_to_show(session const& s, std::string const& file, int& code) -> std::optional<shown_plan>;

/// The plan of the option -plan, or else the one that the planning options ask for. Nothing, and an exit code, after errors.
[[nodiscard]] auto plan_to_show(session const& s, int& code) -> std::optional<shown_plan>;

/// What `show -json` prints of a plan, without the end of the line.
[[nodiscard]] auto plan_document(session const& s, program::hcl_program const& desired, app::saved_plan const& of,
    infra::diagnostics& problems) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_PLAN_REQUEST_HPP
