// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_INSTANCE_PLANNER_HPP
#define STRIDER_INFRA_INSTANCE_PLANNER_HPP

#include <strider/infra/change_set.hpp>
#include <strider/infra/concepts.hpp>
#include <strider/infra/event.hpp>
#include <strider/infra/nodes.hpp>
#include <strider/infra/plan_options.hpp>
#include <strider/infra/prior_instances.hpp>
#include <strider/infra/stages.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Visits the vertices of a plan graph: expands declarations, evaluates values, and decides for every instance what is to
/// be done with it.
///
/// Every vertex has a slot of its own for what it finds, so visits share nothing but the scope.
/// \source graph-engine specification 8.1, 8.2 and 10.4 to 10.6.
template <program P, provider_for<P> Provider>
class instance_planner {
    using value_type = typename P::value_type;
    using declaration_type = typename P::declaration_type;

    struct findings {
        diagnostics problems;
        std::vector<change<value_type>> changes;
        std::vector<change<value_type>> drift;
        std::vector<journal_entry> refreshed;
        std::optional<output_change<value_type>> output;
    };

    // An object of state on its way through a plan.
    struct existing {
        std::optional<value_type> value;  // as it is now; empty: gone
        object stored;  // as state will have it
    };

public:
    instance_planner(P const& wanted, Provider& provider, plan_options const& options,
        observer<value_type> const& watch, prior_instances const& prior, std::vector<std::string> names)
        : wanted_(&wanted),
          provider_(&provider),
          options_(&options),
          watch_(&watch),
          prior_(&prior),
          scope_(std::move(names))
    {}

    /// What each resource depends on by declaration, transitively: recorded with every object. By number of declaration.
    void note_dependencies(std::vector<std::vector<std::string>> const& of) { dependencies_ = &of; }

    /// Makes room for what the visits will find. \pre no visit has begun
    void prepare(std::size_t vertices)
    {
        found_.resize(vertices);
        by_declaration_.resize(static_cast<std::size_t>(std::ranges::distance(wanted_->declarations())));
    }

    /// Finds what state has and nothing wants: what no declaration stands for or, in a destroy, everything. Returns how
    /// many such instances there are.
    auto find_orphans() -> std::size_t
    {
        std::map<address, std::size_t> declared;
        std::size_t number = 0;
        for (auto const& d : wanted_->declarations()) {
            if (wanted_->kind_of(d) == declaration_kind::resource) declared.emplace(wanted_->address_of(d), number);
            ++number;
        }
        bool const all = options_->mode == plan_mode::destroy;
        for (auto const& [block, instances] : prior_->blocks()) {
            auto const at = declared.find(block);
            if (!all && at != declared.end()) continue;
            for (auto const* instance : instances)
                if (all || is_target(options_->targets, instance->first, false))
                    orphans_.push_back({instance, at == declared.end() ? no_declaration : at->second});
        }
        return orphans_.size();
    }

    [[nodiscard]] auto visit(vertex_id v, node const& n) -> task<visit_outcome>
    {
        findings& found = found_[v.index()];
        if (n.role == node_role::orphan) {
            auto const [instance, number] = orphans_[n.index];
            auto planning = plan_orphan(found, *instance, number, action_reason::delete_because_no_resource_config);
            co_await std::move(planning);
        }
        if (n.role == node_role::declaration) {
            auto const kind = wanted_->kind_of(declaration(n.index));
            if (kind == declaration_kind::value || kind == declaration_kind::output) plan_value(found, n.index, kind);
            if (kind == declaration_kind::resource) {
                by_declaration_[n.index] = &found;
                auto planning = plan_resource(found, n);
                co_await std::move(planning);
            }
        }
        bool const failed = std::any_of(found.problems.begin(), found.problems.end(),
            [](diagnostic const& d) { return d.level == severity::error; });
        if (failed) co_return visit_outcome::failure(make_error_code(walk_errc::vertex_failed));
        co_return visit_outcome();
    }

    /// Moves all that was found into the plan, in the order of the vertices; returns the diagnostics.
    auto collect(basic_plan<value_type>& plan) -> diagnostics
    {
        diagnostics problems;
        auto const move_to = [](auto& to, auto& from) {
            to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        for (findings& f : found_) {
            move_to(problems, f.problems);
            move_to(plan.changes, f.changes);
            move_to(plan.drift, f.drift);
            move_to(plan.refreshed, f.refreshed);
            if (f.output) plan.outputs.push_back(std::move(*f.output));
        }
        for (auto const& [name, old] : prior_->state().outputs) {
            bool const known = std::any_of(
                plan.outputs.begin(), plan.outputs.end(), [&, n = &name](auto const& o) { return o.name == *n; });
            if (known || plan.targeted) continue;
            output_change<value_type> gone;
            gone.name = name;
            gone.what = action::destroy;
            if (auto before = wanted_->decode_output(old)) gone.before = std::move(*before);
            gone.sensitive = old.sensitive;
            plan.outputs.push_back(std::move(gone));
        }
        std::sort(
            plan.outputs.begin(), plan.outputs.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
        return problems;
    }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declaration_at(*wanted_, i); }

    static void add(diagnostics& to, diagnostics more)
    {
        to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }

    void plan_value(findings& found, std::size_t number, declaration_kind kind)
    {
        auto const& d = declaration(number);
        auto value = wanted_->evaluate(d, address(), scope_);
        if (!value) {
            add(found.problems, value.error().why());
            return;
        }
        if (kind == declaration_kind::output) {
            output_change<value_type> c;
            c.name = wanted_->name_of(d);
            if (c.name.starts_with("output.")) c.name.erase(0, 7);
            c.declaration = number;
            auto const old = prior_->state().outputs.find(c.name);
            if (old != prior_->state().outputs.end())
                if (auto before = wanted_->decode_output(old->second)) c.before = std::move(*before);
            c.after = *value;
            c.sensitive = wanted_->is_sensitive(d);
            if (wanted_->is_null(*value)) c.what = c.before ? action::destroy : action::no_op;
            else if (!c.before) c.what = action::create;
            else c.what = *c.before == *c.after ? action::no_op : action::update;
            found.output = std::move(c);
        }
        scope_.publish(number, std::move(*value));
    }

    [[nodiscard]] auto plan_resource(findings& found, node n) -> task<void>
    {
        auto const& d = declaration(n.index);
        auto expanded = wanted_->expand(d, scope_);
        if (!expanded) {
            add(found.problems, expanded.error().why());
            co_return;
        }
        auto const kind = expanded->kind;
        std::vector<address> const instances = expanded->instances;
        scope_.expand(n.index, instances);
        if (expanded->repetition) scope_.repeat(n.index, std::move(*expanded->repetition));

        std::map<address, prior_instances::entry> there;
        for (auto const* instance : prior_->of(wanted_->address_of(d))) there.emplace(instance->first, instance);
        for (address const& a : instances) {
            auto const at = there.find(a);
            prior_instances::entry prior = at == there.end() ? nullptr : at->second;
            if (prior == nullptr && kind != repetition_kind::for_each) {
                // Between one object and the first of many an object moves by itself.
                address const before(
                    a.module(), a.mode(), a.type(), a.name(), a.key() ? instance_key() : instance_key(std::int64_t{0}));
                bool const first = !a.key() || a.key() == instance_key(std::int64_t{0});
                if (auto const moved = there.find(before); first && moved != there.end()
                    && std::find(instances.begin(), instances.end(), before) == instances.end()) {
                    prior = moved->second;
                    there.erase(moved);
                }
            } else if (at != there.end()) there.erase(at);
            if (!is_target(options_->targets, a, false) && is_target(options_->targets, wanted_->address_of(d), true)) {
                publish_prior(found, n.index, a, prior);
                continue;
            }
            auto planning = plan_instance(found, n, a, prior);
            co_await std::move(planning);
        }
        for (auto const& [a, instance] : there) {
            if (!is_target(options_->targets, a, false) && is_target(options_->targets, wanted_->address_of(d), true))
                continue;
            auto planning = plan_orphan(found, *instance, n.index, reason_to_go(a, kind));
            co_await std::move(planning);
        }
    }

    [[nodiscard]] static auto reason_to_go(address const& a, repetition_kind kind) -> action_reason
    {
        if (a.key().index() != nullptr && kind == repetition_kind::count)
            return action_reason::delete_because_count_index;
        if (a.key().name() != nullptr && kind == repetition_kind::for_each)
            return action_reason::delete_because_each_key;
        return action_reason::delete_because_wrong_repetition;
    }

    // An instance that was not asked for: others see it as it is.
    void publish_prior(findings& found, std::size_t number, address const& a, prior_instances::entry prior)
    {
        if (prior == nullptr || !prior->second.current) return;
        auto value = wanted_->decode(a, *prior->second.current);
        if (value) scope_.publish(number, a, std::move(*value));
        else add(found.problems, value.error().why());
    }

    // Reads an object as state has it, and asks its provider what became of it.
    [[nodiscard]] auto refresh(findings& found, address target, object stored) -> task<std::optional<existing>>
    {
        auto decoded = wanted_->decode(target, stored);
        if (!decoded) {
            add(found.problems, decoded.error().why());
            co_return std::nullopt;
        }
        existing e;
        e.stored = std::move(stored);
        e.value = std::move(*decoded);
        if (!options_->refresh) co_return e;
        if (*watch_) (*watch_)({event_kind::refresh_started, target, {}, operation_kind::read, &*e.value});
        read_request<value_type> request(target, e.stored.provider, *e.value);
        auto reading = provider_->read(std::move(request));
        auto read = co_await std::move(reading);
        if (!read) {
            add(found.problems, read.error().why());
            co_return std::nullopt;
        }
        if (*read != e.value) {
            change<value_type> c;
            c.target = target;
            c.what = *read ? action::update : action::destroy;
            c.before = std::move(e.value);
            c.after = *read;
            found.drift.push_back(std::move(c));
            if (*read) {
                object now = wanted_->encode(target, **read);
                e.stored.attributes = std::move(now.attributes);
                e.stored.sensitive = std::move(now.sensitive);
            }
        }
        e.value = std::move(*read);
        co_return e;
    }

    [[nodiscard]] auto plan_instance(findings& found, node n, address target, prior_instances::entry prior)
        -> task<void>
    {
        auto const& d = declaration(n.index);
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.declaration = n.index;
        c.provider = wanted_->provider_of(d);
        c.create_before_destroy = n.create_before_destroy;
        c.dependencies = (*dependencies_)[n.index];
        c.stored_dependencies = c.dependencies;
        if constexpr (has_conditions<P>) c.has_conditions = wanted_->has_conditions(d);

        std::optional<existing> there;
        bool tainted = false;
        if (prior != nullptr) {
            if (prior->first != target) {  // first of all: what is found about the objects is noted where they are now
                c.previous = prior->first;
                note_move(found, *prior, target);
            }
            for (auto const& [key, old] : prior->second.deposed) {
                auto planning = plan_deposed(found, target, prior->first, key, old, n.index);
                co_await std::move(planning);
            }
        }
        if (prior != nullptr && prior->second.current) {
            object const stored = *prior->second.current;
            tainted = stored.tainted;
            auto refreshing = refresh(found, target, stored);
            there = co_await std::move(refreshing);
            if (!there) co_return;
            if (!there->value) {
                found.refreshed.push_back(journal_entry::remove(target, {}));
                there.reset();
            } else {
                c.before = there->value;
                if (options_->refresh) merge(there->stored.dependencies, c.dependencies);
                c.stored_dependencies = there->stored.dependencies;
                there->stored.create_before_destroy = n.create_before_destroy;
                c.stored_create_before_destroy = n.create_before_destroy;
            }
            auto const note = [&, key = &found] {
                if (there && there->stored != stored)
                    key->refreshed.push_back(journal_entry::record(target, {}, there->stored));
            };
            if (options_->mode != plan_mode::normal) {
                note();
                if (there) scope_.publish(n.index, target, *there->value);
                co_return;
            }
            auto deciding = decide(found, c, tainted);
            bool const decided = co_await std::move(deciding);
            if (decided && there && c.what == action::no_op) there->stored.dependencies = c.dependencies;
            note();
            if (!decided) co_return;
        } else {
            if (options_->mode != plan_mode::normal) co_return;
            auto deciding = decide(found, c, false);
            bool const decided = co_await std::move(deciding);
            if (!decided) co_return;
        }
        finish(found, n, std::move(c), prior);
    }

    // Chooses the action. False: there were errors.
    [[nodiscard]] auto decide(findings& found, change<value_type>& c, bool tainted) -> task<bool>
    {
        auto const& d = declaration(c.declaration);
        if constexpr (has_conditions<P>) {
            if (c.has_conditions) {
                diagnostics failed = wanted_->check(d, c.target, condition_time::before, value_type(), scope_);
                bool const any = has_errors(failed);
                add(found.problems, std::move(failed));
                if (any) co_return false;
            }
        }
        auto evaluated = wanted_->evaluate(d, c.target, scope_);
        if (!evaluated) {
            add(found.problems, evaluated.error().why());
            co_return false;
        }
        value_type const config = *evaluated;
        std::optional<value_type> const prior = tainted ? std::nullopt : c.before;
        value_type wish = config;
        if constexpr (has_ignored_changes<P>)
            if (prior) wish = wanted_->ignore_changes(d, *prior, config);
        plan_request<value_type> first(c.target, c.provider, prior, wish);
        auto asking = provider_->plan(std::move(first));
        auto answer = co_await std::move(asking);
        if (!answer) {
            add(found.problems, answer.error().why());
            co_return false;
        }
        c.after = answer->after;
        if (!c.before) {
            c.what = action::create;
            co_return true;
        }
        bool replace = true;
        if (tainted) c.reason = action_reason::replace_because_tainted;
        else if (std::find(options_->replace.begin(), options_->replace.end(), c.target) != options_->replace.end())
            c.reason = action_reason::replace_by_request;
        else if (is_triggered(c)) c.reason = action_reason::replace_by_triggers;
        else if (!answer->replace_paths.empty()) c.reason = action_reason::replace_because_cannot_update;
        else replace = false;
        if (!replace) {
            c.what = *c.after == *c.before ? action::no_op : action::update;
            co_return true;
        }
        c.replace_paths = answer->replace_paths;
        c.what = c.create_before_destroy ? action::create_then_destroy : action::destroy_then_create;
        if (!tainted) {
            plan_request<value_type> second(c.target, c.provider, std::nullopt, config);
            auto again = provider_->plan(std::move(second));
            auto anew = co_await std::move(again);
            if (!anew) {
                add(found.problems, anew.error().why());
                co_return false;
            }
            c.after = anew->after;
        }
        co_return true;
    }

    // Has something that this declaration names as a trigger changed?
    [[nodiscard]] auto is_triggered(change<value_type> const& c) -> bool
    {
        if constexpr (has_replace_triggers<P>) {
            for (replace_trigger const& t : wanted_->replace_triggers(declaration(c.declaration))) {
                auto const number = scope_.number_of(t.subject.name);
                if (!number || by_declaration_[*number] == nullptr) continue;
                for (change<value_type> const& other : by_declaration_[*number]->changes) {
                    if (!makes_object(other.what) || (t.subject.key && other.target.key() != t.subject.key)) continue;
                    if (t.attribute.empty()) return true;
                    if (!other.before || wanted_->trigger_differs(t, *other.before, *other.after)) return true;
                }
            }
        }
        return false;
    }

    void finish(findings& found, node n, change<value_type> c, prior_instances::entry prior)
    {
        auto const& d = declaration(n.index);
        if (is_replace(c.what) && wanted_->lifecycle_of(d).prevent_destroy)
            found.problems.push_back(wanted_->prevented(d, c.target));
        if (c.what == action::create_then_destroy) {
            std::uint32_t attempt = 0;
            do c.deposed_key = make_deposed_key(c.target, options_->key_seed, attempt++);
            while (prior != nullptr && prior->second.deposed.contains(c.deposed_key));
        }
        scope_.publish(n.index, c.target, *c.after);
        if constexpr (has_conditions<P>)
            if (c.has_conditions && c.after->wholly_known())
                add(found.problems, wanted_->check(d, c.target, condition_time::after, *c.after, scope_));
        found.changes.push_back(std::move(c));
    }

    [[nodiscard]] auto plan_orphan(findings& found, std::pair<address const, resource_record> const& instance,
        std::size_t number, action_reason reason) -> task<void>
    {
        address const target = instance.first;
        for (auto const& [key, old] : instance.second.deposed) {
            auto planning = plan_deposed(found, target, target, key, old, number);
            co_await std::move(planning);
        }
        if (!instance.second.current) co_return;
        object const stored = *instance.second.current;
        auto refreshing = refresh(found, target, stored);
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
        c.stored_dependencies = stored.dependencies;
        c.stored_create_before_destroy = stored.create_before_destroy;
        c.what = action::destroy;
        if (options_->mode == plan_mode::normal) c.reason = reason;
        if (number != no_declaration && wanted_->lifecycle_of(declaration(number)).prevent_destroy)
            found.problems.push_back(wanted_->prevented(declaration(number), target));
        found.changes.push_back(std::move(c));
    }

    // A prior object that an earlier replacement has left behind.
    [[nodiscard]] auto plan_deposed(
        findings& found, address target, address was, std::string key, object stored, std::size_t number) -> task<void>
    {
        auto const* const record = prior_->state().find(was);
        auto refreshing = refresh(found, target, stored);
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
        c.of_deposed = true;
        c.deposed_key = std::move(key);
        c.declaration = number;
        c.provider = stored.provider;
        c.before = std::move(there->value);
        if (record != nullptr && record->current) c.stored_dependencies = record->current->dependencies;
        c.stored_create_before_destroy = true;
        c.what = action::destroy;
        found.changes.push_back(std::move(c));
    }

    // Rewrites state as if the objects had always been where they are wanted now.
    static void note_move(findings& found, std::pair<address const, resource_record> const& from, address const& to)
    {
        if (from.second.current) {
            found.refreshed.push_back(journal_entry::remove(from.first, {}));
            found.refreshed.push_back(journal_entry::record(to, {}, *from.second.current));
        }
        for (auto const& [key, old] : from.second.deposed) {
            found.refreshed.push_back(journal_entry::remove(from.first, key));
            found.refreshed.push_back(journal_entry::record(to, key, old));
        }
    }

    static void merge(std::vector<std::string>& into, std::vector<std::string> const& more)
    {
        std::vector<std::string> both;
        std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
        into = std::move(both);
    }

    P const* wanted_;
    Provider* provider_;
    plan_options const* options_;
    observer<value_type> const* watch_;
    prior_instances const* prior_;
    std::vector<std::vector<std::string>> const* dependencies_ = nullptr;
    evaluation_scope<value_type> scope_;
    std::vector<std::pair<prior_instances::entry, std::size_t>> orphans_;
    std::vector<findings> found_;
    std::vector<findings*> by_declaration_;  // written by the visit of the declaration, read by its dependents
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_INSTANCE_PLANNER_HPP
