// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_CAPABILITIES_HPP
#define STRIDER_INFRA_PROGRAM_CAPABILITIES_HPP

#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/ephemeral.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/outputs.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/state_statements.hpp>

namespace strider::infra {

namespace detail {

// Converts to every parameter, so that a call with it shows that a member has this name and number of parameters.
struct any_argument {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor)
    template <class T>
    operator T&() const;  // NOLINT(google-explicit-constructor)
};

}  // namespace detail

/// Rejects a program that has a part of an optional capability, or a member of one with other parameters or another result,
/// because the engine would ignore it. The error is a static assertion that names the members.
template <program P>
consteval auto check_capabilities() -> bool
{
    using any = detail::any_argument;
    static_assert(has_lifecycle<P>
            || !(
                requires(P const& p, any x) { p.lifecycle_of(x); }
                || requires(P const& p, any x) { p.prevented(x, x, x); }),
        "a program with one of lifecycle_of(d) and prevented(d, a, scope) needs both, as has_lifecycle states them");
    static_assert(
        has_ignored_changes<P> || !requires(P const& p, any x) { p.ignore_changes(x, x, x); },
        "ignore_changes(d, prior, desired) must be as has_ignored_changes states it");
    static_assert(has_replace_triggers<P>
            || !(
                requires(P const& p, any x) { p.replace_triggers(x, x); }
                || requires(P const& p, any x) { p.trigger_differs(x, x, x); }),
        "a program with one of replace_triggers(d, a) and trigger_differs(trigger, before, after) needs both, as "
        "has_replace_triggers states them");
    static_assert(has_conditions<P>
            || !(
                requires(P const& p, any x) { p.has_conditions(x); }
                || requires(P const& p, any x) { p.check(x, x, x, x, x); }),
        "a program with one of has_conditions(d) and check(d, a, when, v, scope) needs both, as has_conditions states "
        "them");
    static_assert(
        has_value_rules<P> || !requires(P const& p, any x) { p.destroy_problems(x, x); },
        "destroy_problems(d, scope) must be as has_value_rules states it");
    static_assert(has_checks<P>
            || !(
                requires(P const& p, any x) { p.is_of_check(x); } || requires(P const& p, any x) { p.data_of(x); }
                || requires(P const& p, any x) { p.assess(x, x, x); }),
        "a program with one of is_of_check(d), data_of(d) and assess(d, scope, unread) needs all three, as has_checks "
        "states them");
    static_assert(has_output_form<P>
            || !(
                requires(P const& p, any x) { p.encode_output(x, x); }
                || requires(P const& p, any x) { p.decode_output(x); }
                || requires(P const& p, any x) { p.is_null(x); }),
        "a program with one of encode_output(d, v), decode_output(o), is_sensitive(d) and is_null(v) needs all four, "
        "as has_output_form states them");
    static_assert(
        has_stored_forms<P> || !requires(P const& p, any x) { p.in_stored_form(x, x); },
        "in_stored_form(stored, v) must be as has_stored_forms states it");
    static_assert(has_moves<P>
            || !(
                requires(P const& p) { p.moves(); } || requires(P const& p, any x) { p.repetition_of(x); }
                || requires(P const& p, any x) { p.convert_moved(x, x, x, x); }),
        "a program with one of moves(), repetition_of(d) and convert_moved(d, from, to, object) needs moves() and "
        "repetition_of(d), as has_moves states them");
    static_assert(
        has_removals<P> || !requires(P const& p, any x) { p.removal_of(x); },
        "removal_of(a) must be as has_removals states it");
    static_assert(
        has_imports<P> || !requires(P const& p, any x) { p.imports(x, x); },
        "imports(d, scope) must be as has_imports states it");
    static_assert(
        has_expansion<P> || !requires(P const& p, any x) { p.expand(x, x); },
        "expand(d, scope) must be as has_expansion states it");
    static_assert(
        has_modules<P> || !requires(P const& p, any x) { p.module_of(x); },
        "module_of(d) must be as has_modules states it");
    static_assert(has_answer_checks<P>
            || !(
                requires(P const& p, any x) { p.check_object(x, x, x); }
                || requires(P const& p, any x) { p.check_plan(x, x, x, x, x); }
                || requires(P const& p, any x) { p.check_outcome(x, x, x, x, x); }),
        "a program with one of check_object, check_plan and check_outcome needs all three, as has_answer_checks states "
        "them");
    static_assert(has_provisioners<P>
            || !(
                requires(P const& p, any x) { p.provisioners(x); }
                || requires(P const& p, any x) { p.evaluate_provisioner(x, x, x, x, x); }),
        "a program with one of provisioners(d), evaluate_provisioner(d, step, a, self, scope) and locate(d, step, "
        "problems) needs all three, as has_provisioners states them");
    static_assert(has_actions<P>
            || !(
                requires(P const& p, any x) { p.action_triggers(x); }
                || requires(P const& p, any x) { p.trigger_holds(x, x, x, x, x); }
                || requires(P const& p, any x) { p.triggered_actions(x, x, x, x); }
                || requires(P const& p, any x) { p.evaluate_action(x, x, x, x); }
                || requires(P const& p, any x) { p.refers_to_caller(x); }),
        "a program with one member of has_actions needs all of them, as has_actions states them");
    static_assert(
        knows_providers<P> || !requires(P const& p, any x) { p.missing_provider(x, x); },
        "missing_provider(what, provider) must be as knows_providers states it");
    return true;
}

/// Rejects a provider that has a part of an optional capability, or a member of one with other parameters or another result,
/// because the engine would not call it. The error is a static assertion that names the members.
template <class X, program P>
consteval auto check_provider_capabilities() -> bool
{
    using any = detail::any_argument;
    static_assert(
        states_side_effects<X> || !requires(X& x, any a) { x.has_side_effects(a); },
        "has_side_effects(operation) must be as states_side_effects states it");
    static_assert(
        looks_up_operations<X, P> || !requires(X& x, any a) { x.look_up(a); },
        "look_up(request) must be as looks_up_operations states it");
    static_assert(
        has_data_sources<X, P> || !requires(X& x, any a) { x.read_data(a); },
        "read_data(request) must be as has_data_sources states it");
    static_assert(
        imports_objects<X, P> || !requires(X& x, any a) { x.import_object(a); },
        "import_object(request) must be as imports_objects states it");
    static_assert(
        opens_ephemeral_resources<X, P> || !requires(X& x, any a) { x.open_ephemeral(a); },
        "open_ephemeral(request) must be as opens_ephemeral_resources states it");
    static_assert(
        takes_configuration<X, P> || !requires(X& x, any a) { x.configure(a, a); },
        "configure(name, config) must be as takes_configuration states it");
    static_assert(performs_actions<X, P>
            || !(
                requires(X& x, any a) { x.plan_action(a); } || requires(X& x, any a) { x.invoke_action(a); }),
        "a provider with one of plan_action(request) and invoke_action(request) needs both, as performs_actions states "
        "them");
    return true;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_CAPABILITIES_HPP
