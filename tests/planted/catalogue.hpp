// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PLANTED_CATALOGUE_HPP
#define STRIDER_TESTS_PLANTED_CATALOGUE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// Faults of the engine that tests can enable, one at a time, to measure the effectiveness of a fuzzer.
///
/// A fault is planted in a policy of the engine (stages, program, provider, store, execution), in the plan between planning and
/// applying, or in the lock around both. `policies.hpp` contains all of them; product headers contain none.

namespace strider::test {

enum class planted_fault : std::uint8_t {
    none,
    // Stages.
    skip_forced_cbd,
    skip_inversion,
    leave_one_edge_upright,
    drop_own_destroyer_edge,
    drop_destroy_order_edge,
    drop_after_dependency_edge,
    drop_after_dependent_edge,
    drop_reference_edge,
    drop_depends_on_edge,
    drop_join_edge,
    drop_module_begin_edge,
    drop_module_close_edge,
    drop_configuration_edge,
    ignore_recorded_cbd,
    order_across_providers,
    leave_deposed_unordered,
    exclude_without_dependents,
    target_without_dependency,
    // Store: entries of the journal.
    lose_end_entry,
    acknowledge_last_entry_early,
    acknowledge_batch_early,
    forget_deposed,
    leave_deposed_after_failure,
    drop_object_after_failed_destroy,
    lose_taint,
    lose_unfinished,
    take_end_of_neighbour,
    lose_last_dependency,
    keep_removed_dependency,
    lose_recorded_cbd,
    end_at_first_instance,
    lose_output_entry,
    keep_removed_output,
    lose_drift,
    lose_removal,
    // Store: reads.
    read_stale_state,
    read_without_pending,
    read_without_taint,
    read_without_deposed,
    // Provider calls.
    destroy_current_for_deposed,
    repeat_update,
    share_key_with_deposed,
    settle_unknown_as_not_done,
    settle_created_as_not_done,
    settle_destroy_as_done,
    settle_without_taint,
    take_failure_for_success,
    apply_request_of_neighbour,
    update_without_prior,
    // The plan between planning and applying.
    drop_last_refreshed,
    move_without_deposed,
    lose_last_arrival,
    skip_conditions_of_apply,
    ignore_requested_replacement,
    // Execution.
    run_one_more_at_once,
    release_permit_twice,
    go_on_after_first_failure,
    // Program.
    lose_last_instance,
    skip_last_move,
    ignore_prevent_destroy,
    ignore_triggers,
    destroy_instead_of_forget,
    skip_last_create_step,
    skip_destroy_steps,
    lose_last_reference,
    ignore_declared_cbd,
    // Lock.
    release_lock_twice,
    apply_saved_plan_without_lock,
    count_,
};

/// The size of a fault.
enum class fault_size : std::uint8_t {
    whole,  ///< a rule is missing
    edge,  ///< off by one edge
    entry,  ///< off by one entry, instance or operation
    transition,  ///< off by one transition of an object
};

struct planted_description {
    planted_fault fault;
    std::string_view name;
    std::string_view place;  ///< the policy, and the part of the product that would contain the fault
    std::string_view change;
    fault_size size;
    bool chosen_by_reading;  ///< selected by reading the code, and not by considering what a fuzzer could find
};

// clang-format off
inline constexpr std::array<planted_description, static_cast<std::size_t>(planted_fault::count_) - 1> planted_faults{{
    {planted_fault::skip_forced_cbd, "skip-forced-cbd", "stages: forced_cbd",
        "create_before_destroy does not propagate to dependencies", fault_size::whole, false},
    {planted_fault::skip_inversion, "skip-inversion", "stages: cbd_inversion",
        "no edge to a destroyer is reversed", fault_size::whole, false},
    {planted_fault::leave_one_edge_upright, "leave-one-edge-upright", "stages: cbd_inversion",
        "one edge of a dependent keeps its direction", fault_size::edge, false},
    {planted_fault::drop_own_destroyer_edge, "drop-own-destroyer-edge", "stages: destroy_split, E1",
        "one object is created without waiting for its own destruction", fault_size::edge, false},
    {planted_fault::drop_destroy_order_edge, "drop-destroy-order-edge", "stages: destroy_split, E3",
        "one destroyer does not wait for one of its dependents", fault_size::edge, false},
    {planted_fault::drop_after_dependency_edge, "drop-after-dependency-edge", "stages: destroy_split, E2",
        "one creator does not wait for one destruction of what it depended on", fault_size::edge, true},
    {planted_fault::drop_after_dependent_edge, "drop-after-dependent-edge", "stages: destroy_split, E4",
        "one creator does not wait for the destruction of a dependent", fault_size::edge, true},
    {planted_fault::drop_reference_edge, "drop-reference-edge", "stages: graph_builder",
        "one reference between instances makes no edge: an apply starts before its dependency ends", fault_size::edge, false},
    {planted_fault::drop_depends_on_edge, "drop-depends-on-edge", "stages: graph_builder",
        "one depends_on makes no edge", fault_size::edge, false},
    {planted_fault::drop_join_edge, "drop-join-edge", "stages: graph_builder::join_of",
        "the join of all instances of a declaration misses one", fault_size::edge, true},
    {planted_fault::drop_module_begin_edge, "drop-module-begin-edge", "stages: scope_boundaries",
        "one resource of a module does not wait for the begin of the module", fault_size::edge, true},
    {planted_fault::drop_module_close_edge, "drop-module-close-edge", "stages: scope_boundaries",
        "the close of a module does not wait for one member", fault_size::edge, true},
    {planted_fault::drop_configuration_edge, "drop-configuration-edge", "stages: graph_builder::connect_providers",
        "one change does not wait for the configuration of its provider", fault_size::edge, true},
    {planted_fault::ignore_recorded_cbd, "ignore-recorded-cbd", "stages: lifecycle_policy::destroyers",
        "the flag of an object that is no longer declared does not reverse its edges", fault_size::whole, true},
    {planted_fault::order_across_providers, "order-across-providers", "stages: lifecycle_policy::ordered",
        "objects of different providers are ordered even if that closes a cycle", fault_size::whole, true},
    {planted_fault::leave_deposed_unordered, "leave-deposed-unordered", "stages: lifecycle_policy::dependency_set",
        "deposed objects are destroyed in any order", fault_size::whole, true},
    {planted_fault::exclude_without_dependents, "exclude-without-dependents", "stages: target_selection::rejected",
        "dependents of excluded resources are planned", fault_size::whole, false},
    {planted_fault::target_without_dependency, "target-without-dependency", "stages: target_subgraph",
        "one dependency of a target is left out", fault_size::entry, false},
    {planted_fault::lose_end_entry, "lose-end-entry", "store: operation_runner::end",
        "the second end of a run is not written", fault_size::entry, false},
    {planted_fault::acknowledge_last_entry_early, "acknowledge-last-entry-early", "store: basic_journal::commit",
        "the last entry of each group is durable only with the next group: a crash loses it", fault_size::entry, false},
    {planted_fault::acknowledge_batch_early, "acknowledge-batch-early", "store: basic_journal::commit",
        "each group is durable only with the next one", fault_size::whole, false},
    {planted_fault::forget_deposed, "forget-deposed", "store: replay of begin",
        "a create loses the object that it deposes", fault_size::transition, false},
    {planted_fault::leave_deposed_after_failure, "leave-deposed-after-failure", "store: replay of end",
        "after a create that made nothing, the prior object stays deposed", fault_size::transition, true},
    {planted_fault::drop_object_after_failed_destroy, "drop-object-after-failed-destroy", "store: replay of end",
        "an object leaves state although its destruction failed", fault_size::transition, false},
    {planted_fault::lose_taint, "lose-taint", "store: change_applier::visit_creator",
        "an incompletely created object is not tainted", fault_size::transition, false},
    {planted_fault::lose_unfinished, "lose-unfinished", "store: operation_runner::record_unfinished",
        "an object whose provisioners still run is recorded as complete", fault_size::transition, true},
    {planted_fault::take_end_of_neighbour, "take-end-of-neighbour", "store: basic_journal::commit",
        "two ends of one group exchange their objects", fault_size::entry, false},
    {planted_fault::lose_last_dependency, "lose-last-dependency", "store: operation_runner::finished",
        "the last dependency of an object is not stored", fault_size::entry, false},
    {planted_fault::keep_removed_dependency, "keep-removed-dependency", "store: instance_planner::plan_instance",
        "dependencies that are no longer declared stay in state", fault_size::entry, false},
    {planted_fault::lose_recorded_cbd, "lose-recorded-cbd", "store: with_recorded_cbd",
        "the create_before_destroy flag of objects is not stored", fault_size::whole, true},
    {planted_fault::end_at_first_instance, "end-at-first-instance", "store: replay of end",
        "the end of a create of instance 1 is recorded at instance 0", fault_size::entry, false},
    {planted_fault::lose_output_entry, "lose-output-entry", "store: output_recorder::record",
        "outputs that become known during an apply are not recorded", fault_size::entry, true},
    {planted_fault::keep_removed_output, "keep-removed-output", "store: first_entries",
        "an output that is no longer declared stays in state", fault_size::entry, false},
    {planted_fault::lose_drift, "lose-drift", "store: first_entries",
        "what a refresh read is not recorded", fault_size::entry, false},
    {planted_fault::lose_removal, "lose-removal", "store: first_entries",
        "an object that no longer exists stays in state", fault_size::entry, false},
    {planted_fault::read_stale_state, "read-stale-state", "store: read",
        "the second read of a process returns what the first returned", fault_size::whole, false},
    {planted_fault::read_without_pending, "read-without-pending", "store: read",
        "pending operations are forgotten", fault_size::whole, false},
    {planted_fault::read_without_taint, "read-without-taint", "store: read",
        "tainted objects are read as complete", fault_size::transition, false},
    {planted_fault::read_without_deposed, "read-without-deposed", "store: read",
        "the first deposed object is not read", fault_size::entry, false},
    {planted_fault::destroy_current_for_deposed, "destroy-current-for-deposed", "provider: visit_destroyer",
        "the destruction of a deposed object names the current one", fault_size::entry, false},
    {planted_fault::repeat_update, "repeat-update", "provider: operation_runner::call",
        "an update is requested twice", fault_size::entry, false},
    {planted_fault::share_key_with_deposed, "share-key-with-deposed", "provider: operation_runner::operation_of",
        "destructions of a current and a deposed object have one idempotency key", fault_size::entry, true},
    {planted_fault::settle_unknown_as_not_done, "settle-unknown-as-not-done", "provider: recover_pending",
        "an operation whose result is not known counts as not done", fault_size::transition, false},
    {planted_fault::settle_created_as_not_done, "settle-created-as-not-done", "provider: recover_pending",
        "a pending create that made an object counts as not done", fault_size::transition, false},
    {planted_fault::settle_destroy_as_done, "settle-destroy-as-done", "provider: recover_pending",
        "a pending destroy that was not done counts as done", fault_size::transition, false},
    {planted_fault::settle_without_taint, "settle-without-taint", "plan: recover_pending",
        "a pending create with provisioners is settled as complete", fault_size::transition, true},
    {planted_fault::take_failure_for_success, "take-failure-for-success", "provider: applied::failed",
        "a failure that returned an object counts as success", fault_size::transition, false},
    {planted_fault::apply_request_of_neighbour, "apply-request-of-neighbour", "provider: visit_creator",
        "the second create of a run has the planned value of the first", fault_size::entry, false},
    {planted_fault::update_without_prior, "update-without-prior", "provider: visit_creator",
        "an update is requested as a create", fault_size::transition, false},
    {planted_fault::drop_last_refreshed, "drop-last-refreshed", "plan: plan_visitor::collect",
        "the last result of a refresh is not recorded", fault_size::entry, false},
    {planted_fault::move_without_deposed, "move-without-deposed", "plan: entries_of",
        "a move leaves deposed objects behind", fault_size::entry, true},
    {planted_fault::lose_last_arrival, "lose-last-arrival", "plan: entries_of",
        "the last object that moves leaves its address and arrives nowhere", fault_size::entry, true},
    {planted_fault::skip_conditions_of_apply, "skip-conditions-of-apply", "plan: change::has_conditions",
        "conditions are checked by the plan only", fault_size::whole, true},
    {planted_fault::ignore_requested_replacement, "ignore-requested-replacement", "plan: instance_planner::decide",
        "the option to replace an instance has no effect", fault_size::whole, false},
    {planted_fault::run_one_more_at_once, "run-one-more-at-once", "execution: options",
        "one operation more than the limit runs at once", fault_size::entry, false},
    {planted_fault::release_permit_twice, "release-permit-twice", "execution: resource_pools::settled",
        "the end of a visit releases two permits of its type", fault_size::entry, true},
    {planted_fault::go_on_after_first_failure, "go-on-after-first-failure", "execution: options",
        "operations start after the first failure although that was not wanted", fault_size::whole, false},
    {planted_fault::lose_last_instance, "lose-last-instance", "program: expand",
        "one instance of several is not expanded", fault_size::entry, false},
    {planted_fault::skip_last_move, "skip-last-move", "program: apply_moves",
        "the last move statement has no effect", fault_size::entry, false},
    {planted_fault::ignore_prevent_destroy, "ignore-prevent-destroy", "program: refuse_prevented_destroy",
        "prevent_destroy has no effect", fault_size::whole, false},
    {planted_fault::ignore_triggers, "ignore-triggers", "program: find_triggers",
        "replace_triggered_by has no effect", fault_size::whole, false},
    {planted_fault::destroy_instead_of_forget, "destroy-instead-of-forget", "program: plan_orphan",
        "objects to forget are destroyed", fault_size::transition, false},
    {planted_fault::skip_last_create_step, "skip-last-create-step", "program: steps_of",
        "the last of several create-time provisioners does not run", fault_size::entry, false},
    {planted_fault::skip_destroy_steps, "skip-destroy-steps", "program: visit_destroyer",
        "destroy-time provisioners do not run", fault_size::whole, false},
    {planted_fault::lose_last_reference, "lose-last-reference", "program: declaration_index",
        "the last of several references of a declaration is not seen", fault_size::edge, true},
    {planted_fault::ignore_declared_cbd, "ignore-declared-cbd", "program: lifecycle_of",
        "the create_before_destroy flag of the last declaration that has it has no effect", fault_size::entry, false},
    {planted_fault::release_lock_twice, "release-lock-twice", "lock: release",
        "an operator releases the lock after planning and again at the end", fault_size::transition, false},
    {planted_fault::apply_saved_plan_without_lock, "apply-saved-plan-without-lock", "lock: acquire",
        "the apply of a plan made before takes no lock", fault_size::whole, true},
}};
// clang-format on

[[nodiscard]] constexpr auto is_in_order() -> bool
{
    for (std::size_t i = 0; i < planted_faults.size(); ++i)
        if (static_cast<std::size_t>(planted_faults[i].fault) != i + 1) return false;
    return true;
}
static_assert(is_in_order(), "the catalogue lists all faults, in the order of their enumeration");

[[nodiscard]] constexpr auto find_planted(std::string_view name) -> std::optional<planted_fault>
{
    for (planted_description const& d : planted_faults)
        if (d.name == name) return d.fault;
    return std::nullopt;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_PLANTED_CATALOGUE_HPP
