// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PLAN_REQUEST_HPP
#define IACCTL_CLI_COMMANDS_PLAN_REQUEST_HPP

#include "cli/arguments/option_list.hpp"
#include "session.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::commands {

/// Options that select the objects and the mode of a plan.
struct planning_options {
    /// The mode that the name of the command selects: `destroy`, `refresh`.
    std::optional<infra::plan_mode> named_mode;
    bool destroy = false;
    bool refresh_only = false;
    bool refresh = true;
    bool minimal_refresh = false;
    bool defers = false;
    std::vector<std::string> targets;
    std::vector<std::string> excludes;
    std::vector<std::string> target_files;  ///< with one address on each line
    std::vector<std::string> exclude_files;
    std::vector<std::string> replace;
    std::vector<std::string> invoke;
    std::string generated;  ///< -generate-config-out

    void declare(option_list& to);
    void declare_invoke(option_list& to);
    [[nodiscard]] auto destroys() const noexcept -> bool { return destroy; }
};

/// The parameters of the plan that the options of a command request, unless they contradict each other.
[[nodiscard]] auto read_plan_parameters(session const& s, planning_options const& options)
    -> or_exit<workspace::plan_parameters>;

/// Warnings about addresses of -target and -exclude that exist neither in the configuration nor in state.
[[nodiscard]] auto unmatched_selections(infra::plan_options const& requested, workspace::prepared_plan const& made)
    -> infra::diagnostics;

/// A plan that is only shown, with its configuration.
struct shown_plan {
    std::unique_ptr<program::hcl_program> desired;
    workspace::saved_plan plan;
};

/// The saved plan in a file.
[[nodiscard]] auto saved_to_show(session const& s, std::string const& file) -> or_exit<shown_plan>;

/// The plan in a file, or else, if it has no name, a new one.
[[nodiscard]] auto plan_to_show(session const& s, std::string const& file, planning_options const& options)
    -> or_exit<shown_plan>;

/// The output of `show -json` for a plan, without the end of the line.
[[nodiscard]] auto plan_document(session const& s, program::hcl_program const& desired,
    workspace::saved_plan const& saved, infra::diagnostics& problems) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PLAN_REQUEST_HPP
