// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_LAWS_HPP
#define STRIDER_TESTS_FUZZ_LAWS_HPP

#include <fuzz/reference.hpp>
#include <fuzz/world.hpp>
#include <planted/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The world of `play_lifecycle`: laws.cpp, object_laws.cpp and action_laws.cpp have the laws of one run, world.cpp the rest.

namespace strider::test {

using toy_change = infra::change<toy_value>;

[[nodiscard]] inline auto id_of(infra::object const& o) -> std::string
{
    auto const value = infra::sim::from_document(o.attributes);
    return value ? (*value)["id"] : std::string("damaged");
}

template <class T>
[[nodiscard]] auto has(std::vector<T> const& all, T const& one) -> bool
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

class fuzz_world {
public:
    fuzz_world(planted_fault fault, bool tells) : fault_(fault), tells_(tells) {}

    /// Runs commands at the same time. \return whether all of them succeeded
    auto run(std::span<scenario_step const> steps) -> bool;
    void recover(std::vector<std::string> const& program);
    [[nodiscard]] auto is_broken() const -> bool { return !outcome_.violations.empty(); }
    [[nodiscard]] auto take() -> lifecycle_outcome { return std::move(outcome_); }

private:
    /// One run of one operator: the request, and the world before and after.
    struct one_run {
        operator_order const& order;
        operator_report const& report;
        infra::snapshot const& prior;
        std::span<infra::sim::cloud_operation const> log;
        program_reference const& text;
        std::set<std::string> const& existed;  ///< ids of objects before
        bool refreshes;
        bool is_partial;
        bool crashed;
        bool is_calm;
        std::size_t first_batch;  ///< of the journal

        [[nodiscard]] auto mode() const -> plan_mode { return order.options.mode; }
        [[nodiscard]] auto is_complete() const -> bool
        {
            return report.applied && report.applied->ok && !is_partial && mode() == plan_mode::normal
                && report.plan->deferred.empty();
        }
        /// State contains what the engine reported.
        [[nodiscard]] auto is_durable() const -> bool { return report.applied && !report.applied->store_error; }
    };

    void decide_provisioners();
    void decide_actions(std::vector<std::string> const& program);
    void broken(std::string_view law, std::string const& what)
    {
        outcome_.violations.push_back(std::string(law) + ": " + what + " (step " + std::to_string(steps_) + ")");
    }
    void count(std::string const& what) { ++outcome_.seen[what]; }
    void tell(std::string const& line)
    {
        if (tells_) outcome_.report += line + "\n";
    }
    void mix(std::string_view text)
    {
        for (char const c : text) outcome_.trace = (outcome_.trace ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
    }

    void change_outside(scenario_step const& step);
    void trace_run(operators_report const& report, std::size_t first_operation);
    [[nodiscard]] auto ordered_by(one_run const& r) const -> infra::snapshot;
    void check_moment();
    void check_exclusion(std::vector<operator_order> const& orders, operators_report const& report,
        std::span<infra::sim::cloud_operation const> log, std::size_t first_batch, infra::snapshot const& prior);
    void check_refusal(one_run const& r);
    void check_plan(one_run const& r);
    void check_selection(one_run const& r);
    void check_replacements(one_run const& r);
    void check_operations(one_run const& r);
    void check_limits(one_run const& r);
    void check_transitions(one_run const& r);
    void check_provisioners(one_run const& r);
    void check_configurations(one_run const& r);
    void check_conditions(one_run const& r);
    void check_calm(one_run const& r);
    void check_complete(one_run const& r);
    void check_destroyed(one_run const& r);
    // object_laws.cpp
    void check_kept(one_run const& r);
    void check_imports(one_run const& r);
    void check_deferral(one_run const& r);
    void check_lies(one_run const& r);
    // action_laws.cpp
    void check_planned_invocations(one_run const& r);
    void check_invocations(one_run const& r);
    void check_progress(one_run const& r);
    void check_callers(one_run const& r);
    void check_requested(one_run const& r);
    void check_pending_actions(one_run const& r);

    planted_fault fault_;
    bool tells_;
    infra::sim::cloud cloud_;
    infra::sim::durable_state kept_;
    std::set<std::string> forgotten_;  // ids that state may no longer have although they exist
    std::set<std::string> incomplete_;  // ids of objects whose provisioners did not all run
    infra::snapshot prefix_;
    std::size_t checked_batches_ = 0;
    std::size_t checked_entries_ = 0;
    std::size_t steps_ = 0;
    std::size_t runs_ = 0;
    lifecycle_outcome outcome_{{}, 0xcbf2'9ce4'8422'2325U, {}, {}};
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_LAWS_HPP
