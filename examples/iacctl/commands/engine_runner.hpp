// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_ENGINE_RUNNER_HPP
#define IACCTL_COMMANDS_ENGINE_RUNNER_HPP

#include "interrupts.hpp"
#include "plan_file.hpp"
#include "program/hcl_program.hpp"
#include "state/sqlite_store.hpp"

#include <strider/infra/apply_report.hpp>
#include <strider/infra/event.hpp>
#include <strider/infra/execution_limits.hpp>
#include <strider/infra/plan_options.hpp>

#include <functional>
#include <optional>

namespace iacctl::commands {

/// How and where the engine runs.
struct run_options {
    explicit run_options(interrupts& from) : signals(&from) {}

    infra::execution_limits limits;
    infra::observer<language::value> watch;
    interrupts* signals;
    std::function<void(int)> interrupted;  ///< called with 1 on the first interrupt, 2 on the second
};

/// Plans in this process, on a pool of threads, until it is done or interrupted. `unfinished` gets what was found where
/// something could not be planned.
[[nodiscard]] auto run_plan(program::hcl_program const& wanted, state::sqlite_store& store, infra::plan_options options,
    infra::snapshot prior, run_options const& how, std::optional<plan>* unfinished = nullptr) -> infra::checked<plan>;

/// Applies. The first interrupt stops gracefully; the second also ends running programs and requests.
[[nodiscard]] auto run_apply(program::hcl_program const& wanted, state::sqlite_store& store, plan const& what,
    infra::snapshot start, run_options const& how) -> infra::apply_report;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_ENGINE_RUNNER_HPP
