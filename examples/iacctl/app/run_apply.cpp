// SPDX-License-Identifier: BSL-1.0
#include "engine_run.hpp"
#include "support/random.hpp"

#include <utility>

namespace iacctl::app {

auto run_apply(program::hcl_program const& desired, state::store& store, plan const& what, infra::snapshot start,
    run_options const& how) -> infra::apply_report
{
    return detail::with_engine(
        desired, store, how, [&](detail::engine& e) { return e.apply(what, random_uuid(), std::move(start)); });
}

}  // namespace iacctl::app
