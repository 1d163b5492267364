// SPDX-License-Identifier: BSL-1.0
#include <support/toy_engine.hpp>

namespace strider::test {

auto plan_on_threads(toy_program const& wanted, infra::plan_options const& options, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, circumstances const& how) -> std::optional<infra::expected<toy_plan>>
{
    return run_on_threads<infra::expected<toy_plan>>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.plan(options); });
}

auto apply_on_threads(toy_program const& wanted, toy_plan const& plan, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, circumstances const& how) -> std::optional<toy_applied>
{
    auto report = run_on_threads<infra::apply_report>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.apply(plan, how.run); });
    return to_applied(std::move(*report));
}

}  // namespace strider::test
