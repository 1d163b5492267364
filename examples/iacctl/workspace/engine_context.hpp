// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_ENGINE_CONTEXT_HPP
#define IACCTL_WORKSPACE_ENGINE_CONTEXT_HPP

#include "engine_runner.hpp"
#include "providers/provider_set.hpp"

namespace iacctl::workspace {

/// Returns the parts of a run that providers use.
[[nodiscard]] auto context_of(program::hcl_program const& desired, run_options const& options)
    -> providers::provider_context;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_ENGINE_CONTEXT_HPP
