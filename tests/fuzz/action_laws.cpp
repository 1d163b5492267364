// SPDX-License-Identifier: BSL-1.0
// The laws of actions.
#include <fuzz/laws.hpp>

#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace strider::test {
namespace {

using infra::address;
using infra::declaration_kind;
using infra::operation_kind;
using infra::trigger_event;
using infra::sim::cloud_operation;
using infra::sim::toy_term;
using toy_invocation = infra::invocation<toy_value>;

/// The key of an invocation among those of a plan.
using invocation_key = std::tuple<address, address, trigger_event, std::size_t, std::size_t>;

auto key_of(toy_invocation const& one) -> invocation_key
{
    return {one.target, one.caller, one.event, one.trigger, one.position};
}
auto name_of(toy_invocation const& one) -> std::string
{
    static constexpr std::array<char const*, 7> events{"before the creation", "after the creation", "before the update",
        "after the update", "before the destruction", "after the destruction", "as requested"};
    return to_string(one.target) + " " + events[static_cast<std::size_t>(one.event)]
        + (one.caller.type().empty() ? "" : " of " + to_string(one.caller));
}
auto is_of(trigger_event e, std::initializer_list<trigger_event> all) -> bool
{
    return std::find(all.begin(), all.end(), e) != all.end();
}
auto destroys(trigger_event e) -> bool
{
    return is_of(e, {trigger_event::before_destroy, trigger_event::after_destroy});
}
auto precedes(trigger_event e) -> bool
{
    return is_of(e, {trigger_event::before_create, trigger_event::before_update, trigger_event::before_destroy});
}
/// Returns whether a planned change has an event.
auto has_event(infra::action what, trigger_event e) -> bool
{
    using infra::action;
    bool const replaces = what == action::destroy_then_create || what == action::create_then_destroy;
    if (destroys(e)) return replaces || what == action::destroy;
    if (is_of(e, {trigger_event::before_update, trigger_event::after_update})) return what == action::update;
    return replaces || what == action::create || what == action::forget_then_create;
}
auto only_warns(toy_invocation const& one, plan_mode mode) -> bool
{
    return one.on_failure == infra::failure_effect::warn || mode == plan_mode::destroy;
}
auto refers_to_caller(infra::sim::toy_declaration const& action) -> bool
{
    return std::any_of(action.attributes.begin(), action.attributes.end(),
        [](auto const& one) { return one.second.kind() == toy_term::kind_type::caller; });
}

/// The operation of the change that has an event.
auto operation_of(std::span<cloud_operation const> log, toy_change const& c, trigger_event e) -> cloud_operation const*
{
    for (cloud_operation const& o : log) {
        if (o.target != c.target || (o.kind == operation_kind::destroy) != destroys(e)) continue;
        bool const late = c.what == infra::action::create_then_destroy;
        if (!destroys(e) || o.deposed_key == (late ? c.deposed_key : "")) return &o;
    }
    return nullptr;
}

/// The value of the condition of a trigger according to a plan.
enum class holding : std::uint8_t { holds, fails, open, unclear };

auto holds_in(program_reference const& text, toy_plan const& plan, infra::sim::toy_action_trigger const& t,
    toy_value const& self) -> holding
{
    if (!t.condition) return holding::holds;
    auto const& [term, expected] = *t.condition;
    toy_value const* of = &self;
    if (term.kind() == toy_term::kind_type::attribute) {
        auto const named = text.find(term.subject());
        if (!named) return holding::unclear;
        auto const c = std::find_if(plan.changes.begin(), plan.changes.end(),
            [&](toy_change const& one) { return one.target == text[*named].target && !one.of_deposed; });
        if (c == plan.changes.end() || !c->after) return holding::unclear;
        of = &*c->after;
    }
    if (of->is_unknown(term.text())) return holding::open;
    return (*of)[term.text()] == expected ? holding::holds : holding::fails;
}

/// The declarations for which an action waits: its dependencies, and those of the actions that follow changes of them, unless
/// these actions need the first one.
auto awaited(program_reference const& text, toy_plan const& plan, std::size_t action) -> std::set<std::size_t>
{
    std::set<std::size_t> found = text.closure(action);
    for (bool grows = true; grows;) {
        grows = false;
        for (toy_invocation const& one : plan.invocations) {
            if (!is_of(one.event, {trigger_event::after_create, trigger_event::after_update})) continue;
            auto const other = text.find(one.target.config());
            auto const subject = text.find(plan.changes[one.change].target.config());
            if (!other || !subject || !found.contains(*subject)) continue;
            auto const& needed = text.closure(*other);
            if (*other == action || needed.contains(action)) continue;
            std::size_t const before = found.size();
            found.insert(needed.begin(), needed.end());
            grows = grows || found.size() != before;
        }
    }
    return found;
}

}  // namespace

/// A plan invokes exactly the actions whose events its changes have.
void fuzz_world::check_planned_invocations(one_run const& r)
{
    auto const& plan = *r.report.plan;
    std::map<invocation_key, holding> wanted;
    for (toy_change const& c : plan.changes) {
        auto const i = c.declaration == infra::no_declaration ? std::nullopt : r.text.find(c.target.config());
        if (!i || c.of_deposed) continue;
        // An object may be destroyed without actions that cannot be planned.
        bool const warns = std::any_of(plan.warnings.begin(), plan.warnings.end(), [&](auto const& p) {
            return p.code == infra::codes::action_not_planned && p.address == to_string(c.target);
        });
        bool const lenient = r.is_partial || (c.what == infra::action::destroy && warns);
        auto const& triggers = r.text[*i].action_triggers;
        for (std::size_t t = 0; t < triggers.size(); ++t)
            for (trigger_event const e : triggers[t].events) {
                if (!has_event(c.what, e)) continue;
                auto how = holds_in(r.text, plan, triggers[t], destroys(e) ? *c.before : *c.after);
                if (lenient && how != holding::fails) how = holding::unclear;
                for (std::size_t p = 0; p < triggers[t].actions.size(); ++p) {
                    auto const& one = triggers[t].actions[p];
                    address const block = infra::parse_address(one.name).value();
                    address const target(c.target.module(), block.mode(), block.type(), block.name(),
                        one.own_key ? c.target.key() : one.key);
                    wanted.emplace(invocation_key{target, c.target, e, t, p}, how);
                }
            }
    }
    if (r.mode() == plan_mode::refresh_only) wanted.clear();
    for (toy_invocation const& one : plan.invocations) {
        if (one.event == trigger_event::invoke) continue;
        count("invocation");
        auto const at = wanted.find(key_of(one));
        if (at == wanted.end() || at->second == holding::fails)
            broken("trigger", name_of(one) + " is planned without a reason");
        else if ((at->second == holding::open) != one.conditional && at->second != holding::unclear)
            broken("trigger", name_of(one) + (one.conditional ? " has" : " lacks") + " a condition for the apply");
        if (at != wanted.end()) wanted.erase(at);
    }
    for (auto const& [key, how] : wanted)
        if (how == holding::holds || how == holding::open) {
            toy_invocation one;
            std::tie(one.target, one.caller, one.event, one.trigger, one.position) = key;
            broken("trigger", name_of(one) + " is not planned");
        }
}

/// Checks which actions an apply invoked, their order and their results.
void fuzz_world::check_invocations(one_run const& r)
{
    auto const& plan = *r.report.plan;
    auto const& notes = r.report.invocations;
    std::map<invocation_key, invocation_note const*> performed;
    std::map<std::string, std::size_t> announced;
    for (invocation_note const& n : notes) {
        count(n.succeeded ? "invoked" : "invoked in vain");
        if (!performed.emplace(key_of(n.planned), &n).second) broken("once", name_of(n.planned) + " is invoked twice");
        bool const planned = std::any_of(plan.invocations.begin(), plan.invocations.end(),
            [&](toy_invocation const& one) { return key_of(one) == key_of(n.planned); });
        if (!planned) broken("planned", name_of(n.planned) + " was not planned");
        ++announced[to_string(n.planned.target)];
    }
    std::map<std::string, std::size_t> called;
    std::map<std::string, std::size_t> recorded;
    std::map<std::string, std::size_t> succeeded;
    for (provider_note const& n : r.report.calls) {
        ++called[n.name];
        succeeded[n.name] += n.succeeded ? 1U : 0U;
    }
    for (invocation_note const& n : notes)
        if (n.succeeded && succeeded[to_string(n.planned.target)]-- == 0)
            broken("reported", "the failure of " + name_of(n.planned) + " was not reported");
    for (std::size_t i = r.first_batch; i < kept_.batches().size(); ++i)
        for (infra::journal_entry const& e : kept_.batches()[i])
            if (e.kind() == infra::journal_entry::kind_type::begin && e.operation().kind == operation_kind::invoke)
                ++recorded[to_string(e.target())];
    for (auto const& [name, times] : called) {
        if (times > announced[name]) broken("once", name + " is called more often than invoked");
        if (times > recorded[name]) broken("recorded", name + " is called before that is recorded");
    }

    auto const stops = [&](toy_invocation const& one) {
        return !performed.at(key_of(one))->succeeded && !only_warns(one, r.mode());
    };
    // An action may need what this plan defers. That is a warning if failures of the action are.
    auto const is_unknown = [&](toy_invocation const& one) {
        auto const says_so = [name = to_string(one.target)](infra::diagnostic const& p) {
            return p.code == infra::codes::action_not_known && p.address == name;
        };
        auto const& problems = r.report.applied->problems;
        return !plan.deferred.empty() && only_warns(one, r.mode())
            && std::any_of(problems.begin(), problems.end(), says_so);
    };
    for (toy_invocation const& one : plan.invocations) {
        auto const at = performed.find(key_of(one));
        invocation_note const* const note = at == performed.end() ? nullptr : at->second;
        if (note != nullptr && (stops(one) || !note->ended) && r.report.applied && r.report.applied->ok)
            broken("reported", "the failure of " + name_of(one) + " was not reported");
        if (one.event == trigger_event::invoke) {
            if (note == nullptr && r.report.applied && r.report.applied->ok)
                broken("planned", name_of(one) + " was not invoked");
            continue;
        }
        toy_change const& c = plan.changes[one.change];
        cloud_operation const* const of = operation_of(r.log, c, one.event);
        bool const updates = is_of(one.event, {trigger_event::before_update, trigger_event::after_update});
        if (note == nullptr) {
            bool const needless = updates && of == nullptr && !c.after->wholly_known();
            if (r.report.applied && r.report.applied->ok && !one.conditional && !needless && !is_unknown(one))
                broken("planned", name_of(one) + " was not invoked");
            continue;
        }
        if (precedes(one.event)) {
            if (of != nullptr && (!note->ended || note->end >= of->begin))
                broken("action order", of->key + " begins before the end of " + name_of(one));
            if (of != nullptr && stops(one)) broken("action order", of->key + " begins despite " + name_of(one));
        } else if (of == nullptr || of->end == 0 || of->failed || of->end > note->begin)
            broken("action order", name_of(one) + " is invoked although its change has not succeeded");
        // Later ones of the same event.
        for (invocation_note const& later : notes) {
            toy_invocation const& other = later.planned;
            if (other.change != one.change || other.event != one.event) continue;
            if (std::pair(other.trigger, other.position) <= std::pair(one.trigger, one.position)) continue;
            if (!note->ended || note->end > later.begin || stops(one))
                broken("action order", name_of(other) + " is invoked before " + name_of(one) + " has succeeded");
        }
    }
}

/// Checks that an action follows the success of its change even if something else fails, and conditions that only the apply knows.
void fuzz_world::check_progress(one_run const& r)
{
    auto const& plan = *r.report.plan;
    auto const find = [&](toy_invocation const& one) -> invocation_note const* {
        for (invocation_note const& n : r.report.invocations)
            if (key_of(n.planned) == key_of(one)) return &n;
        return nullptr;
    };
    bool const goes_on = r.is_durable() && !r.crashed && !r.order.of_apply.stop_at
        && !r.order.of_apply.limits.stop_on_first_failure && r.order.of_apply.violations.empty();
    for (std::size_t i = 0; i < plan.invocations.size(); ++i) {
        toy_invocation const& one = plan.invocations[i];
        toy_invocation const* const before = i == 0 ? nullptr : &plan.invocations[i - 1];
        toy_invocation const* const after = i + 1 == plan.invocations.size() ? nullptr : &plan.invocations[i + 1];
        if (one.event == trigger_event::invoke) continue;
        toy_change const& c = plan.changes[one.change];
        cloud_operation const* const of = operation_of(r.log, c, one.event);
        bool const succeeded = of != nullptr && of->end != 0 && !of->failed;
        auto const action = r.text.find(one.target.config());
        auto const resource = r.text.find(c.target.config());
        if (!action || !resource) continue;
        auto const& d = r.text[*resource];
        invocation_note const* const note = find(one);
        if (one.conditional) {
            auto const& [term, expected] = *d.action_triggers[one.trigger].condition;
            auto const* const made = succeeded && !precedes(one.event) ? cloud_.find(of->object) : nullptr;
            bool const is_last = made != nullptr && std::none_of(r.log.begin(), r.log.end(), [&](auto const& later) {
                return later.begin > of->begin && later.object == of->object;
            });
            if (!is_last || term.kind() != toy_term::kind_type::caller) continue;
            count("condition of an apply");
            bool const holds = made->value[term.text()] == expected;
            if (note != nullptr && !holds) broken("condition", name_of(one) + " is invoked in spite of its condition");
            if (note == nullptr && holds && r.report.applied && r.report.applied->ok)
                broken("condition", name_of(one) + " is not invoked");
            continue;
        }
        // After the last action before it, a change waits for nothing else.
        bool const is_last = after == nullptr || after->change != one.change || after->event != one.event;
        bool const updates = one.event == trigger_event::before_update;
        bool const needless = updates && !c.after->wholly_known();
        auto const& problems = r.report.applied ? r.report.applied->problems : infra::diagnostics();
        // The visit of an invocation may plan the change once more, and the provider may throw.
        std::string const visit = to_string(one.target) + " (";
        bool const has_failed = std::any_of(
            problems.begin(), problems.end(), [&visit, name = to_string(c.target)](infra::diagnostic const& p) {
                return p.address == name || (p.code == infra::codes::operation_failed && p.address.starts_with(visit));
            });
        bool const permits = note != nullptr && note->ended && (note->succeeded || only_warns(one, r.mode()));
        if (goes_on && precedes(one.event) && is_last && permits && of == nullptr && !needless && !has_failed)
            broken("progress", "nothing is done to " + to_string(c.target) + " after " + name_of(one));
        // An action that needs nothing else is invoked.
        auto const& needed = r.text.closure(*action);
        bool const needs = r.text.find(one.provider).has_value()
            || std::any_of(needed.begin(), needed.end(),
                [&](std::size_t number) { return r.text[number].kind == declaration_kind::resource; });
        if (!goes_on || note != nullptr || needs) continue;
        bool const continues = before != nullptr && before->change == one.change && before->event == one.event;
        invocation_note const* const earlier = continues ? find(*before) : nullptr;
        bool const may_go_on =
            earlier != nullptr && earlier->ended && (earlier->succeeded || only_warns(*before, r.mode()));
        bool const is_plain = d.conditions.empty() && d.steps.empty();
        bool const may_begin = !continues && !precedes(one.event) && succeeded && is_plain;
        if (!has_failed && (may_go_on || may_begin)) broken("progress", name_of(one) + " is not invoked");
    }
}

/// The changes around an invocation, and the object that calls it.
void fuzz_world::check_callers(one_run const& r)
{
    auto const& plan = *r.report.plan;
    std::map<std::string, std::multiset<std::string>> wanted;  // ids of callers, by action
    std::map<std::string, std::string> attribute;
    for (invocation_note const& n : r.report.invocations) {
        toy_invocation const& one = n.planned;
        auto const declared = r.text.find(one.target.config());
        if (one.event == trigger_event::invoke) continue;
        toy_change const& c = plan.changes[one.change];
        auto const resource = r.text.find(c.target.config());
        if (!declared || !resource) continue;
        cloud_operation const* const of = operation_of(r.log, c, one.event);
        bool const halts = !n.succeeded && !only_warns(one, r.mode());

        // An object that was just created is tainted.
        bool const taints = one.on_failure == infra::failure_effect::taint && one.event == trigger_event::after_create;
        if (taints && halts && r.is_durable() && of != nullptr) {
            auto const* const record = kept_.now().find(c.target);
            bool const is_it = record != nullptr && record->current && id_of(*record->current) == of->object;
            if (is_it && !record->current->tainted) broken("taint", of->object + " is not tainted");
        }

        // The destruction and the creation of a replacement.
        cloud_operation const* const created = operation_of(r.log, c, trigger_event::after_create);
        cloud_operation const* const destroyed = operation_of(r.log, c, trigger_event::after_destroy);
        bool const late = c.what == infra::action::create_then_destroy;
        if (infra::is_replace(c.what)) {
            auto const* const then = destroys(one.event) == late ? nullptr : late ? destroyed : created;
            auto const* const before = destroys(one.event) == late ? late ? created : destroyed : nullptr;
            if (then != nullptr && (!n.ended || n.end >= then->begin || halts))
                broken("action order", then->key + " begins before the end of " + name_of(one));
            if (before != nullptr && (before->end == 0 || before->failed || before->end > n.begin))
                broken("action order", name_of(one) + " is invoked before the end of " + before->key);
        }

        // Dependents wait for what follows their dependency, unless one of its actions waits for them.
        auto const needs = [&](toy_invocation const& member, std::size_t dependent) {
            return std::any_of(plan.invocations.begin(), plan.invocations.end(), [&](toy_invocation const& next) {
                auto const action = r.text.find(next.target.config());
                bool const together = next.change == member.change && next.event == member.event;
                return together && action && awaited(r.text, plan, *action).contains(dependent);
            });
        };
        bool const follows = is_of(one.event, {trigger_event::after_create, trigger_event::after_update});
        for (toy_change const& other : plan.changes) {
            auto const i = r.text.find(other.target.config());
            bool const waits = follows && i && *i != *resource && infra::makes_object(other.what)
                && r.text.closure(*i).contains(*resource) && !r.text.is_mentioned_by_key(*resource) && !needs(one, *i)
                && !infra::in_different_instances_of_one_module(other.target, c.target);
            auto const* const then = waits ? operation_of(r.log, other, trigger_event::after_create) : nullptr;
            if (then != nullptr && (!n.ended || n.end >= then->begin || halts))
                broken("action order", then->key + " begins before " + name_of(one) + " has succeeded");
        }

        // The id of the caller is an attribute of the action.
        for (auto const& [name, term] : r.text[*declared].attributes) {
            if (term.kind() != toy_term::kind_type::caller || term.text() != "id") continue;
            bool const is_new = one.event == trigger_event::after_create;
            wanted[to_string(one.target)].insert(is_new ? of == nullptr ? "" : of->object : (*c.before)["id"]);
            attribute[to_string(one.target)] = name;
        }
    }
    std::map<std::string, std::multiset<std::string>> given;
    for (provider_note const& n : r.report.calls)
        if (auto const named = attribute.find(n.name); named != attribute.end())
            given[n.name].insert(n.config[named->second]);
    for (auto const& [name, ids] : given)
        if (ids.size() == wanted[name].size() && ids != wanted[name])
            broken("caller", name + " is invoked for " + *ids.begin() + ", and not for " + *wanted[name].begin());
}

/// Each requested action is invoked once, or once for each object that triggers it; and nothing is changed.
void fuzz_world::check_requested(one_run const& r)
{
    auto const& plan = *r.report.plan;
    auto const& requested = r.order.options.invoke;
    if (requested.empty()) return;
    if (!r.log.empty()) broken("invoke", "an operation is performed");
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        if (r.text[i].kind != declaration_kind::action) continue;
        bool const named = std::any_of(
            requested.begin(), requested.end(), [&](address const& a) { return a.config() == r.text[i].target; });
        std::size_t planned = 0;
        for (toy_invocation const& one : plan.invocations) planned += one.target.config() == r.text[i].target ? 1U : 0U;
        if (!named && planned != 0) broken("invoke", r.text[i].name + " was not requested");
        if (!named || refers_to_caller(r.text[i])) continue;
        // A plan that refreshes moves objects, too.
        auto const instances = r.is_durable() ? r.text.instances(i, kept_.now()) : std::nullopt;
        if (!instances) continue;
        std::size_t expected = 0;
        for (address const& a : *instances)
            expected += std::any_of(requested.begin(), requested.end(),
                            [&](address const& q) { return q == a || q == a.resource(); })
                ? 1U
                : 0U;
        if (planned != expected && r.prior.pending.empty())
            broken("invoke", r.text[i].name + " is planned " + std::to_string(planned) + " times");
        count("invoked as requested");
    }
}

/// An action is pending exactly if it was called and its end is not known.
void fuzz_world::check_pending_actions(one_run const& r)
{
    if (!r.is_durable() && !r.crashed) return;
    std::map<std::string, std::size_t> open;
    std::map<std::string, std::size_t> pending;
    for (provider_note const& n : r.report.calls)
        if (n.interrupted) ++open[n.name];
    for (auto const& [_, operation] : kept_.now().pending)
        if (operation.kind == operation_kind::invoke) ++pending[to_string(operation.target)];
    for (auto const& [name, times] : open)
        if (pending[name] < times) broken("pending", name + " is not pending");
    // After a crash, a recorded begin may be all that happened.
    for (auto const& [name, times] : pending)
        if (times > open[name] && !r.crashed) broken("pending", name + " has no open call");
}

}  // namespace strider::test
