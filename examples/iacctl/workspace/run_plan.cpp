// SPDX-License-Identifier: BSL-1.0
#include "engine_run.hpp"

#include <utility>

namespace iacctl::workspace {

auto run_plan(program::hcl_program const& desired, state::store& store, infra::plan_options options,
    infra::snapshot prior, run_options const& ro, std::optional<plan>* unfinished) -> expected<plan>
{
    return detail::with_engine(desired, store, ro,
        [&](detail::engine& e) { return e.plan(std::move(options), std::move(prior), unfinished); });
}

}  // namespace iacctl::workspace
