// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_RUN_RECORDS_HPP
#define IACCTL_CLI_COMMANDS_RUN_RECORDS_HPP

#include "session.hpp"
#include "workspace/prepared_plan.hpp"
#include "workspace/workspace.hpp"

#include <cstdint>

namespace iacctl::commands {

/// Checks before the run that the files of -trace and -html can be written. Returns the exit code, 0 if they can.
[[nodiscard]] auto check_records(session const& s, record_options const& files) -> int;

/// Writes the page and the trace of a plan, if the options request them. Reports errors.
void write_records(session const& s, record_options const& files, workspace::prepared_plan const& plan);
/// The same for an apply.
/// \param limit  the number of operations at once
void write_records(session const& s, record_options const& files, workspace::prepared_plan const& plan,
    workspace::apply_result const& applied, std::uint32_t limit);

/// Exports the spans of the command and of its operations, if the environment requests it. A failure is a warning.
void export_spans(session const& s, int exit_code) noexcept;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_RUN_RECORDS_HPP
