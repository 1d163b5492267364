// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_PLAN_VIEW_HPP
#define IACCTL_UI_PLAN_VIEW_HPP

#include "state_view.hpp"
#include "support/terraform_version.hpp"
#include <language/values/value.hpp>

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/invocation.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace iacctl::ui {

/// A way into a value: names of attributes, keys of maps, indices of lists.
using path_step = std::variant<std::string, std::int64_t>;
using value_path = std::vector<path_step>;

/// What is planned for one object. A null value means that there is none.
struct change_view {
    infra::address address;
    std::optional<infra::address> previous_address;
    std::string deposed_key;
    std::string provider_name;
    infra::action action = infra::action::no_op;
    infra::action_reason reason = infra::action_reason::none;
    language::value before;
    language::value after;
    std::vector<value_path> replace_paths;
    std::optional<std::string> importing_id;
    std::string importing_identity{};  ///< JSON, in place of the id
    std::string identity_before{};  ///< JSON; empty: none
    std::string identity_after{};   ///< the same, as far as it is known as a whole
    bool generated_config = false;  ///< what is imported was not declared
    std::size_t number = 0;  ///< among the changes of the plan
    std::vector<std::string> triggers{};  ///< references in replace_triggered_by that have changes
    std::string place{};  ///< of the declaration, such as "main.tf:12"; only pages show it
    resource_schema const* schema = nullptr;  ///< null: every attribute of the values, each of its own type

    [[nodiscard]] bool moved() const { return previous_address && *previous_address != address; }
};

/// A change that a later plan decides on.
struct deferred_view {
    change_view change;
    infra::deferral_reason reason = infra::deferral_reason::deferred_prereq;
};

/// The id or the identity of an imported object, as JSON. \pre it is imported
[[nodiscard]] std::string importing_json(change_view const& of);

/// True if a person reads of the change: not of one without an action, nor of data that are gone.
[[nodiscard]] inline bool is_shown(change_view const& of)
{
    if (of.action == infra::action::no_op) return of.moved() || of.importing_id.has_value();
    return of.action != infra::action::destroy || of.address.mode() == infra::resource_mode::managed;
}

struct output_change_view {
    std::string name;
    infra::action action = infra::action::no_op;
    language::value before;
    language::value after;
    bool sensitive = false;
};

struct variable_view {
    std::string name;
    language::value of;
};

/// An attribute that had a part in the plan: a change of it outside of the program is worth telling.
struct relevant_attribute {
    std::string resource;  ///< address
    value_path path;
};

/// An action that the plan invokes.
struct action_view {
    infra::address address;
    std::string provider_name;
    infra::trigger_event event = infra::trigger_event::invoke;
    infra::address caller{};  ///< the object whose change invokes it; without a type for `invoke`
    std::size_t trigger = 0;
    std::size_t position = 0;
    infra::failure_effect on_failure = infra::failure_effect::halt;
    language::value config;
    resource_schema const* schema = nullptr;
};

enum class plan_mode : std::uint8_t { normal, destroy, refresh_only };

/// A whole plan. Changes and outputs may come in any order, and include what does not change.
struct plan_view {
    plan_mode mode = plan_mode::normal;
    std::vector<change_view> changes;
    std::vector<change_view> drift;
    std::vector<deferred_view> deferred;
    std::vector<output_change_view> output_changes;
    std::vector<action_view> actions;  ///< those of one object in the order of execution
    std::vector<relevant_attribute> relevant;
    std::vector<variable_view> variables;
    std::string checks;         ///< check_results of a state file, or nothing
    state_view prior_state;
    std::string configuration;  ///< JSON, or nothing
    std::string timestamp;      ///< RFC 3339, or nothing
    std::string terraform_version{iacctl::terraform_version};
    bool applyable = true;
    bool complete = true;  ///< false with -target, or if changes are deferred
    bool errored = false;
};

}  // namespace iacctl::ui

#endif  // IACCTL_UI_PLAN_VIEW_HPP
