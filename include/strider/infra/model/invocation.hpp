// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_INVOCATION_HPP
#define STRIDER_INFRA_MODEL_INVOCATION_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strider::infra {

/// The time at which a change of a resource invokes an action. `invoke`: the options of a plan name the action.
enum class trigger_event : std::uint8_t {
    before_create,
    after_create,
    before_update,
    after_update,
    before_destroy,
    after_destroy,
    invoke
};
/// The events of changes.
inline constexpr std::array trigger_events{trigger_event::before_destroy, trigger_event::after_destroy,
    trigger_event::before_create, trigger_event::before_update, trigger_event::after_create,
    trigger_event::after_update};

/// True if the action precedes the change.
[[nodiscard]] constexpr auto is_before(trigger_event e) noexcept -> bool
{
    return e == trigger_event::before_create || e == trigger_event::before_update || e == trigger_event::before_destroy;
}
/// True if the action belongs to the destruction of the object, not to its creation or update.
[[nodiscard]] constexpr auto is_of_destroy(trigger_event e) noexcept -> bool
{
    return e == trigger_event::before_destroy || e == trigger_event::after_destroy;
}
/// True if a change with this planned action fires the event. A replacement destroys and creates.
[[nodiscard]] constexpr auto fires(action what, trigger_event e) noexcept -> bool
{
    switch (e) {
    case trigger_event::before_create:
    case trigger_event::after_create:
        return what == action::create || is_replace(what) || what == action::forget_then_create;
    case trigger_event::before_update:
    case trigger_event::after_update: return what == action::update;
    case trigger_event::before_destroy:
    case trigger_event::after_destroy: return destroys_object(what);
    case trigger_event::invoke: break;
    }
    return false;
}

/// The effect of a failed action: dependents do not run; the same, and a created object is tainted; only warnings.
enum class failure_effect : std::uint8_t { halt, taint, warn };

/// A rule of a resource: actions that its changes invoke.
struct action_trigger {
    std::size_t index = 0;  ///< among the triggers of its declaration
    std::vector<trigger_event> events;  ///< distinct
    failure_effect on_failure = failure_effect::halt;  ///< of each of the actions
    std::vector<std::string> actions;  ///< names of the declarations, in the order of execution

    /// True if the trigger has the event, and a change with this planned action fires it.
    [[nodiscard]] auto is_fired(action what, trigger_event e) const noexcept -> bool
    {
        return fires(what, e) && std::find(events.begin(), events.end(), e) != events.end();
    }
};

/// The occasion on which the configuration of an action is evaluated.
template <class V>
struct invocation_context {
    trigger_event event = trigger_event::invoke;  ///< the event that invokes the action
    V const* caller = nullptr;  ///< the object whose change invokes it; null: there is none
};

/// A planned call of an action.
template <class V>
struct invocation {
    address target;  ///< the instance of the action
    std::size_t declaration = 0;  ///< number of the declaration of the action
    std::string provider;  ///< name of the provider that performs it
    V config{};  ///< as far as it is known when it is planned; the apply evaluates an incomplete one again
    trigger_event event = trigger_event::invoke;  ///< the event of the change that invokes it
    /// the instance whose change invokes it; for `invoke`, the one that its configuration refers to, or none
    address caller{};
    /// number of that change; like the members below, not set for `invoke`
    std::size_t change = static_cast<std::size_t>(-1);  ///< number of that change
    std::size_t trigger = 0;  ///< number of the trigger in its declaration
    std::size_t position = 0;  ///< in the list of that trigger
    failure_effect on_failure = failure_effect::halt;  ///< of the trigger
    bool conditional = false;  ///< the condition of the trigger was not known: the apply evaluates it
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_INVOCATION_HPP
