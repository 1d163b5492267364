// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_ACTION_HPP
#define STRIDER_INFRA_MODEL_ACTION_HPP

#include <strider/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strider::infra {

/// The planned action for one instance.
enum class action : std::uint8_t {
    no_op,
    create,
    read,  ///< a data source that could not be read while planning
    update,
    destroy,
    destroy_then_create,  ///< replace
    create_then_destroy,  ///< replace, create_before_destroy
    forget,               ///< remove it from state, keep the object
    forget_then_create,   ///< replace, but keep the prior object
};

[[nodiscard]] constexpr auto is_replace(action a) noexcept -> bool
{
    return a == action::destroy_then_create || a == action::create_then_destroy;
}
/// True if the action creates, reads or updates an object.
[[nodiscard]] constexpr auto makes_object(action a) noexcept -> bool
{
    return a == action::create || a == action::read || a == action::update || is_replace(a)
        || a == action::forget_then_create;
}
/// True if the action changes an existing object, which fires `replace_triggered_by` of other resources.
[[nodiscard]] constexpr auto changes_object(action a) noexcept -> bool
{
    return a == action::update || is_replace(a) || a == action::forget_then_create;
}
[[nodiscard]] constexpr auto destroys_object(action a) noexcept -> bool
{
    return a == action::destroy || is_replace(a);
}

/// The reason of an action, if it is not obvious. The names are those of plan files.
enum class action_reason : std::uint8_t {
    none,
    replace_because_tainted,
    replace_because_cannot_update,
    replace_by_request,
    replace_by_triggers,
    delete_because_no_resource_config,
    delete_because_wrong_repetition,
    delete_because_count_index,
    delete_because_each_key,
    delete_because_no_module,
    read_because_config_unknown,
    read_because_dependency_pending,
    delete_because_no_move_target,
    read_because_check_nested,
    delete_because_enabled_false,
    forgot_because_lifecycle_destroy_in_config,
    forgot_because_lifecycle_destroy_in_state,
};
inline constexpr std::size_t action_reasons =
    static_cast<std::size_t>(action_reason::forgot_because_lifecycle_destroy_in_state) + 1;

[[nodiscard]] constexpr auto to_string(action_reason reason) noexcept -> std::string_view
{
    switch (reason) {
    case action_reason::none: return "";
    case action_reason::replace_because_tainted: return "replace_because_tainted";
    case action_reason::replace_because_cannot_update: return "replace_because_cannot_update";
    case action_reason::replace_by_request: return "replace_by_request";
    case action_reason::replace_by_triggers: return "replace_by_triggers";
    case action_reason::delete_because_no_resource_config: return "delete_because_no_resource_config";
    case action_reason::delete_because_wrong_repetition: return "delete_because_wrong_repetition";
    case action_reason::delete_because_count_index: return "delete_because_count_index";
    case action_reason::delete_because_each_key: return "delete_because_each_key";
    case action_reason::delete_because_no_module: return "delete_because_no_module";
    case action_reason::delete_because_no_move_target: return "delete_because_no_move_target";
    case action_reason::read_because_config_unknown: return "read_because_config_unknown";
    case action_reason::read_because_check_nested: return "read_because_check_nested";
    case action_reason::delete_because_enabled_false: return "delete_because_enabled_false";
    case action_reason::forgot_because_lifecycle_destroy_in_config: return "forgot_because_lifecycle_destroy_in_config";
    case action_reason::forgot_because_lifecycle_destroy_in_state: return "forgot_because_lifecycle_destroy_in_state";
    case action_reason::read_because_dependency_pending: return "read_because_dependency_pending";
    }
    return "";
}

/// The kind of one provider call. The journal records it. `invoke` performs an action, which has no object.
enum class operation_kind : std::uint8_t { create, read, update, destroy, invoke };
inline constexpr std::size_t operation_kinds = 5;

[[nodiscard]] constexpr auto to_string(operation_kind kind) noexcept -> std::string_view
{
    switch (kind) {
    case operation_kind::create: return "create";
    case operation_kind::read: return "read";
    case operation_kind::update: return "update";
    case operation_kind::destroy: return "destroy";
    case operation_kind::invoke: return "invoke";
    }
    return "";
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_ACTION_HPP
