// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PREPARED_PLAN_HPP
#define IACCTL_WORKSPACE_PREPARED_PLAN_HPP

#include "plan_file.hpp"
#include "state_access.hpp"
#include "workspace/program/hcl_program.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <memory>
#include <utility>

namespace iacctl::workspace {

/// A plan with the data from which it was made and with which it is applied.
struct prepared_plan {
    explicit prepared_plan(state_access under) : state(std::move(under)) {}

    state_access state;  ///< holds the lock
    std::unique_ptr<program::hcl_program> desired;
    saved_plan plan;
    infra::snapshot start;  ///< state as it was read, for a plan to be applied or with targets
    infra::diagnostics warnings;  ///< to be reported after the plan
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_PREPARED_PLAN_HPP
