// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_ENGINE_RUNNER_HPP
#define IACCTL_WORKSPACE_ENGINE_RUNNER_HPP

#include "base/expected.hpp"
#include "plan_file.hpp"
#include "root_module.hpp"
#include "run_callbacks.hpp"
#include "state/backend.hpp"
#include "state/encryption/target.hpp"
#include "workspace/program/hcl_program.hpp"

#include <strider/infra/apply/apply_report.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/program/execution_limits.hpp>

#include <memory>
#include <optional>

namespace iacctl::workspace {

/// Options of a run of the engine.
struct run_options {
    infra::execution_limits limits;
    run_callbacks with;
    interrupt_source* interrupts = nullptr;  ///< null: nothing interrupts
    bool pass_sensitive = false;  ///< programs of a configuration receive the secret environment variables
    std::shared_ptr<encryption::targets const> encryption = {};  ///< null: none
    providers::instance_maker make_provider = {};  ///< empty: sources make the instances
    command_runner run_provisioner = {};  ///< empty: on this machine
    std::shared_ptr<providers::operation_runner> placed = {};  ///< null: operations are performed on this machine
    bool deferral_allowed = false;  ///< providers may leave the answer to a later plan
    std::function<void(providers::found_objects)> listed = {};  ///< see `provider_context`
    bool lists_whole_objects = false;
};

[[nodiscard]] auto options_of(root_module const& root, run_callbacks callbacks) -> run_options;

/// Plans in this process, on a pool of threads, to the end or to an interrupt. If something cannot be planned,
/// `unfinished` receives the incomplete plan.
[[nodiscard]] auto run_plan(program::hcl_program const& desired, state::store& store, infra::plan_options options,
    infra::snapshot prior, run_options const& ro, std::optional<plan>* unfinished = nullptr) -> expected<plan>;

/// Applies. The first interrupt stops gracefully; the second also ends running programs and requests.
[[nodiscard]] auto run_apply(program::hcl_program const& desired, state::store& store, plan const& p,
    infra::snapshot start, run_options const& options) -> infra::apply_report;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_ENGINE_RUNNER_HPP
