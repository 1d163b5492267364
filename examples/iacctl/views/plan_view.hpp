// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PLAN_VIEW_HPP
#define IACCTL_VIEWS_PLAN_VIEW_HPP

#include "base/terraform_version.hpp"
#include "language/values/value.hpp"
#include "state_view.hpp"

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace iacctl::views {

/// A path in a value: names of attributes, keys of maps, indices of lists.
using path_step = std::variant<std::string, std::int64_t>;
using value_path = std::vector<path_step>;

/// The planned change of one object. A null value means that there is no object.
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
    std::string importing_identity{};  ///< JSON, instead of the id
    std::string identity_before{};  ///< JSON; empty: none
    std::string identity_after{};   ///< the same, if it is wholly known
    std::string generated_config{};  ///< of an imported object that was not declared; else empty
    std::size_t number = 0;  ///< index among the changes of the plan
    std::vector<std::string> triggers{};  ///< references in replace_triggered_by that have changes
    std::string place{};  ///< of the declaration, such as "main.tf:12"; shown by pages only
    resource_schema const* schema = nullptr;  ///< null: shows every attribute of the values, each with its own type

    [[nodiscard]] auto moved() const -> bool { return previous_address && *previous_address != address; }
};

/// A change that is left to a later plan.
struct deferred_view {
    change_view change;
    infra::deferral_reason reason = infra::deferral_reason::deferred_prereq;
};

/// The id or the identity of an imported object, as JSON. \pre the object is imported
[[nodiscard]] auto importing_json(change_view const& change) -> std::string;

/// Returns whether texts show the change: not if there is no action, nor for removed data.
[[nodiscard]] inline auto is_shown(change_view const& change) -> bool
{
    if (change.action == infra::action::no_op) return change.moved() || change.importing_id.has_value();
    return change.action != infra::action::destroy || change.address.mode() == infra::resource_mode::managed;
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

/// An attribute that affects the plan. Only changes of such attributes outside of the program are reported.
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

/// A whole plan. Changes and outputs may be in any order, and include unchanged ones.
struct plan_view {
    infra::plan_mode mode = infra::plan_mode::normal;
    std::vector<change_view> changes;
    std::vector<change_view> drift;
    std::vector<deferred_view> deferred;
    std::vector<output_change_view> output_changes;
    std::vector<action_view> actions;  ///< actions of one object are in the order of execution
    std::vector<relevant_attribute> relevant;
    std::vector<variable_view> variables;
    std::string checks;         ///< check_results of a state file, or empty
    state_view prior_state;
    std::string configuration;  ///< JSON, or empty
    std::string timestamp;      ///< RFC 3339, or empty
    std::string terraform_version{iacctl::terraform_version};
    bool applyable = true;
    bool complete = true;  ///< false with -target, or if changes are deferred
    bool errored = false;
};

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PLAN_VIEW_HPP
