// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_DECLARATION_HPP
#define STRIDER_INFRA_SIM_TOY_DECLARATION_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/sim/toy_term.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// A condition: a term before the object is created, or an attribute of it (`term` is its name) afterwards.
struct toy_condition {
    condition_time when = condition_time::before;  ///< the time of the check
    toy_term term = "";  ///< as text
    std::string expected;  ///< the text for which the condition holds
};

/// An action in the list of a trigger: the instance with a key, or with that of the object.
struct toy_triggered_action {
    std::string name;  ///< of the declaration, in the module of the resource
    instance_key key{};  ///< empty: the action is not repeated
    bool own_key = false;  ///< the key of the object whose change triggers it
};

/// A trigger of a resource.
struct toy_action_trigger {
    std::vector<trigger_event> events;  ///< distinct
    std::vector<toy_triggered_action> actions;  ///< in the order of execution
    failure_effect on_failure = failure_effect::halt;  ///< of each action
    std::optional<std::pair<toy_term, std::string>> condition{};  ///< a term, and the text for which it holds
};

/// A declaration of the toy.
struct toy_declaration {
    std::string
        name;  ///< "toy.a", "action.toy.a", "local.x", "output.o", "module.m"; prefixed with "module.m." in module m
    declaration_kind kind = declaration_kind::resource;  ///< of a resource by default
    address target;  ///< of a resource or action: its configuration address
    std::string module;  ///< name of its module
    std::map<std::string, toy_term> attributes;  ///< of a value or output: "value"
    infra::lifecycle lifecycle;  ///< of a resource
    std::string provider = "sim";  ///< name of the provider of a resource
    std::vector<reference> depends_on;  ///< explicit dependencies, without use of a value
    std::optional<toy_term> count;  ///< a number as text; not together with for_each
    std::optional<toy_term> for_each;  ///< keys, joined by commas
    std::vector<std::string> ignored;  ///< attributes that keep their prior values
    std::vector<replace_trigger> triggers;  ///< references whose changes replace the objects
    std::vector<std::pair<provisioner, toy_term>> steps;  ///< provisioners with their commands
    std::vector<toy_condition> conditions;  ///< of a resource, or of a check
    std::vector<std::pair<instance_key, toy_term>> imports;  ///< ids of existing objects, by instance
    std::vector<toy_action_trigger> action_triggers;  ///< of a resource
    std::uint32_t place = 0;  ///< line in the source, for messages
    bool sensitive = false;  ///< of an output
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_DECLARATION_HPP
