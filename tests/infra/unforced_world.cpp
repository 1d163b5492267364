// SPDX-License-Identifier: BSL-1.0
#include <support/toy_engine.hpp>

namespace strider::test {

namespace {

struct unforced_stages : infra::default_stages {
    template <infra::program P>
    [[nodiscard]] auto plan_graph(infra::graph_tables<P> const& tables, digraph<infra::node> draft,
        infra::plan_options const&) const -> result<digraph<infra::node>>
    {
        return cycle_validation{infra::node_naming<P>{tables, true}}(std::move(draft));
    }
};

}  // namespace

auto plan_unforced(toy_program const& wanted, infra::sim::cloud& cloud, infra::sim::kept_state& kept)
    -> infra::checked<toy_plan>
{
    circumstances const how;
    auto plan = run_simulated<infra::checked<toy_plan>, unforced_stages>(
        wanted, cloud, kept, how, [](auto& engine) { return engine.plan(infra::plan_options()); });
    return *std::move(plan);
}

}  // namespace strider::test
