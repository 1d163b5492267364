// SPDX-License-Identifier: BSL-1.0
#include <fuzz/laws.hpp>

#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <optional>

namespace strider::test {
namespace {

using infra::address;
using infra::declaration_kind;
using infra::operation_kind;
using infra::resource_mode;
using infra::sim::cloud_operation;
namespace sim_codes = infra::sim::codes;

template <class Code>
auto has_code(infra::diagnostics const& problems, Code const& code) -> bool
{
    return std::any_of(problems.begin(), problems.end(), [&](auto const& p) { return p.code == code; });
}

auto has_create_step(infra::sim::toy_declaration const& d) -> bool
{
    return std::any_of(d.steps.begin(), d.steps.end(),
        [](auto const& step) { return step.first.when == infra::provision_time::create; });
}

/// Returns whether an object that is destroyed late depended on this one, according to state.
auto is_used_by_late(std::vector<toy_change> const& changes, toy_change const& of) -> bool
{
    return std::any_of(changes.begin(), changes.end(), [&](toy_change const& c) {
        bool const late = c.what == infra::action::create_then_destroy
            || (c.what == infra::action::destroy && (c.of_deposed || c.stored_create_before_destroy));
        return late && has(c.stored_dependencies.names(), of.config);
    });
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ laws of planning

void fuzz_world::check_refusal(one_run const& r)
{
    bool prevents = false;
    bool computes = false;
    bool has_conditions = false;
    bool has_triggers = false;
    bool has_imports = false;
    bool triggers_destroys = false;
    bool triggers_instances = false;
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        auto const& d = r.text[i];
        prevents = prevents || d.lifecycle.prevent_destroy;
        auto const is_computed = [](auto const& t) { return t && t->kind() != infra::sim::toy_term::kind_type::text; };
        computes = computes || is_computed(d.count) || is_computed(d.for_each);
        for (auto const& t : d.action_triggers) {
            triggers_destroys =
                triggers_destroys || std::any_of(t.events.begin(), t.events.end(), infra::is_of_destroy);
            for (auto const& one : t.actions) triggers_instances = triggers_instances || one.key || one.own_key;
        }
        has_conditions = has_conditions || !d.conditions.empty();
        has_triggers = has_triggers || !d.triggers.empty();
        has_imports = has_imports || !d.imports.empty();
    }
    bool const moves = !r.order.program.moves().empty() || !r.prior.resources.empty() || !r.prior.pending.empty();
    for (auto const& p : r.report.refusal) {
        if (p.level != infra::severity::error) continue;
        bool expected = false;
        if (p.code == infra::codes::dependency_cycle) expected = is_contradictory(r.text, r.report.changes, r.mode());
        else if (p.code == sim_codes::prevented) expected = prevents;
        else if (p.code == sim_codes::unknown_repetition || p.code == sim_codes::invalid_count) expected = computes;
        else if (p.code == sim_codes::precondition_failed || p.code == sim_codes::postcondition_failed)
            expected = has_conditions;
        else if (p.code == infra::codes::unknown_replace_trigger
            || p.code == infra::codes::unknown_replace_trigger_in_module)
            expected = has_triggers;
        else if (p.code == infra::codes::import_found_nothing || p.code == infra::codes::import_target_not_declared)
            expected = has_imports;
        else if (p.code == sim_codes::invalid_plan) expected = !r.order.of_plan.violations.empty();
        else if (p.code == infra::codes::action_not_known)
            expected = triggers_destroys || !r.order.options.invoke.empty();
        else if (p.code == infra::codes::unknown_action)
            expected = triggers_instances || !r.order.options.invoke.empty();
        else if (p.code == sim_codes::undeclared || p.code == infra::codes::action_caller_missing
            || p.code == infra::codes::action_instances_unknown)
            expected = !r.order.options.invoke.empty();
        else if (p.code == infra::codes::undecided_operation)
            expected = r.order.of_plan.lost_memory && !r.prior.pending.empty();
        else if (p.code == infra::codes::move_cycle || p.code == infra::codes::moved_object_still_declared
            || p.code == infra::codes::moved_to_two_places || p.code == infra::codes::moved_from_two_places
            || p.code == infra::codes::move_to_itself)
            expected = !r.order.program.moves().empty();
        else if (p.code == infra::codes::moved_objects_not_targeted || p.code == infra::codes::moved_objects_excluded)
            expected = moves && r.is_partial;
        else if (p.code == sim_codes::data_missing) expected = !r.refreshes || r.is_partial;
        else if (p.code == sim_codes::not_evaluated || p.code == sim_codes::invalid_index)
            // Providers are configured with the objects in state to look up what is pending.
            expected = r.is_partial || r.mode() == plan_mode::refresh_only || !r.prior.pending.empty();
        if (!expected) broken("refusal by " + p.code, p.address);
    }
}

void fuzz_world::check_plan(one_run const& r)
{
    auto const& plan = *r.report.plan;
    // Operations whose results a forgetful provider does not know need a decision, unless their objects were recorded.
    if (r.order.of_plan.lost_memory)
        for (auto const& [key, operation] : r.prior.pending)
            if (infra::created_by(r.prior, operation) == nullptr) broken("undecided", key + " was settled");
    if (!r.prior.pending.empty()) count("pending recovered");

    std::set<address> moved_from;
    for (toy_change const& c : plan.changes)
        if (c.previous) moved_from.insert(*c.previous);
    for (auto const& move : r.order.program.moves()) {
        if (move.from.type().empty() || move.from.key() || !move.from.module().empty()) continue;
        for (auto const& [a, record] : r.prior.resources) {
            if (a.config() != move.from || !record.current) continue;
            if (r.text.find(move.from) || r.mode() != plan_mode::normal || r.is_partial || !r.prior.pending.empty())
                continue;
            for (toy_change const& c : plan.changes)
                if (c.target == a && infra::destroys_object(c.what)) {
                    // The law does not apply if an object at its destination, or at that of a later move, blocked the
                    // move.
                    bool const blocked = std::any_of(
                        r.order.program.moves().begin(), r.order.program.moves().end(), [&](auto const& other) {
                            return std::any_of(r.prior.resources.begin(), r.prior.resources.end(),
                                [&](auto const& one) { return one.first.config() == other.to; });
                        });
                    if (!blocked) broken("moved", to_string(a) + " is destroyed");
                }
        }
    }

    for (toy_change const& c : plan.changes) {
        auto const declared = c.declaration == infra::no_declaration ? std::nullopt : r.text.find(c.target.config());
        if (declared && !c.of_deposed && infra::destroys_object(c.what) && r.text[*declared].lifecycle.prevent_destroy)
            broken("prevented", to_string(c.target));
        if (r.mode() == plan_mode::normal && !declared && infra::destroys_object(c.what)
            && r.order.program.removal_of(c.target) == infra::removal::forget)
            broken("forgotten", to_string(c.target) + " is destroyed");
    }
    // Each deposed object must be destroyed.
    if (r.mode() != plan_mode::refresh_only && !r.is_partial && r.prior.pending.empty()
        && r.order.program.moves().empty())
        for (auto const& [a, record] : r.prior.resources)
            for (auto const& [key, old] : record.deposed) {
                if (cloud_.find(id_of(old)) == nullptr) continue;
                bool const planned =
                    std::any_of(plan.changes.begin(), plan.changes.end(), [&, &k = key](auto const& c) {
                        return c.of_deposed && c.deposed_key == k && c.before && (*c.before)["id"] == id_of(old);
                    });
                if (!planned) broken("deposed", to_string(a) + " " + key + " is not to be destroyed");
            }
}

void fuzz_world::check_selection(one_run const& r)
{
    if (!r.is_partial || r.mode() != plan_mode::normal) return;
    auto const& options = r.order.options;
    std::set<std::size_t> chosen;
    auto const is_named = [](std::vector<address> const& names, address const& block) {
        return infra::is_any(names, block, true);
    };
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        if (r.text[i].kind != declaration_kind::resource) continue;
        if (!options.targets.empty() && is_named(options.targets, r.text[i].target)) {
            chosen.insert(i);
            chosen.insert(r.text.closure(i).begin(), r.text.closure(i).end());
            for (auto const& t : r.text[i].action_triggers)
                for (auto const& one : t.actions)
                    if (auto const action = r.text.find(one.name))
                        chosen.insert(r.text.closure(*action).begin(), r.text.closure(*action).end());
        }
        if (!options.excludes.empty()) {
            bool left_out = false;
            for (std::size_t const d : r.text.closure(i))
                if (r.text[d].kind == declaration_kind::resource && d != i)
                    left_out = left_out || is_named(options.excludes, r.text[d].target);
            if (!left_out) chosen.insert(i);
        }
    }
    for (toy_change const& c : r.report.plan->changes) {
        if (c.what == infra::action::no_op) continue;
        auto const declared = r.text.find(c.target.config());
        bool const in = declared ? chosen.contains(*declared) && !infra::is_any(options.excludes, c.target, false)
                                 : infra::is_covered(options, c.target);
        if (!in) broken("selection", to_string(c.target) + " is not selected");
    }
    // A dependency of a target is planned, too.
    if (!options.excludes.empty() || !r.report.plan->deferred.empty()) return;
    for (std::size_t const i : chosen) {
        if (r.text[i].kind != declaration_kind::resource) continue;
        bool const planned = std::any_of(r.report.plan->changes.begin(), r.report.plan->changes.end(),
            [&](toy_change const& c) { return c.target.config() == r.text[i].target; });
        auto const instances = r.text.instances(i, r.prior);
        bool const has_key =
            std::any_of(options.targets.begin(), options.targets.end(), [](address const& a) { return !!a.key(); });
        if (!planned && instances && !instances->empty() && !has_key && !r.text[i].count && !r.text[i].for_each
            && r.text[i].target.module().empty())
            broken("selection", r.text[i].name + " is missing");
    }
}

void fuzz_world::check_replacements(one_run const& r)
{
    if (r.mode() != plan_mode::normal) return;
    auto const& plan = *r.report.plan;
    for (toy_change const& c : plan.changes) {
        if (c.of_deposed || c.declaration == infra::no_declaration || c.target.mode() != resource_mode::managed)
            continue;
        auto const i = r.text.find(c.target.config());
        if (!i) continue;
        auto const& d = r.text[*i];
        if (infra::is_replace(c.what) && !r.is_partial) {
            bool const late = c.what == infra::action::create_then_destroy;
            if (late != r.text.creates_before_destroy(*i) && !(late && is_used_by_late(plan.changes, c)))
                broken("replacement", to_string(c.target) + (late ? " is created first" : " is destroyed first"));
        }
        auto const* const record = r.prior.find(c.previous.value_or(c.target));
        bool const exists = c.before && record != nullptr && record->current;
        if (!exists || c.what == infra::action::destroy || c.what == infra::action::forget) continue;
        bool const requested = has(r.order.options.replace, c.target);
        bool triggered = false;
        for (infra::replace_trigger const& t : d.triggers)
            for (toy_change const& other : plan.changes) {
                auto const subject = r.text.find(other.target.config());
                if (!subject || r.text[*subject].name != t.subject.name || !infra::changes_object(other.what)) continue;
                if (other.target.module() != c.target.module() || !other.after || !other.before) continue;
                triggered = triggered || t.attribute.empty() || other.after->is_unknown(t.attribute)
                    || (*other.before)[t.attribute] != (*other.after)[t.attribute];
            }
        bool const is_replaced = infra::is_replace(c.what) || c.what == infra::action::forget_then_create;
        if ((requested || triggered || record->current->tainted) && !is_replaced && r.prior.pending.empty())
            broken("replacement", to_string(c.target) + " is not replaced");
        // Ignored attributes stay as they are.
        if (c.what == infra::action::update)
            for (std::string const& name : d.ignored)
                if (c.before->has(name) && !c.after->has_same(name, *c.before))
                    broken("ignored", to_string(c.target) + "." + name);
    }
}

// ------------------------------------------------------------------------------------------------------ laws of applying

void fuzz_world::check_operations(one_run const& r)
{
    auto const& plan = *r.report.plan;
    auto const wants = [&](cloud_operation const& o) -> toy_change const* {
        for (toy_change const& c : plan.changes) {
            if (c.target != o.target) continue;
            bool const forgets = c.what == infra::action::forget_then_create;
            bool const late = c.what == infra::action::create_then_destroy || (forgets && c.create_before_destroy);
            bool const creates = c.what == infra::action::create || infra::is_replace(c.what) || forgets;
            switch (o.kind) {
            case operation_kind::create:
                if (creates && o.deposed_key == (late ? c.deposed_key : "")) return &c;
                break;
            case operation_kind::update:
                if (c.what == infra::action::update) return &c;
                break;
            case operation_kind::destroy:
                if (infra::destroys_object(c.what) && o.deposed_key == (late || c.of_deposed ? c.deposed_key : ""))
                    return &c;
                break;
            case operation_kind::read:
            case operation_kind::invoke: break;
            }
        }
        return nullptr;
    };
    std::size_t done = 0;
    bool any_failed = false;
    for (cloud_operation const& o : r.log) {
        toy_change const* const c = wants(o);
        if (c == nullptr) {
            broken("planned", o.key + " was not planned");
            continue;
        }
        ++done;
        any_failed = any_failed || o.failed || o.end == 0;
        std::string const expected = o.kind == operation_kind::create ? o.object : c->before ? (*c->before)["id"] : "";
        if (!o.object.empty() && o.object != expected) broken("planned", o.key + " changed " + o.object);
        if (o.kind != operation_kind::destroy && o.end != 0 && !o.failed && c->after) {
            auto const* const made = cloud_.find(o.object);
            bool const is_last = std::none_of(r.log.begin(), r.log.end(),
                [&](cloud_operation const& later) { return later.begin > o.begin && later.object == o.object; });
            if (made != nullptr && is_last)
                for (auto const& [name, text] : c->after->attributes())
                    if (text && made->value[name] != *text)
                        broken("planned", o.key + " set " + name + " to " + made->value[name] + ", not " + *text);
        }
    }
    if (any_failed && r.report.applied && r.report.applied->ok) broken("reported", "a failure was not reported");
    if (!r.report.applied || !r.report.applied->ok) return;
    std::size_t wanted = 0;
    std::size_t possible = 0;
    for (toy_change const& c : plan.changes) {
        bool const managed = c.target.mode() == resource_mode::managed;
        wanted += managed && infra::makes_object(c.what) ? 1U : 0U;
        wanted += managed && infra::destroys_object(c.what) ? 1U : 0U;
        possible += managed && c.what == infra::action::update && !c.after->wholly_known() ? 1U : 0U;
    }
    if (done > wanted || done + possible < wanted)
        broken("planned", std::to_string(done) + " operations instead of " + std::to_string(wanted));
}

void fuzz_world::check_limits(one_run const& r)
{
    auto const& limits = r.order.of_apply.limits;
    std::size_t limit = limits.max_concurrency();
    for (auto const& [_, of_type] : limits.of_type) limit = std::min<std::size_t>(limit, of_type);
    std::size_t most = 0;
    std::optional<std::uint64_t> failure;
    std::size_t after_failure = 0;
    for (cloud_operation const& o : r.log) {
        std::size_t running = 1;
        for (cloud_operation const& other : r.log)
            if (&other != &o && other.begin < o.begin && other.end > o.begin) ++running;
        most = std::max(most, running);
        if (o.failed && (!failure || o.end < *failure)) failure = o.end;
    }
    for (cloud_operation const& o : r.log)
        if (failure && o.begin > *failure) ++after_failure;
    if (most > limit) broken("limit", std::to_string(most) + " operations run at once");
    if (limits.stop_on_first_failure && after_failure + 1 > limit)
        broken("first failure", std::to_string(after_failure) + " operations begin after it");
}

void fuzz_world::check_transitions(one_run const& r)
{
    if (!r.is_durable()) return;
    infra::snapshot const& state = kept_.now();
    infra::snapshot reported = r.report.applied->state;
    reported.lineage = state.lineage;
    // If faults that are planted in the store were in the engine, they would be in the report as well.
    if (fault_ == planted_fault::none && reported != state
        && !has_code(r.report.applied->problems, infra::codes::stale_plan))
        broken("durable", "state differs from the report");

    std::set<std::string> open;
    for (cloud_operation const& o : r.log)
        if (o.end == 0) open.insert(o.key);
    for (auto const& [key, operation] : state.pending)
        if (operation.kind != operation_kind::invoke && !open.contains(key))
            broken("pending", key + " has no open operation");
    for (std::string const& key : open)
        if (!state.pending.contains(key)) broken("pending", key + " is not pending");

    // The effect of an operation follows from its answer.
    for (cloud_operation const& o : r.log) {
        if (o.end == 0) continue;
        auto const* const record = state.find(o.target);
        bool const changed_later = std::any_of(r.log.begin(), r.log.end(),
            [&](cloud_operation const& later) { return later.target == o.target && later.begin > o.begin; });
        bool const made = o.kind == operation_kind::create && !o.object.empty();
        bool const has_current = record != nullptr && record->current;
        if (o.kind == operation_kind::create && !changed_later) {
            if (made && (!has_current || id_of(*record->current) != o.object))
                broken("transition", o.object + " is not the current object of " + to_string(o.target));
            if (made && o.failed && has_current && !record->current->tainted)
                broken("transition", o.object + " is not tainted");
            if (!made && !o.deposed_key.empty() && !has_current)
                broken("transition", to_string(o.target) + " has no current object after a failure");
        }
        if (o.kind == operation_kind::destroy && !changed_later) {
            bool const stays =
                o.deposed_key.empty() ? has_current : record != nullptr && record->deposed.contains(o.deposed_key);
            // An object that a provider returns from its destruction exists.
            auto const lies = r.order.of_apply.violations.find("destroy " + to_string(o.target));
            bool const returned =
                lies != r.order.of_apply.violations.end() && lies->second == contract_violation::returns_object;
            if (stays != (o.failed || returned))
                broken("transition", o.key + (stays ? " is still in state" : " has left state"));
        }
    }
    // Objects without operations stay, except those that do not exist any more, or were forgotten.
    for (auto const& [a, record] : state.resources)
        if (record.current && cloud_.find(id_of(*record.current)) == nullptr && a.mode() == resource_mode::managed
            && r.refreshes && !r.is_partial && r.report.applied->ok && r.mode() != plan_mode::destroy
            && r.order.options.invoke.empty())
            broken("vanished", to_string(a) + " does not exist");
}

void fuzz_world::check_provisioners(one_run const& r)
{
    for (std::size_t n = 0; n < r.log.size(); ++n) {
        cloud_operation const& o = r.log[n];
        std::size_t const index = static_cast<std::size_t>(&o - cloud_.log().data());
        auto const declared = r.text.find(o.target.config());
        if (!declared) continue;
        std::size_t create_steps = 0;
        std::size_t destroy_steps = 0;
        std::size_t optional = 0;  // may fail
        for (auto const& [step, _] : r.text[*declared].steps) {
            ++(step.when == infra::provision_time::create ? create_steps : destroy_steps);
            optional += step.when == infra::provision_time::create && step.continue_on_failure ? 1U : 0U;
        }
        std::size_t before = 0;
        std::size_t after = 0;
        std::size_t failures = 0;
        for (provider_note const& note : r.report.provisions) {
            if (note.name != to_string(o.target)) continue;
            ++(note.operations <= index ? before : after);
            if (note.operations > index && !note.succeeded) ++failures;  // without those that throw
        }
        if (o.kind == operation_kind::create && !o.object.empty()) {
            if (after > create_steps) broken("provisioners", "too many ran for " + o.object);
            if (after + optional < create_steps || failures > optional) incomplete_.insert(o.object);
        }
        if (o.kind == operation_kind::destroy && o.deposed_key.empty() && before < destroy_steps) {
            // The object may have moved.
            std::string id;
            for (toy_change const& c : r.report.plan->changes)
                if (c.target == o.target && !c.of_deposed && c.before) id = (*c.before)["id"];
            bool const tainted = std::any_of(r.prior.resources.begin(), r.prior.resources.end(), [&](auto const& one) {
                auto const& current = one.second.current;
                return current && current->tainted && id_of(*current) == id;
            });
            if (!tainted && r.prior.pending.empty() && r.order.program.moves().empty())
                broken("provisioners", "none ran before " + o.key);
        }
    }
    for (auto const& [a, record] : kept_.now().resources) {
        if (!record.current || record.current->tainted || !incomplete_.contains(id_of(*record.current))) continue;
        // A program without steps cannot have a missing step.
        auto const declared = r.text.find(a.config());
        bool const complete = declared && !has_create_step(r.text[*declared]);
        bool const open = std::any_of(kept_.now().pending.begin(), kept_.now().pending.end(),
            [&at = a](auto const& p) { return p.second.target == at; });
        if (complete) incomplete_.erase(id_of(*record.current));
        else if (!open && (r.report.applied || r.crashed))
            broken("provisioners", id_of(*record.current) + " is not tainted although a step is missing");
    }
}

void fuzz_world::check_configurations(one_run const& r)
{
    for (cloud_operation const& o : r.log) {
        std::size_t const index = static_cast<std::size_t>(&o - cloud_.log().data());
        for (toy_change const& c : r.report.plan->changes) {
            if (c.target != o.target || !r.text.find(c.provider)) continue;
            bool const is_this = o.deposed_key == c.deposed_key || (!c.of_deposed && o.deposed_key.empty());
            if (!is_this || !(infra::makes_object(c.what) || infra::destroys_object(c.what))) continue;
            bool const configured = std::any_of(r.report.configurations.begin(), r.report.configurations.end(),
                [&](provider_note const& note) { return note.name == c.provider && note.operations <= index; });
            if (!configured) broken("configured", o.key + " begins before " + c.provider + " is configured");
        }
    }
}

void fuzz_world::check_conditions(one_run const& r)
{
    if (r.crashed || r.is_partial || !r.is_durable()) return;
    for (cloud_operation const& o : r.log) {
        if (o.kind == operation_kind::destroy) continue;
        auto const declared = r.text.find(o.target.config());
        if (!declared) continue;
        for (auto const& condition : r.text[*declared].conditions) {
            if (condition.when != infra::condition_time::before) continue;
            // An instance that is no longer declared may still be in state.
            auto const subject = r.text.find(condition.term.subject());
            bool const goes = subject
                && std::any_of(r.report.plan->changes.begin(), r.report.plan->changes.end(), [&](toy_change const& c) {
                       return c.what == infra::action::destroy && c.target.config() == r.text[*subject].target;
                   });
            if (goes) continue;
            auto const is = r.text.value(condition.term, o.target, kept_.now());
            if (is && *is != condition.expected)
                broken("condition", o.key + " was performed although its precondition fails");
        }
    }
}

// Without faults an apply succeeds, unless a condition fails.
void fuzz_world::check_calm(one_run const& r)
{
    if (!r.is_calm || !r.refreshes || !r.report.applied) return;
    for (auto const& p : r.report.applied->problems) {
        if (p.level != infra::severity::error) continue;
        bool const expected = p.code == sim_codes::precondition_failed
            || p.code == sim_codes::postcondition_failed
            // The configuration of a provider may refer to an object that was never created.
            // An action that follows a change may need what that change defers.
            || (p.code == infra::codes::action_not_known && !r.report.plan->deferred.empty())
            || ((r.is_partial || r.mode() == plan_mode::destroy)
                && (p.code == sim_codes::not_evaluated || p.code == sim_codes::invalid_index));
        if (!expected) broken("calm", p.code + " " + p.address);
    }
}

void fuzz_world::check_complete(one_run const& r)
{
    infra::snapshot const& state = kept_.now();
    if (!state.pending.empty()) broken("complete", "an operation is pending");
    std::set<address> wanted;
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        auto const& d = r.text[i];
        if (d.kind == declaration_kind::output) {
            auto const is = r.text.value(d.attributes.at("value"), {}, state);
            auto const at = state.outputs.find(d.name.substr(7));
            auto const value = at == state.outputs.end() ? std::nullopt : infra::sim::from_document(at->second.value);
            if (is && (!value || (*value)["value"] != *is)) broken("complete", d.name + " is not " + *is);
        }
        if (d.kind != declaration_kind::resource) continue;
        auto const instances = r.text.instances(i, state);
        if (!instances) {
            broken("complete", d.name + " has unknown instances");
            continue;
        }
        auto const names = r.text.dependencies(i);
        for (address const& a : *instances) {
            wanted.insert(a);
            auto const* const record = state.find(a);
            if (record == nullptr || !record->current) {
                broken("complete", to_string(a) + " does not exist");
                continue;
            }
            auto const object = infra::sim::from_document(record->current->attributes);
            for (auto const& [name, term] : d.attributes) {
                auto const is = r.text.value(term, a, state);
                if (is && !has(d.ignored, name) && (*object)[name] != *is)
                    broken("complete", to_string(a) + "." + name + " is " + (*object)[name] + ", not " + *is);
            }
            if (a.mode() != resource_mode::managed) continue;
            if (auto const* const thing = cloud_.find((*object)["id"]);
                thing != nullptr && r.refreshes && thing->value != *object)
                broken("complete", to_string(a) + " differs from the cloud");
            if (record->current->tainted) broken("complete", to_string(a) + " is tainted");
            if (!record->deposed.empty()) broken("complete", to_string(a) + " has a deposed object");
            auto const stored = record->current->dependencies.names();
            for (std::string const& name : names)
                if (!has(stored, name)) broken("dependencies", to_string(a) + " lacks " + name);
            for (std::string const& name : stored)
                if (!names.contains(name)) {
                    // In a module that is still declared, removed declarations are still taken into account in the next
                    // run.
                    auto const block = infra::parse_address(name).value();
                    bool const was = std::any_of(r.prior.resources.begin(), r.prior.resources.end(),
                        [&](auto const& one) { return one.first.config() == block; });
                    if (r.text.find(block) || !was || block.module().empty())
                        broken("dependencies", to_string(a) + " keeps " + name);
                }
            if (record->current->keep == d.lifecycle.destroy)
                broken("recorded keep", to_string(a) + (d.lifecycle.destroy ? " has the flag" : " lacks the flag"));
            bool const late = record->current->create_before_destroy;
            if (late != r.text.creates_before_destroy(i) && !r.text.is_named_by_key(i))
                broken("recorded cbd", to_string(a) + (late ? " has the flag" : " lacks the flag"));
        }
    }
    for (auto const& [a, record] : state.resources)
        if (!wanted.contains(a)) broken("complete", to_string(a) + " is not declared");
    for (auto const& [name, _] : state.outputs)
        if (!r.text.find("output." + name)) broken("complete", "output " + name + " is not declared");
}

void fuzz_world::check_destroyed(one_run const& r)
{
    (void)r;
    infra::snapshot const& state = kept_.now();
    if (!state.resources.empty()) broken("destroyed", to_string(state.resources.begin()->first) + " is left");
    if (!state.outputs.empty()) broken("destroyed", "output " + state.outputs.begin()->first + " is left");
    for (auto const& [id, _] : cloud_.resources())
        if (!forgotten_.contains(id)) broken("destroyed", id + " is left in the cloud");
}

}  // namespace strider::test
