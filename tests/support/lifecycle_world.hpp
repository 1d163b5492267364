// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_LIFECYCLE_WORLD_HPP
#define STRIDER_TESTS_SUPPORT_LIFECYCLE_WORLD_HPP

#include <support/scenario.hpp>
#include <support/toy_world.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strider::test {

/// The outcome of a step.
struct step_outcome {
    std::optional<toy_plan> plan;      ///< empty: the plan was refused, or the command makes none
    std::vector<std::string> problems;  ///< codes and addresses of errors and warnings, of the plan and of the apply
    std::vector<std::string>
        order;    ///< operations of the apply that succeeded: "a create", in the order of their begin
    bool ended = true;  ///< false: the world of the apply ended before
    bool ok = false;   ///< the command succeeded
};

/// The laws that are checked after a step, besides those that hold at every moment.
struct step_laws {
    bool second_apply = true;  ///< after a complete successful apply, there is nothing to do
    bool destroy = true;  ///< then a destroy leaves nothing; it works on a copy
};

/// A simulated cloud and a state, in which the steps of a scenario run one after another. A copy saves the present
/// moment.
///
/// After each step it checks laws that must always hold: the state after every prefix of the journal is consistent and
/// can be decoded; every object of the cloud is known to state or to a pending operation, or was disowned; no operation
/// was performed twice; a plan changes nothing; the order of the operations follows from the program and from the prior
/// state.
class lifecycle_world {
public:
    infra::sim::cloud cloud;
    infra::sim::durable_state kept;

    explicit lifecycle_world(step_laws laws = {}) : laws_(laws) {}

    /// \throws std::invalid_argument for a step that cannot be parsed
    auto run(scenario_step const& step) -> step_outcome;
    /// Runs the steps of a text; without a program, that of the step before. \return the outcome of the last one
    auto run(std::string_view text) -> step_outcome;

    /// The program of the last step.
    [[nodiscard]] auto program() const noexcept -> std::vector<std::string> const& { return program_; }
    /// The laws that were broken so far, with the number of the step.
    [[nodiscard]] auto violations() const noexcept -> std::vector<std::string> const& { return violations_; }

    /// "a#2", "a#2 tainted", "a#1 deposed": the objects of state.
    [[nodiscard]] auto objects() const -> std::vector<std::string>;
    /// Runs the last program without faults: state has no pending operations afterwards, a second apply does nothing,
    /// and a destroy leaves no object. A plan that is refused because of a cycle, or of `prevent_destroy`, changes
    /// nothing.
    void recover(scenario_step const& last);

private:
    void run_together(
        scenario_step const& step, scenario_command const& command, toy_program const& wanted, step_outcome& out);
    void change_outside(scenario_step const& step);
    void mark_forgotten(toy_plan const& plan);
    void check_moment();
    void check_nothing_to_do(scenario_step const& step);
    void check_destroy(scenario_step const& step);
    void broken(std::string what) { violations_.push_back("step " + std::to_string(steps_) + ": " + std::move(what)); }

    step_laws laws_;
    std::set<std::string> disowned_;  // ids of objects that state no longer has, or never had
    std::vector<std::string> violations_;
    std::vector<std::string> program_;  // of the last step
    std::size_t steps_ = 0;
};

/// "a update", "b destroy/create", "c destroy deposed".
[[nodiscard]] auto action_of(infra::change<toy_value> const& c) -> std::string;

/// Runs all steps, then recovers. \return the broken laws
[[nodiscard]] auto play(scenario const& s, step_laws laws = {}) -> std::vector<std::string>;

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_LIFECYCLE_WORLD_HPP
