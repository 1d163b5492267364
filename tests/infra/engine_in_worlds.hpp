// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_INFRA_ENGINE_IN_WORLDS_HPP
#define STRIDER_TESTS_INFRA_ENGINE_IN_WORLDS_HPP

#include <support/toy_world.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::test {

/// A world of an engine: functions that make an engine and run it to its end.
struct world {
    char const* name;
    std::optional<strider::result<toy_plan, infra::failure>> (*plan)(toy_program const&, infra::plan_options const&,
        infra::sim::cloud&, infra::sim::durable_state&, run_conditions const&);
    std::optional<toy_applied> (*apply)(
        toy_program const&, toy_plan const&, infra::sim::cloud&, infra::sim::durable_state&, run_conditions const&);
};

/// In virtual time, in the order of a seed (0: of arrival).
inline constexpr world simulated{"Simulated", &plan_simulated, &apply_simulated};
/// On four threads.
inline constexpr world threads{"Threads", &plan_on_threads, &apply_on_threads};

/// A number that an environment variable may set.
[[nodiscard]] inline auto chosen(char const* variable, std::uint32_t otherwise) -> std::uint32_t
{
    char const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// "toy.a" as "a".
[[nodiscard]] inline auto without_type(std::string text) -> std::string
{
    for (std::size_t at = text.find("toy."); at != std::string::npos; at = text.find("toy.", at)) text.erase(at, 4);
    return text;
}
[[nodiscard]] inline auto without_type(std::vector<std::string> texts) -> std::vector<std::string>
{
    for (std::string& text : texts) text = without_type(std::move(text));
    return texts;
}

/// The actions of a plan, in its order: "a create", "b update".
[[nodiscard]] inline auto actions(toy_plan const& plan) -> std::vector<std::string>
{
    static constexpr std::array<char const*, 9> words{
        "no-op", "create", "read", "update", "destroy", "destroy/create", "create/destroy", "forget", "forget/create"};
    std::vector<std::string> all;
    for (auto const& c : plan.changes)
        if (c.what != action::no_op)
            all.push_back(without_type(to_string(c.target)) + " " + words[static_cast<std::size_t>(c.what)]
                + (c.of_deposed ? " deposed" : ""));
    return all;
}

/// The objects of a state by their ids: "a#2", "a#2 tainted", "a#1 deposed".
[[nodiscard]] inline auto objects(infra::snapshot const& s) -> std::vector<std::string>
{
    std::vector<std::string> all;
    auto const text = [](infra::object const& o) {
        auto const value = infra::sim::from_document(o.attributes);
        return without_type(value ? (*value)["id"] : "damaged") + (o.tainted ? " tainted" : "");
    };
    for (auto const& [_, record] : s.resources) {
        if (record.current) all.push_back(text(*record.current));
        for (auto const& [key, old] : record.deposed) all.push_back(text(old) + " deposed");
    }
    return all;
}

[[nodiscard]] inline auto codes_of(infra::diagnostics const& problems) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& p : problems) all.push_back(p.code);
    return all;
}

/// A cloud and a state. Every call of `plan` and `apply` creates a new engine.
///
/// `STRIDER_ENGINE_LIMIT` is the number of concurrent operations (10), and `STRIDER_ENGINE_SEED` is the seed of their
/// order in virtual time (2024). The build runs all tests with several values of both.
class engine_in_worlds : public testing::TestWithParam<world const*> {
protected:
    engine_in_worlds()
    {
        how.limits.parallelism = chosen_limit;
        how.seed = chosen("STRIDER_ENGINE_SEED", 2024);
    }
    ~engine_in_worlds() override
    {
        if (HasFailure())
            std::cerr << "STRIDER_ENGINE_LIMIT=" << chosen_limit << " STRIDER_ENGINE_SEED=" << how.seed << '\n';
    }

    /// \return the plan, or nothing after a test failure
    auto plan(std::string_view text, infra::plan_options const& options = {}) -> toy_plan
    {
        auto made = where().plan(toy(text), options, cloud, kept, how);
        if (!made || !*made) {
            ADD_FAILURE() << "no plan: " << testing::PrintToString(made ? codes_of(made->error().why()) : none);
            return {};
        }
        return std::move(**made);
    }
    /// The reason why there is no plan; empty if there is one.
    auto refusal(std::string_view text, infra::plan_options const& options = {}) -> infra::diagnostics
    {
        auto made = where().plan(toy(text), options, cloud, kept, how);
        if (!made) return {infra::make_error(infra::codes::planning_stopped)};
        return *made ? infra::diagnostics() : made->error().why();
    }
    auto apply(std::string_view text, toy_plan const& p) -> toy_applied
    {
        how.run = "run" + std::to_string(++runs_);
        auto done = where().apply(toy(text), p, cloud, kept, how);
        EXPECT_TRUE(done.has_value()) << "the world stood still";
        return done.value_or(toy_applied{});
    }
    /// Plans and applies.
    auto run(std::string_view text, infra::plan_options const& options = {}) -> toy_applied
    {
        return apply(text, plan(text, options));
    }
    auto destroy(std::string_view text) -> toy_applied
    {
        infra::plan_options options;
        options.mode = plan_mode::destroy;
        return run(text, options);
    }
    /// Prepares the world for a test.
    void given(std::string_view text)
    {
        auto const done = run(text);
        ASSERT_TRUE(done.ok) << testing::PrintToString(codes_of(done.problems));
        cloud.start_new_log();
    }

    [[nodiscard]] auto order() const -> std::vector<std::string> { return without_type(cloud.order()); }
    [[nodiscard]] auto state() const -> std::vector<std::string> { return objects(kept.now()); }
    [[nodiscard]] auto before(std::string const& first, std::string const& second) const -> bool
    {
        return cloud.before("toy." + first, "toy." + second);
    }
    /// Returns whether state knows every object of the cloud, and vice versa, and no operation is pending.
    [[nodiscard]] auto is_settled() const -> bool
    {
        std::vector<std::string> real;
        for (auto const& [id, _] : cloud.resources()) real.push_back(without_type(id));
        std::vector<std::string> known;
        for (std::string const& o : state()) known.push_back(o.substr(0, o.find(' ')));
        std::sort(real.begin(), real.end());
        std::sort(known.begin(), known.end());
        return real == known && kept.now().pending.empty() && infra::verify_integrity(kept.now()).empty();
    }

    infra::sim::cloud cloud;
    infra::sim::durable_state kept;
    run_conditions how;

    std::uint32_t const chosen_limit = chosen("STRIDER_ENGINE_LIMIT", 10);

    [[nodiscard]] auto where() const -> world const& { return *GetParam(); }

private:
    std::vector<std::string> none;
    int runs_ = 0;
};

/// Each test runs in every world: `INSTANTIATE_TEST_SUITE_P(In, Suite, worlds, name_of_world)`.
inline auto const worlds = testing::Values(&simulated, &threads);

[[nodiscard]] inline auto name_of_world(testing::TestParamInfo<world const*> const& info) -> std::string
{
    return info.param->name;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_INFRA_ENGINE_IN_WORLDS_HPP
