// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_CODES_HPP
#define STRIDER_INFRA_MODEL_CODES_HPP

#include <strider/version.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace strider::infra {

/// A code of a diagnostic of the engine. The meaning of a name never changes; texts belong to the program.
///
/// A diagnostic has `arguments` single arguments. If a code applies to several things, the remaining arguments are a
/// list of items with `item_fields` arguments each.
struct diagnostic_code {
    std::string_view name;  ///< stable and unique
    std::size_t arguments = 0;  ///< number of the arguments before the list
    std::size_t item_fields = 0;  ///< 0: no list

    /// True if a diagnostic with so many arguments is complete.
    [[nodiscard]] constexpr auto takes(std::size_t count) const noexcept -> bool
    {
        if (item_fields == 0) return count == arguments;
        return count >= arguments && (count - arguments) % item_fields == 0;
    }
    /// Compares the name only.
    friend constexpr auto operator==(diagnostic_code const& one, std::string_view other) noexcept -> bool
    {
        return one.name == other;
    }
};

/// Codes of the engine, with their arguments in order. "Each" introduces the list.
namespace codes {

// Plans and graphs.

/// Declarations or changes form a cycle. Arguments: names of all of them, separated by ", "; each edge of a cycle:
/// dependent, dependency, reason. Of a long cycle, only the first names and edges, with the number of the others.
inline constexpr diagnostic_code dependency_cycle{"dependency_cycle", 1, 3};
/// There are further cycles, which are not reported. Arguments: their number.
inline constexpr diagnostic_code more_dependency_cycles{"more_dependency_cycles", 1};
/// A graph is invalid for another reason. Arguments: message of the graph_error.
inline constexpr diagnostic_code invalid_dependency_graph{"invalid_dependency_graph", 1};
/// Planning a vertex ended with an exception. Arguments: name of the vertex, message of the exception.
inline constexpr diagnostic_code planning_failed{"planning_failed", 2};
/// Memory was exhausted during a plan or an apply. Reported once per run.
inline constexpr diagnostic_code out_of_memory{"out_of_memory"};
/// There are more errors than `diagnostics` stores. Arguments: the number of those that are stored.
inline constexpr diagnostic_code too_many_errors{"too_many_errors", 1};
/// A plan was cancelled before it was complete.
inline constexpr diagnostic_code planning_stopped{"planning_stopped"};
/// A resource declares create_before_destroy = false, but another one forces it. Arguments: name, name of the other.
inline constexpr diagnostic_code overruled_create_before_destroy{"overruled_create_before_destroy", 2};
/// `replace_triggered_by` refers to an instance that does not exist. Arguments: its address, in the root module.
inline constexpr diagnostic_code unknown_replace_trigger{"unknown_replace_trigger", 1};
/// The same in another module. Arguments: address within the module, module instance.
inline constexpr diagnostic_code unknown_replace_trigger_in_module{"unknown_replace_trigger_in_module", 2};
/// State has changed since the plan was made.
inline constexpr diagnostic_code stale_plan{"stale_plan"};

// Operations.

/// A vertex of an apply ended with an exception. Arguments: name of the vertex, message of the exception.
inline constexpr diagnostic_code operation_failed{"operation_failed", 2};
/// An operation was cancelled before it began. Arguments: address.
inline constexpr diagnostic_code operation_stopped{"operation_stopped", 1};
/// The result of an operation is not known yet. Arguments: its kind, address.
inline constexpr diagnostic_code operation_interrupted{"operation_interrupted", 2};
/// The same after an exception of the provider. Arguments: kind of the operation, address, message of the exception.
inline constexpr diagnostic_code operation_threw{"operation_threw", 3};
/// The result of a pending operation is not known. Arguments: its kind, address.
inline constexpr diagnostic_code undecided_operation{"undecided_operation", 2};
/// A destroy operation was interrupted before its provider was called, and its provisioners may have run. Arguments: address.
inline constexpr diagnostic_code undecided_provisioners{"undecided_provisioners", 1};
/// An action was interrupted, and may have been performed. Arguments: address.
inline constexpr diagnostic_code undecided_action{"undecided_action", 1};
/// The result of an action is not known. Arguments: address.
inline constexpr diagnostic_code action_interrupted{"action_interrupted", 1};
/// A provisioner ended with an exception without a message. Arguments: type of the provisioner, address.
inline constexpr diagnostic_code provisioner_interrupted{"provisioner_interrupted", 2};
/// A provisioner ended with an exception. Arguments: type of the provisioner, address, message of the exception.
inline constexpr diagnostic_code provisioner_threw{"provisioner_threw", 3};

// Actions.

/// An action is not declared, or its instance is not. Arguments: address.
inline constexpr diagnostic_code unknown_action{"unknown_action", 1};
/// The configuration of an action has unknown parts when it is invoked. Arguments: address.
inline constexpr diagnostic_code action_not_known{"action_not_known", 1};
/// A condition that decides if a change invokes actions is unknown when they are invoked. Arguments: address of the object.
inline constexpr diagnostic_code action_condition_unknown{"action_condition_unknown", 1};
/// The instances of an action are not known when it is to be invoked. Arguments: address.
inline constexpr diagnostic_code action_instances_unknown{"action_instances_unknown", 1};
/// An action refers to its caller, but no object of a resource exists that triggers it. Arguments: address, resource.
inline constexpr diagnostic_code action_caller_missing{"action_caller_missing", 2};
/// An instance is destroyed without actions that could not be planned. Arguments: address of the instance.
inline constexpr diagnostic_code action_not_planned{"action_not_planned", 1};
/// An action was not invoked because of a cancellation. Arguments: address.
inline constexpr diagnostic_code action_stopped{"action_stopped", 1};
/// An action ended with an exception. Arguments: address, message of the exception.
inline constexpr diagnostic_code action_threw{"action_threw", 2};
/// The provider does not support actions. Arguments: address.
inline constexpr diagnostic_code actions_not_supported{"actions_not_supported", 1};

// Violations of the contract of providers.

/// The provider planned an update, and a replacement when all values were known. Arguments: address.
inline constexpr diagnostic_code unplanned_replacement{"unplanned_replacement", 1};
/// The provider reported no error and returned no object. Arguments: address.
inline constexpr diagnostic_code no_object_after_apply{"no_object_after_apply", 1};
/// The provider was called to destroy an object, reported no error, and returned an object. Arguments: address.
inline constexpr diagnostic_code object_after_destroy{"object_after_destroy", 1};
/// The provider reported no error and returned an object with unknown parts. Arguments: address.
inline constexpr diagnostic_code unknown_after_apply{"unknown_after_apply", 1};

/// A planned value was wholly known, and the final plan differs from it. Arguments: address.
inline constexpr diagnostic_code final_plan_differs{"final_plan_differs", 1};
/// A planned value was wholly known, and the object differs from it. Arguments: address.
inline constexpr diagnostic_code result_differs{"result_differs", 1};

// Capabilities that a provider or a program lacks.

/// Importing is not supported. Arguments: address.
inline constexpr diagnostic_code import_not_supported{"import_not_supported", 1};
/// Reading data is not supported. Arguments: address.
inline constexpr diagnostic_code data_not_supported{"data_not_supported", 1};
/// A provider returned no data, and no error. Arguments: address.
inline constexpr diagnostic_code no_data_read{"no_data_read", 1};

// Imports.

/// No object has the id. Arguments: address, id.
inline constexpr diagnostic_code import_found_nothing{"import_found_nothing", 2};
/// An instance to import into is not declared. Arguments: address.
inline constexpr diagnostic_code import_target_not_declared{"import_target_not_declared", 1};

// Moves. Places are those of a move_statement.

/// Statements form a cycle. Arguments: each statement: place, from, to.
inline constexpr diagnostic_code move_cycle{"move_cycle", 0, 3};
/// Source and destination of a statement are equal. Arguments: address.
inline constexpr diagnostic_code move_to_itself{"move_to_itself", 1};
/// Another statement moves the same object elsewhere. Arguments: from, to, place of the other, its to.
inline constexpr diagnostic_code moved_to_two_places{"moved_to_two_places", 4};
/// Another statement moves another object to the same address. Arguments: from, to, place of the other, its from.
inline constexpr diagnostic_code moved_from_two_places{"moved_from_two_places", 4};
/// An object moves, but its old address is still declared. Arguments: from, to, place of the declaration.
inline constexpr diagnostic_code moved_object_still_declared{"moved_object_still_declared", 3};
/// Instances could not move because the destination exists. Arguments: each instance: from, to.
inline constexpr diagnostic_code blocked_moves{"blocked_moves", 0, 2};
/// An object moved to an address that is not an instance, and is destroyed. Arguments: from, to.
inline constexpr diagnostic_code moved_to_no_instance{"moved_to_no_instance", 2};
/// An object is destroyed, because the move that names its resource omits keys of its address. Arguments: from and to of the
/// statement, the instance.
inline constexpr diagnostic_code moved_without_key{"moved_without_key", 3};
/// Instances move, but options exclude them. Arguments: each excluded address or module.
inline constexpr diagnostic_code moved_objects_excluded{"moved_objects_excluded", 0, 1};
/// Instances move, but targets do not include them. Arguments: each resource without a target.
inline constexpr diagnostic_code moved_objects_not_targeted{"moved_objects_not_targeted", 0, 1};

// Inconsistencies of state, found by `verify_integrity`. The first argument is the place: an instance, with its
// deposed key if there is one.

/// An instance is recorded without an object. Arguments: place.
inline constexpr diagnostic_code state_without_object{"state_without_object", 1};
/// An object has no attributes. Arguments: place.
inline constexpr diagnostic_code state_without_attributes{"state_without_attributes", 1};
/// An object has no provider. Arguments: place.
inline constexpr diagnostic_code state_without_provider{"state_without_provider", 1};
/// State has resources or operations, but no lineage.
inline constexpr diagnostic_code state_without_lineage{"state_without_lineage"};
/// An object depends on its own resource. Arguments: place.
inline constexpr diagnostic_code state_depends_on_itself{"state_depends_on_itself", 1};
/// A dependency is not an address. Arguments: place, dependency.
inline constexpr diagnostic_code state_invalid_dependency{"state_invalid_dependency", 2};
/// A dependency is an instance rather than a resource. Arguments: place, dependency.
inline constexpr diagnostic_code state_depends_on_instance{"state_depends_on_instance", 2};
/// The key of a deposed object is invalid. Arguments: place, key.
inline constexpr diagnostic_code state_invalid_deposed_key{"state_invalid_deposed_key", 2};
/// A pending operation is stored under another key. Arguments: place, key, operation.
inline constexpr diagnostic_code state_misfiled_operation{"state_misfiled_operation", 3};
/// A pending operation destroys an object that does not exist. Arguments: place.
inline constexpr diagnostic_code state_destroys_nothing{"state_destroys_nothing", 1};

/// All codes. `make_error` does not compile with a code outside of this list.
inline constexpr std::array all{dependency_cycle, more_dependency_cycles, invalid_dependency_graph, planning_failed,
    out_of_memory, too_many_errors, planning_stopped, overruled_create_before_destroy, unknown_replace_trigger,
    unknown_replace_trigger_in_module, stale_plan, operation_failed, operation_stopped, operation_interrupted,
    operation_threw, undecided_operation, undecided_provisioners, undecided_action, action_interrupted,
    provisioner_interrupted, provisioner_threw, unknown_action, action_instances_unknown, action_not_known,
    action_condition_unknown, action_caller_missing, action_not_planned, action_stopped, action_threw,
    actions_not_supported, unplanned_replacement, no_object_after_apply, object_after_destroy, unknown_after_apply,
    final_plan_differs, result_differs, import_not_supported, data_not_supported, no_data_read, import_found_nothing,
    import_target_not_declared, move_cycle, move_to_itself, moved_to_two_places, moved_from_two_places,
    moved_object_still_declared, blocked_moves, moved_to_no_instance, moved_without_key, moved_objects_excluded,
    moved_objects_not_targeted, state_without_object, state_without_attributes, state_without_provider,
    state_without_lineage, state_depends_on_itself, state_invalid_dependency, state_depends_on_instance,
    state_invalid_deposed_key, state_misfiled_operation, state_destroys_nothing};

}  // namespace codes

/// A code of `codes::all`, checked at compile time.
class engine_code {
public:
    /// Accepts an entry of the catalogue; any other code is an error of compilation.
    consteval engine_code(diagnostic_code const& code) : code_(code)
    {
        // Cheap comparisons first: this runs at compile time for each diagnostic.
        for (diagnostic_code const& one : codes::all)
            if (one.arguments == code.arguments && one.name.size() == code.name.size() && one.name == code.name) return;
        throw "the code is not in codes::all";
    }
    /// The entry of the catalogue.
    [[nodiscard]] constexpr auto operator*() const noexcept -> diagnostic_code const& { return code_; }

private:
    diagnostic_code code_;
};

/// Finds the code with a name. \return null if the code is one of the program. \complexity O(codes)
[[nodiscard]] constexpr auto find_code(std::string_view name) noexcept -> diagnostic_code const*
{
    for (diagnostic_code const& one : codes::all)
        if (one.name == name) return &one;
    return nullptr;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_CODES_HPP
