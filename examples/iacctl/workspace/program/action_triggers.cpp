// SPDX-License-Identifier: BSL-1.0
// The actions that changes of resources invoke.
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/values/convert.hpp"
#include "messages/program.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::program {

namespace {

auto event_of(language::action_event event) -> infra::trigger_event
{
    switch (event) {
    case language::action_event::before_create: return infra::trigger_event::before_create;
    case language::action_event::after_create: return infra::trigger_event::after_create;
    case language::action_event::before_update: return infra::trigger_event::before_update;
    case language::action_event::after_update: return infra::trigger_event::after_update;
    case language::action_event::before_destroy: return infra::trigger_event::before_destroy;
    case language::action_event::after_destroy: break;
    }
    return infra::trigger_event::after_destroy;
}

auto effect_of(language::action_failure failure) -> infra::failure_effect
{
    switch (failure) {
    case language::action_failure::halt: return infra::failure_effect::halt;
    case language::action_failure::taint: return infra::failure_effect::taint;
    case language::action_failure::keep_going: break;
    }
    return infra::failure_effect::warn;
}

}  // namespace

auto hcl_program::action_triggers(declaration const& d) const -> std::vector<infra::action_trigger>
{
    std::vector<infra::action_trigger> all;
    if (d.resource() == nullptr) return all;
    for (language::action_trigger_block const& written : d.resource()->lifecycle.action_triggers) {
        infra::action_trigger made;
        made.index = all.size();
        made.on_failure = effect_of(written.on_failure);
        for (language::action_event const e : written.events) made.events.push_back(event_of(e));
        for (auto const& one : written.actions) made.actions.push_back(d.in->prefix + one.of.address());
        all.push_back(std::move(made));
    }
    return all;
}

auto hcl_program::trigger_holds(declaration const& d, infra::action_trigger const& trigger,
    infra::address const& instance, value const& self, scope_type const& scope) const -> expected<std::optional<bool>>
{
    language::expression const& condition = d.resource()->lifecycle.action_triggers[trigger.index].condition;
    if (!condition) return std::optional(true);
    std::string const name = to_string(instance);
    infra::diagnostics found;
    instance_scope in(*this, scope, d, instance, &self);
    in.set_caller(self);
    value const given = language::evaluate(condition, in, found);
    auto const made = language::convert(given.unmarked_deep(), language::type::boolean());
    if (!found.has_errors() && (!made || made->is_null()))
        found.add(language::error(messages::action_condition_invalid, {name}, condition.range()));
    if (found.has_errors()) return infra::failure(with_address(found, name));
    return made->is_unknown() ? std::optional<bool>() : std::optional(made->as_bool());
}

auto hcl_program::evaluate_action(declaration const& d, infra::address const& instance,
    infra::invocation_context<value> const& call, scope_type const& scope) const -> expected<value>
{
    infra::diagnostics found;
    instance_scope in(*this, scope, d, instance, nullptr);
    if (call.caller != nullptr) in.set_caller(*call.caller);
    value result = body_of(d, in, found);
    if (is_of_destroy(call.event) && result.has_deep(language::mark::ephemeral))
        found.add(language::error(
            messages::destroy_action_ephemeral, {to_string(instance)}, d.resource()->content.missing_item_range()));
    if (found.has_errors()) return infra::failure(with_address(found, to_string(instance)));
    return result;
}

auto hcl_program::refers_to_caller(declaration const& d) const -> bool
{
    if (d.resource() == nullptr || d.kind != infra::declaration_kind::action) return false;
    infra::diagnostics ignored_here;
    return std::ranges::any_of(language::references_of(d.resource()->content, ignored_here),
        [](language::reference const& r) { return r.kind == language::reference_kind::caller; });
}

auto hcl_program::triggered_actions(declaration const& d, infra::action_trigger const& trigger,
    infra::address const& instance, scope_type const& scope) const -> expected<std::vector<infra::address>>
{
    std::vector<infra::address> all;
    infra::diagnostics found;
    instance_scope const in(*this, scope, d, instance, nullptr);
    for (auto const& one : d.resource()->lifecycle.action_triggers[trigger.index].actions) {
        infra::instance_key key = instance_key_of(one.of.key);
        if (one.key) {
            auto const before = found.error_count();
            value const given = language::evaluate(one.key, in, found).unmarked_deep();
            if (given.has_data()) key = instance_key_of(given);
            if (!key && found.error_count() == before)
                found.add(language::error(messages::invalid_action_key, {to_string(instance)}, one.key.range()));
        }
        all.emplace_back(instance.module(), infra::resource_mode::action, std::string(one.of.type),
            std::string(one.of.name), std::move(key));
    }
    if (found.has_errors()) return infra::failure(with_address(found, to_string(instance)));
    return all;
}

}  // namespace iacctl::program
