// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_VISITOR_HPP
#define STRIDER_INFRA_PLAN_PLAN_VISITOR_HPP

#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/added_dependencies.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/plan/concurrency_limiter.hpp>
#include <strider/infra/plan/data_planner.hpp>
#include <strider/infra/plan/import_targets.hpp>
#include <strider/infra/plan/instance_planner.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/plan/prior_objects.hpp>
#include <strider/infra/plan/unknown_instances.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/ephemeral.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/outputs.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Visits the vertices of a plan graph: evaluates values, expands resources and plans their instances.
///
/// Every vertex stores its findings in a slot of its own, so visits share only the scope. So do the parts of a visit.
template <program P, provider_for<P> Provider>
class plan_visitor {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;

public:
    /// All references must outlive the visitor. \param watch  may be empty \param now  time for events
    plan_visitor(declaration_index<P> declared, Provider& provider, plan_options const& options,
        observer<value_type> const& watch, prior_instances const& prior, dependency_tables const& dependencies,
        concurrency_limiter& limiter, clock_reading now)
        : declared_(std::move(declared)),
          configuration_(&declared_.configuration()),
          provider_(&provider),
          options_(&options),
          prior_(&prior),
          scope_(declared_.names()),
          dependencies_(&dependencies),
          there_(declared_.size()),
          by_declaration_(declared_.size()),
          limiter_(&limiter),
          instances_(*configuration_, provider, options, watch, prior, scope_, dependencies, by_declaration_),
          data_(*configuration_, provider, options, watch, scope_, dependencies, by_declaration_, std::move(now)),
          unknown_(*configuration_, provider, options, watch, scope_)
    {
        if (options.before_destroy || options.mode == plan_mode::destroy) scope_.evaluate_for_destroy();
    }

    plan_visitor(plan_visitor const&) = delete;
    auto operator=(plan_visitor const&) -> plan_visitor& = delete;

    /// Allocates the slots for findings. \pre no visit has begun
    void prepare(std::size_t vertices) { found_.resize(vertices); }

    /// Finds the instances of state without a declaration; in a destroy, all instances. \return the providers of
    /// these instances
    auto find_orphans() -> std::vector<std::string>
    {
        bool const all = options_->mode == plan_mode::destroy;
        bool const none = !options_->invoke.empty() && options_->targets.empty();
        for (auto const& [block, instances] : prior_->blocks()) {
            std::size_t const number = declared_.find(block);
            if (number != no_declaration) there_[number] = &instances;
            if (!all && number != no_declaration) continue;
            for (auto const* instance : instances)
                if (all || (!none && is_covered(*options_, instance->first))) orphans_.push_back({instance, number});
        }
        std::vector<std::string> providers;
        for (auto const& [instance, _] : orphans_) {
            resource_record const& record = instance->second;
            providers.push_back(record.current ? record.current->provider : record.deposed.begin()->second.provider);
        }
        return providers;
    }

    /// Reports missing configurations of providers that declarations or orphans need.
    [[nodiscard]] auto missing_providers() const -> diagnostics
    {
        diagnostics missing;
        if constexpr (knows_providers<P>) {
            auto const check = [&](std::string const& what, std::string const& provider) {
                if (auto error = configuration_->missing_provider(what, provider)) missing.add(std::move(*error));
            };
            bool const destroys_all = options_->mode == plan_mode::destroy;
            for (auto const& d : configuration_->declarations()) {
                auto const kind = kind_of(*configuration_, d);
                if (!destroys_all
                    && (kind == declaration_kind::resource || kind == declaration_kind::ephemeral
                        || kind == declaration_kind::action))
                    check(configuration_->name_of(d), configuration_->provider_of(d));
            }
            for (auto const& [instance, _] : orphans_) {
                auto const& [target, record] = *instance;
                if (target.mode() == resource_mode::data) continue;
                if (record.current)
                    check(destroys_all ? destruction_name(target, {}) : to_string(target) + " (orphan)",
                        record.current->provider);
                for (auto const& [key, old] : record.deposed)
                    check(destroys_all ? destruction_name(target, key) : object_name(target, key), old.provider);
            }
        }
        return missing;
    }

    /// Returns the type of the resources that a vertex plans; empty if it plans none.
    [[nodiscard]] auto type_of(node const& n) const -> std::string
    {
        if (n.role == node_role::orphan) return orphans_[n.index].first->first.type();
        bool const is_resource =
            n.role == node_role::declaration && declared_.kind(n.index) == declaration_kind::resource;
        return is_resource ? address(configuration_->address_of(declaration(n.index))).type() : std::string();
    }

    /// Plans the instances of a vertex; findings are stored by vertex. Visits of different vertices may overlap.
    [[nodiscard]] auto visit(vertex_id v, node const& n) -> task<visit_outcome>
    {
        findings& found = found_[v.index()];
        if (n.role == node_role::orphan) {
            auto const& [instance, number] = orphans_[n.index];
            auto plan_one = [&, this](std::size_t) {
                return instances_.plan_orphan(
                    found, *instance, number, action_reason::delete_because_no_resource_config);
            };
            auto planning = limiter_->for_each(instance->first.type(), 1, plan_one);
            co_await std::move(planning);
        }
        if (n.role == node_role::declaration) {
            auto const kind = declared_.kind(n.index);
            if (kind == declaration_kind::check) plan_check(found, n.index);
            else if (kind == declaration_kind::provider) {
                auto configuring = configure(*configuration_, *provider_, declaration(n.index), scope_);
                auto config = co_await std::move(configuring);
                if (config) scope_.publish(n.index, std::move(*config));
                else found.problems.add(config.error().why());
            } else if (kind == declaration_kind::ephemeral) {
                auto opening = open_instances(*configuration_, *provider_, declaration(n.index), n.index, scope_);
                found.problems.add(co_await std::move(opening));
            } else if (kind == declaration_kind::action) {
                found.problems.add(expand_action(*configuration_, declaration(n.index), n.index, scope_));
            } else if (kind != declaration_kind::resource) plan_value(found, n.index, kind);
            else if (options_->mode == plan_mode::destroy)  // for the actions that it triggers
                publish_prior_objects(*configuration_, scope_, found, n.index, there_[n.index]);
            else {
                by_declaration_[n.index] = &found;
                auto planning = plan_resource(found, n);
                co_await std::move(planning);
            }
        }
        if (found.problems.has_errors()) co_return visit_outcome::failure(make_error_code(walk_errc::vertex_failed));
        co_return visit_outcome();
    }

    /// The values of the visited declarations.
    [[nodiscard]] auto scope() const noexcept -> evaluation_scope<value_type> const& { return scope_; }

    /// Moves all findings into the plan: the changes in the order of their addresses, the others in that of the vertices.
    /// \pre the plan has no changes \return the diagnostics
    auto collect(basic_plan<value_type>& plan) -> diagnostics
    {
        diagnostics problems;
        auto const move_to = [](auto& to, auto& from) {
            to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        plan.changes = take_changes(found_);
        for (findings& f : found_) {
            problems.add(std::move(f.problems));
            move_to(plan.deferred, f.deferred);
            move_to(prevented_, f.prevented);
            move_to(plan.drift, f.drift);
            move_to(plan.refreshed, f.refreshed);
            plan.check_warnings.add(std::move(f.check_warnings));
            if (f.output) plan.outputs.push_back(std::move(*f.output));
        }
        std::set<std::string> stay;
        for (auto const& o : plan.outputs) stay.insert(o.name);
        // An output without a value because of an error is still declared.
        if (problems.has_errors() && options_->mode != plan_mode::destroy)
            for (auto const& d : configuration_->declarations())
                if (kind_of(*configuration_, d) == declaration_kind::output) stay.insert(output_name(d));
        for (auto const& [name, old] : prior_->state().outputs) {
            if (plan.targeted || !options_->invoke.empty() || stay.contains(name)) continue;
            output_change<value_type> gone;
            gone.name = name;
            gone.what = action::destroy;
            if (auto before = decode_output(*configuration_, old)) gone.before = std::move(*before);
            gone.sensitive = old.sensitive;
            plan.outputs.push_back(std::move(gone));
        }
        std::sort(
            plan.outputs.begin(), plan.outputs.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
        return problems;
    }
    /// The errors of a destroy, by the instances that it must include for them. \pre `collect` was called
    auto take_prevented() noexcept -> std::vector<std::pair<address, diagnostics>> { return std::move(prevented_); }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declared_[i]; }

    template <class D>
    [[nodiscard]] auto output_name(D const& d) const -> std::string
    {
        std::string name = configuration_->name_of(d);
        return name.starts_with("output.") ? name.substr(7) : name;
    }

    void plan_check([[maybe_unused]] findings& found, [[maybe_unused]] std::size_t number) const
    {
        if constexpr (has_checks<P>) {
            if (options_->before_destroy) return;
            auto const data = configuration_->data_of(declaration(number));
            static std::vector<unread_data> const none;
            auto const* const of_data = data ? by_declaration_[*data] : nullptr;
            diagnostics made =
                configuration_->assess(declaration(number), scope_, of_data == nullptr ? none : of_data->unread);
            auto& to = made.has_errors() ? found.problems : found.check_warnings;
            to.add(std::move(made));
        }
    }

    void plan_value(findings& found, std::size_t number, declaration_kind kind)
    {
        auto const& d = declaration(number);
        auto value = configuration_->evaluate(d, address(), scope_);
        if (!value) {
            found.problems.add(value.error().why());
            return;
        }
        if (kind == declaration_kind::output) {
            output_change<value_type> c;
            c.name = output_name(d);
            c.declaration = number;
            c.sensitive = is_sensitive_output(*configuration_, d);
            auto const old = prior_->state().outputs.find(c.name);
            if (old != prior_->state().outputs.end()) {
                if (auto before = decode_output(*configuration_, old->second)) c.before = std::move(*before);
                c.sensitive = c.sensitive || old->second.sensitive;
            }
            *value = in_stored_form(*configuration_, c.before, std::move(*value));
            c.after = *value;
            // An output that becomes null leaves state, but still exists; its sensitivity is stored with it.
            bool const null = is_null_output(*configuration_, *value);
            if (!c.before) c.what = null ? action::no_op : action::create;
            else if (!null && is_stored_as(*configuration_, d, *value, old->second)) c.what = action::no_op;
            else c.what = action::update;
            // A known value is recorded independently of the rest of the plan.
            if (c.what != action::no_op && c.after->wholly_known())
                found.refreshed.push_back(null
                        ? journal_entry::output_removed(c.name)
                        : journal_entry::output(c.name, encode_output(*configuration_, d, *c.after)));
            found.output = std::make_unique<output_change<value_type>>(std::move(c));
        }
        scope_.publish(number, std::move(*value));
        if constexpr (has_value_rules<P>)
            if (scope_.is_for_destroy()) found.problems.add(as_warnings(configuration_->destroy_problems(d, scope_)));
    }

    [[nodiscard]] auto plan_resource(findings& found, node n) -> task<void>
    {
        auto const& d = declaration(n.index);
        auto expanded = expand(*configuration_, d, scope_);
        if (!expanded) {
            found.problems.add(expanded.error().why());
            co_return;
        }
        scope_.expand(n.index, expanded->instances);
        if (expanded->repetition) scope_.repeat(n.index, std::move(*expanded->repetition));
        auto imports = import_targets_of(*configuration_, d, *options_, *expanded, scope_);
        if (!imports) {
            found.problems.add(imports.error().why());
            co_return;
        }
        auto const& instances = expanded->instances;
        bool const partial = std::ranges::any_of(instances, has_unknown_key);
        address const block = configuration_->address_of(d);
        auto const prior = prior_instances::with_declared(there_[n.index], instances);
        if (!instances.empty()) instances_.find_triggers(found, n.index, instances.front());
        if (options_->refresh)
            found.added_dependencies =
                added_dependencies(dependencies_->planned[n.index], prior, block, *prior_, scope_, by_declaration_);
        std::size_t const parts = limiter_->parts_of(prior.size());
        found.changes.reserve(prior.size());
        std::vector<findings> others;  // of all parts but the first
        for (std::size_t i = 1; i < parts; ++i)
            others.emplace_back(found.part()).changes.reserve(prior.size() / parts + 1);
        auto plan_one = [&, this](std::size_t part, std::size_t i) -> task<void> {
            findings& into = part == 0 ? found : others[part - 1];
            bool const stays = i < instances.size();
            address const& a = stays ? instances[i] : prior[i]->first;
            if (is_unselected(*options_, a, block)) {
                if (stays) publish_prior(*configuration_, scope_, into, n.index, a, prior[i]);
                co_return;
            }
            if (!stays && partial) {
                dependency_set known;
                if (auto const& stored = prior[i]->second.current) known = stored->dependencies;
                if (options_->refresh) known = known.merged(into.added_dependencies);
                for (auto const& [key, old] : prior[i]->second.deposed) {
                    if (!is_covered(*options_, a)) break;
                    auto planning = instances_.plan_deposed(into, a, key, old, n.index, known);
                    co_await std::move(planning);
                }
                auto refreshing = unknown_.refresh(into, n.index, *prior[i], std::move(known));
                co_await std::move(refreshing);
            } else if (stays && has_unknown_key(a)) {
                if (options_->mode != plan_mode::normal) co_return;
                auto planning = unknown_.plan(into, n.index, a);
                co_await std::move(planning);
            } else if (!stays) {
                action_reason const reason = expanded->desired
                    ? reason_to_destroy(a, expanded->kind, instances, expanded->modules)
                    : action_reason::delete_because_no_resource_config;
                auto planning = instances_.plan_orphan(into, *prior[i], n.index, reason);
                co_await std::move(planning);
            } else {
                auto const import = imports->find(a);
                auto existing = import == imports->end() ? std::nullopt : std::optional(import->second);
                auto planning = a.mode() == resource_mode::data
                    ? data_.plan_instance(into, n.index, a, prior[i])
                    : instances_.plan_instance(into, n, a, prior[i], std::move(existing));
                co_await std::move(planning);
            }
        };
        auto planning = limiter_->for_each_in_parts(block.type(), prior.size(), parts, std::ref(plan_one));
        co_await std::move(planning);
        for (findings& one : others) found.take(std::move(one));
        if (depends_on_deferred(n.index)) found.defer_changes();
        if (!found.deferred.empty()) has_deferred_.store(true, std::memory_order_release);
    }

    // True if a resource that the declaration depends on has a deferred instance.
    // \complexity O(1) until a visit defers something, then O(n) in the dependencies
    [[nodiscard]] auto depends_on_deferred(std::size_t number) const -> bool
    {
        if (!has_deferred_.load(std::memory_order_acquire)) return false;
        auto const is_deferred = [this](std::string const& name) {
            auto const at = scope_.number_of(name);
            return at && by_declaration_[*at] != nullptr && !by_declaration_[*at]->deferred.empty();
        };
        return std::ranges::any_of(dependencies_->declared[number].names(), is_deferred);
    }

    declaration_index<P> declared_;
    P const* configuration_;
    Provider* provider_;
    plan_options const* options_;
    prior_instances const* prior_;
    evaluation_scope<value_type> scope_;
    dependency_tables const* dependencies_;
    std::vector<std::pair<prior_instances::entry, std::size_t>> orphans_;
    std::vector<findings> found_;
    std::vector<std::pair<address, diagnostics>> prevented_;  // errors of a destroy, by instance
    std::vector<std::vector<prior_instances::entry> const*> there_;  // by declaration; null: none, or not looked up
    std::vector<findings*> by_declaration_;  // written by the visit of the declaration, read by its dependents
    std::atomic<bool> has_deferred_ = false;  // set by a visit, before those of its dependents
    concurrency_limiter* limiter_;
    instance_planner<P, Provider> instances_;
    data_planner<P, Provider> data_;
    unknown_instances<P, Provider> unknown_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_VISITOR_HPP
