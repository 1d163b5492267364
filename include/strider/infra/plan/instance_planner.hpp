// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_INSTANCE_PLANNER_HPP
#define STRIDER_INFRA_PLAN_INSTANCE_PLANNER_HPP

#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/forgotten_objects.hpp>
#include <strider/infra/plan/object_reader.hpp>
#include <strider/infra/plan/plan_conditions.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/plan/plan_requester.hpp>
#include <strider/infra/plan/replacement_triggers.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/state_statements.hpp>
#include <strider/infra/program/task.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Plans one instance: refreshes its object, evaluates the configuration, calls `plan` of its provider, and selects
/// the action.
template <program P, provider_for<P> Provider>
class instance_planner {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;

    using existing = existing_object<value_type>;

public:
    /// \param planned  the findings of each visited declaration, by number; read by its dependents
    instance_planner(P const& configuration, Provider& provider, plan_options const& options,
        observer<value_type> const& watch, prior_instances const& prior, evaluation_scope<value_type>& scope,
        dependency_tables const& dependencies, std::vector<findings*> const& planned)
        : configuration_(&configuration),
          options_(&options),
          reader_(configuration, provider, options, watch),
          prior_(&prior),
          scope_(&scope),
          dependencies_(&dependencies),
          requests_(configuration, provider),
          triggers_(configuration, options, scope, planned)
    {}

    /// Plans a declared instance.
    /// \param target  outlives the task \param import  an existing object; ignored if state has an object
    [[nodiscard]] auto plan_instance(findings& found, node n, address const& target, prior_instances::entry prior,
        std::optional<import_target> import) -> task<void>
    {
        auto const& d = declaration(n.index);
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.declaration = n.index;
        if (auto const provider = instance_provider(*configuration_, d, target, *scope_)) c.provider = *provider;
        else {
            found.problems.add(provider.error().why());
            co_return;
        }
        c.create_before_destroy = n.create_before_destroy;
        c.dependencies = dependencies_->declared[n.index];
        c.stored_dependencies = c.dependencies;
        c.keep = !lifecycle_of(*configuration_, d).destroy;
        if constexpr (has_conditions<P>) c.has_conditions = configuration_->has_conditions(d);

        c.previous = prior_->previous(target);
        std::optional<existing> there;
        object const* const stored = prior != nullptr && prior->second.current ? &*prior->second.current : nullptr;
        // In a refresh, the dependencies of an object are the stored and the declared ones.
        dependency_set known;
        if (stored != nullptr) known = stored->dependencies;
        if ((stored != nullptr || import) && options_->refresh) known = known.merged(found.added_dependencies);
        if (prior != nullptr && is_covered(*options_, target))  // deposed objects only of covered instances
            for (auto const& [key, old] : prior->second.deposed) {
                auto planning = plan_deposed(found, target, key, old, n.index, known);
                co_await std::move(planning);
            }
        bool const tainted = stored != nullptr && stored->tainted;
        bool unread = false;  // the plan is made already: the stored value needs no change
        if (stored != nullptr) {
            object now = *stored;
            now.provider = c.provider;
            if (options_->refresh && options_->minimal_refresh && options_->mode == plan_mode::normal && !tainted) {
                auto trying = plan_unread(found, c, now);
                there = co_await std::move(trying);
            }
            unread = there.has_value();
            if (!unread) {
                auto refreshing = reader_.refresh(found, c.declaration, target, {}, std::move(now));
                there = co_await std::move(refreshing);
                if (!there) co_return;
            }
        } else if (import && !import->is_unknown) {
            c.import_id = std::move(import->id);
            c.import_identity = std::move(import->identity);
            auto importing = reader_.import_existing(found, c);
            there = co_await std::move(importing);
            if (!there) co_return;
        }
        std::optional<deferral_reason> deferral;
        if (there) deferral = there->deferred;
        else if (import && import->is_unknown) deferral = deferral_reason::resource_config_unknown;
        if (there && !there->value) {
            if (!deferral) found.refreshed.push_back(journal_entry::remove(target, {}));
            there.reset();
        } else if (there) {
            c.before = there->value;
            c.private_data = there->stored.private_data;
            there->stored.dependencies = std::move(known);
            c.stored_dependencies = there->stored.dependencies;
            there->stored.create_before_destroy = n.create_before_destroy;
            there->stored.keep = !lifecycle_of(*configuration_, d).destroy;
            c.stored_create_before_destroy = n.create_before_destroy;
        }
        auto const note = [&, key = &found] {
            if (there && (stored == nullptr || there->stored != *stored))
                key->refreshed.push_back(journal_entry::record(target, {}, there->stored));
        };
        if (options_->mode != plan_mode::normal) {
            note();
            bool const checks = options_->mode == plan_mode::refresh_only;
            if (checks) (void)holds(found, c, condition_time::before, value_type());
            if (there) scope_->publish(n.index, target, *there->value);
            if (there && checks) (void)holds(found, c, condition_time::after, *there->value);
            co_return;
        }
        bool decided = unread;
        if (!unread) {
            auto deciding = decide(found, c, tainted, deferral);
            decided = co_await std::move(deciding);
        }
        if (decided && there && c.what == action::no_op) there->stored.dependencies = dependencies_->planned[n.index];
        note();
        if (decided && deferral) defer(found, std::move(c), *deferral);
        else if (decided) finish(found, n, std::move(c), prior);
    }

    /// Plans an instance without a declaration.
    [[nodiscard]] auto plan_orphan(findings& found, std::pair<address const, resource_record> const& instance,
        std::size_t number, action_reason reason) -> task<void>
    {
        address const target = instance.first;
        // Also of a statement that is a declaration because it has provisioners.
        auto const declared = options_->mode == plan_mode::normal ? removal_of(target) : std::nullopt;
        if (declared == removal::forget) co_return forget_objects(*configuration_, *prior_, instance, found);
        if (target.mode() == resource_mode::data) {  // data exist only as a copy in state
            found.refreshed.push_back(journal_entry::remove(target, {}));
            co_return;
        }
        dependency_set const known = instance.second.current ? instance.second.current->dependencies : dependency_set();
        for (auto const& [key, old] : instance.second.deposed) {
            auto planning = plan_deposed(found, target, key, old, number, known);
            co_await std::move(planning);
        }
        if (!instance.second.current) co_return;
        object const stored = *instance.second.current;
        auto refreshing = reader_.refresh(found, number, target, {}, stored);
        auto there = co_await std::move(refreshing);
        if (!there) co_return;
        if (!there->value) {
            found.refreshed.push_back(journal_entry::remove(target, {}));
            co_return;
        }
        if (there->stored != stored) found.refreshed.push_back(journal_entry::record(target, {}, there->stored));
        if (options_->mode == plan_mode::refresh_only) co_return;
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.declaration = number;
        c.provider = stored.provider;
        c.before = std::move(there->value);
        c.private_data = std::move(there->stored.private_data);
        c.stored_dependencies = stored.dependencies;
        c.stored_create_before_destroy = stored.create_before_destroy;
        c.what = action::destroy;
        c.previous = prior_->previous(target);
        if (!declared && keeps(number, there->stored, c)) {
            found.changes.push_back(std::move(c));
            co_return;
        }
        bool const lost = c.previous && reason == action_reason::delete_because_no_resource_config;
        if (options_->mode == plan_mode::normal)
            c.reason = lost ? action_reason::delete_because_no_move_target : reason;
        diagnostics refused;
        if (number != no_declaration)
            refuse_prevented_destroy(*configuration_, declaration(number), target, *scope_, refused);
        // Targets of a destroy select from all changes.
        if (options_->mode != plan_mode::destroy) found.problems.add(refused);
        else if (!refused.empty()) found.prevented.emplace_back(target, std::move(refused));
        found.changes.push_back(std::move(c));
    }

    /// Plans a prior object that an earlier replacement has left. Its order is that of the current object, if there is one.
    [[nodiscard]] auto plan_deposed(findings& found, address target, std::string key, object stored, std::size_t number,
        dependency_set of_current) -> task<void>
    {
        auto refreshing = reader_.refresh(found, number, target, key, stored);
        auto there = co_await std::move(refreshing);
        if (!there) co_return;
        if (!there->value) {
            found.refreshed.push_back(journal_entry::remove(target, key));
            co_return;
        }
        if (options_->mode == plan_mode::refresh_only) co_return;
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.previous = prior_->previous(target);
        c.of_deposed = true;
        c.deposed_key = std::move(key);
        c.declaration = number;
        c.provider = stored.provider;
        c.before = std::move(there->value);
        c.private_data = std::move(there->stored.private_data);
        c.stored_dependencies = std::move(of_current);
        c.stored_create_before_destroy = true;
        c.what = action::destroy;
        if (!removal_of(target)) (void)keeps(number, stored, c);
        found.changes.push_back(std::move(c));
    }

    /// Finds, once for all instances of a resource, the changes that replace them. \param any  one of the instances
    void find_triggers(findings& found, std::size_t number, address const& any) const
    {
        triggers_.find(found, number, any);
    }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declaration_at(*configuration_, i); }

    [[nodiscard]] auto holds(
        findings& found, change<value_type> const& c, condition_time when, value_type const& v) const -> bool
    {
        return conditions_hold(*configuration_, *options_, *scope_, found, c, when, v);
    }

    // The end that a statement declares for an object without a declaration.
    [[nodiscard]] auto removal_of([[maybe_unused]] address const& a) const -> std::optional<removal>
    {
        if constexpr (has_removals<P>) return configuration_->removal_of(a);
        else return std::nullopt;
    }

    // Changes a destruction to leaving state, if the declaration or the stored object requires it.
    [[nodiscard]] auto keeps(std::size_t number, object const& stored, change<value_type>& c) const -> bool
    {
        bool const declared = number != no_declaration && !lifecycle_of(*configuration_, declaration(number)).destroy;
        if (!declared && !stored.keep) return false;
        c.what = action::forget;
        c.reason = declared ? action_reason::forgot_because_lifecycle_destroy_in_config
                            : action_reason::forgot_because_lifecycle_destroy_in_state;
        return true;
    }

    // Dependents see the value as far as it is known.
    void defer(findings& found, change<value_type> c, deferral_reason why)
    {
        scope_->publish(c.declaration, c.target, *c.after);
        found.deferred.push_back({std::move(c), why});
    }

    // Plans an object by its stored value. \return the object, if it needs no change: then `c` is its plan, and the object need
    // not be read. Whatever else the attempt finds is left to the plan by the current value.
    [[nodiscard]] auto plan_unread(findings& found, change<value_type>& c, object const& stored)
        -> task<std::optional<existing>>
    {
        std::optional<existing> there;
        auto decoded = configuration_->decode(c.target, stored);
        if (!decoded) co_return there;
        change<value_type> planned = c;
        planned.before = *decoded;
        planned.private_data = stored.private_data;
        findings attempt;
        attempt.triggers = found.triggers;
        std::optional<deferral_reason> deferral;
        auto deciding = decide(attempt, planned, false, deferral);
        bool const decided = co_await std::move(deciding);
        if (!decided || deferral || planned.what != action::no_op || attempt.problems.has_errors()) co_return there;
        c = std::move(planned);
        found.problems.add(std::move(attempt.problems));
        there.emplace();
        there->value = std::move(*decoded);
        there->stored = stored;
        co_return there;
    }

    // Selects the action. \param deferral  set if the provider cannot plan yet \return false if there were errors
    [[nodiscard]] auto decide(
        findings& found, change<value_type>& c, bool tainted, std::optional<deferral_reason>& deferral) -> task<bool>
    {
        auto const& d = declaration(c.declaration);
        auto const triggered = triggers_.fire(found, c);
        if (!triggered || !holds(found, c, condition_time::before, value_type())) co_return false;
        auto evaluated = configuration_->evaluate(d, c.target, *scope_);
        if (!evaluated) {
            found.problems.add(evaluated.error().why());
            co_return false;
        }
        value_type const config = *evaluated;
        std::optional<value_type> const prior = tainted ? std::nullopt : c.before;
        value_type desired = config;
        std::optional<value_type> declared;
        if constexpr (has_ignored_changes<P>)
            if (prior) {
                desired = configuration_->ignore_changes(d, *prior, config);
                declared = config;
            }
        auto planning = requests_.make(found, c, prior, std::move(desired), std::move(declared));
        auto const answer = co_await std::move(planning);
        if (!answer) co_return false;
        c.after = answer->after;
        c.planned_data = answer->private_data;
        if (!deferral) deferral = answer->deferred;
        if (*triggered) c.reason = action_reason::replace_by_triggers;
        if (!c.before) {
            c.what = action::create;
            co_return true;
        }
        bool replace = true;
        if (*triggered) {
        }  // takes precedence over other reasons
        else if (tainted)
            c.reason = action_reason::replace_because_tainted;
        else if (std::find(options_->replace.begin(), options_->replace.end(), c.target) != options_->replace.end())
            c.reason = action_reason::replace_by_request;
        else if (!answer->replace_paths.empty()) c.reason = action_reason::replace_because_cannot_update;
        else replace = false;
        if (!replace) {
            c.what = *c.after == *c.before ? action::no_op : action::update;
            if (c.what == action::no_op) {
                c.planned_data = {};
                c.after = c.before;  // one of two equal values is enough
            }
            co_return true;
        }
        c.replace_paths = answer->replace_paths;
        c.what = c.keep               ? action::forget_then_create
            : c.create_before_destroy ? action::create_then_destroy
                                      : action::destroy_then_create;
        if (!tainted) {
            auto planning_anew = requests_.make(found, c, std::nullopt, config);
            auto const anew = co_await std::move(planning_anew);
            if (!anew) co_return false;
            c.after = anew->after;
            c.planned_data = anew->private_data;
        }
        co_return true;
    }

    void finish(findings& found, node n, change<value_type>&& c, prior_instances::entry prior)
    {
        auto const& d = declaration(n.index);
        if (is_replace(c.what)) refuse_prevented_destroy(*configuration_, d, c.target, *scope_, found.problems);
        if (c.what == action::forget_then_create || c.what == action::create_then_destroy)
            c.deposed_key =
                unused_deposed_key(c.target, options_->key_seed, prior == nullptr ? nullptr : &prior->second);
        scope_->publish(n.index, c.target, *c.after);
        (void)holds(found, c, condition_time::after, *c.after);
        found.changes.push_back(std::move(c));
    }

    P const* configuration_;
    plan_options const* options_;
    object_reader<P, Provider> reader_;
    prior_instances const* prior_;
    evaluation_scope<value_type>* scope_;
    dependency_tables const* dependencies_;
    plan_requester<P, Provider> requests_;
    replacement_triggers<P> triggers_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_INSTANCE_PLANNER_HPP
