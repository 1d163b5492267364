// SPDX-License-Identifier: BSL-1.0
#include "base/random.hpp"
#include "engine_run.hpp"

#include <utility>

namespace iacctl::workspace {

auto run_apply(program::hcl_program const& desired, state::store& store, plan const& p, infra::snapshot start,
    run_options const& options) -> infra::apply_report
{
    return detail::with_engine(
        desired, store, options, [&](detail::engine& e) { return e.apply(p, random_uuid(), std::move(start)); });
}

}  // namespace iacctl::workspace
