// SPDX-License-Identifier: BSL-1.0
#include <support/toy_engine.hpp>

namespace strider::test {

auto plan_simulated(toy_program const& wanted, infra::plan_options const& options, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, circumstances const& how) -> std::optional<infra::expected<toy_plan>>
{
    return run_simulated<infra::expected<toy_plan>>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.plan(options); });
}

auto apply_simulated(toy_program const& wanted, toy_plan const& plan, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, circumstances const& how) -> std::optional<toy_applied>
{
    auto report = run_simulated<infra::apply_report>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.apply(plan, how.run); });
    if (!report) return std::nullopt;
    return to_applied(std::move(*report));
}

}  // namespace strider::test
