// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PLANTED_POLICIES_HPP
#define STRIDER_TESTS_PLANTED_POLICIES_HPP

#include <strider/infra.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>

#include <planted/catalogue.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The policies of an engine with one planted fault. Without a fault they behave as the policies that they replace.

namespace strider::test {

using planted_change = infra::change<infra::sim::toy_value>;

// ---------------------------------------------------------------------------------------------------------------- stages

template <infra::program P>
class planted_selection : public infra::target_selection<P> {
public:
    planted_selection(infra::graph_tables<P> const& tables, infra::plan_options const& options, infra::drafted what,
        planted_fault fault)
        : infra::target_selection<P>(tables, options, what),
          fault_(fault)
    {}
    [[nodiscard]] auto rejected(infra::node const& n) const -> bool
    {
        return fault_ != planted_fault::exclude_without_dependents && infra::target_selection<P>::rejected(n);
    }

private:
    planted_fault fault_;
};

template <infra::program P>
class planted_lifecycle : public infra::lifecycle_policy<P> {
    using base = infra::lifecycle_policy<P>;

public:
    planted_lifecycle(infra::graph_tables<P> const& tables, planted_fault fault)
        : base(tables),
          tables_(&tables),
          fault_(fault)
    {}
    [[nodiscard]] auto destroyers(infra::node const& n) const -> std::vector<infra::node>
    {
        auto all = base::destroyers(n);
        if (fault_ == planted_fault::ignore_recorded_cbd)
            for (infra::node& d : all)
                if (d.role == infra::node_role::destroyer && tables_->change_of(d).what == infra::action::destroy)
                    d.create_before_destroy = false;
        return all;
    }
    [[nodiscard]] auto dependency_set(infra::node const& n) const -> std::optional<std::size_t>
    {
        if (fault_ == planted_fault::leave_deposed_unordered && n.role == infra::node_role::deposed_destroyer)
            return std::nullopt;
        return base::dependency_set(n);
    }
    [[nodiscard]] auto ordered(infra::node const& dependent, infra::node const& dependency) const -> ordering
    {
        auto const how = base::ordered(dependent, dependency);
        return fault_ == planted_fault::order_across_providers && how == ordering::tentative ? ordering::required : how;
    }

private:
    infra::graph_tables<P> const* tables_;
    planted_fault fault_;
};

/// The stages of an engine, with a fault. `seen` receives the changes of the apply graph.
class planted_stages {
public:
    using graph = digraph<infra::node>;

    planted_stages(planted_fault fault, std::vector<planted_change>& seen) : fault_(fault), seen_(&seen) {}

    template <infra::program P>
    [[nodiscard]] auto plan_graph(
        infra::graph_tables<P> const& tables, graph draft, infra::plan_options const& options) const -> result<graph>
    {
        planted_selection<P> const selection(tables, options, infra::drafted::declarations, fault_);
        auto selected = target_subgraph{selection}(std::move(draft));
        if (selected && fault_ == planted_fault::target_without_dependency)
            drop_dependency(*selected, tables, selection);
        if (selected && fault_ != planted_fault::skip_forced_cbd)
            selected = forced_cbd{infra::lifecycle_policy<P>{tables}}(*std::move(selected));
        if (!selected) return selected;
        return cycle_validation{infra::node_naming<P>{tables, true}}(*std::move(selected));
    }

    template <infra::program P>
    [[nodiscard]] auto apply_graph(
        infra::graph_tables<P> const& tables, graph draft, infra::plan_options const& options) const -> result<graph>
    {
        *seen_ = tables.changes();
        corrupt_draft(tables, draft);
        planted_lifecycle<P> const lifecycle(tables, fault_);
        auto made = destroy_split{lifecycle}(std::move(draft));
        if (!made) return made;
        corrupt_split(*made);
        made = infra::action_needs<P>{tables}(*std::move(made));
        if (!made) return made;
        auto const upright = fault_ == planted_fault::leave_one_edge_upright ? edges_to_late(*made) : edges_type();
        if (fault_ != planted_fault::skip_inversion) made = cbd_inversion{lifecycle}(*std::move(made));
        if (!made) return made;
        if (!upright.empty()) {
            auto const& e = choose(upright);
            if (made->erase_edge(e.dependency, depends_on(e.dependent)))
                made->add_edge(e.dependent, depends_on(e.dependency), e.origin);
        }
        made = infra::action_order<P>{tables}(*std::move(made));
        if (!made) return made;
        corrupt_actions(tables, *made);
        auto const stages = target_subgraph{planted_selection<P>(tables, options, infra::drafted::changes, fault_)}
            | scope_boundaries{infra::provider_scopes<P>{tables}} | single_root{infra::lifecycle_policy<P>{tables}}
            | transitive_reduction{} | cycle_validation{infra::node_naming<P>{tables}};
        return stages(*std::move(made));
    }

private:
    using edges_type = std::vector<draft_edge>;

    // The middle one of several.
    [[nodiscard]] static auto choose(edges_type const& all) -> draft_edge const& { return all[all.size() / 2]; }

    template <class Which>
    [[nodiscard]] static auto find(graph const& g, edge_rule rule, Which which) -> edges_type
    {
        edges_type all;
        for (auto const e : g.edges())
            if (e.origin.made_by() == rule && which(g[e.dependent], g[e.dependency])) all.push_back(e);
        return all;
    }
    template <class Which>
    static void drop(graph& g, edge_rule rule, Which which)
    {
        auto const all = find(g, rule, which);
        if (all.empty()) return;
        draft_edge const e = choose(all);
        g.erase_edge(e.dependent, depends_on(e.dependency));
    }

    [[nodiscard]] static auto edges_to_late(graph const& g) -> edges_type
    {
        // Not the edge of the object itself, which would close a cycle.
        return find(g, edge_rules::after_destruction_of_dependency, [](infra::node const& from, infra::node const& to) {
            return from.role == infra::node_role::creator && infra::is_destroyer(to) && to.create_before_destroy
                && from.index != to.index;
        });
    }

    template <infra::program P>
    void corrupt_draft(infra::graph_tables<P> const& tables, graph& g) const
    {
        using role = infra::node_role;
        auto const any = [](infra::node const&, infra::node const&) { return true; };
        auto const of_change = [](infra::node const&, infra::node const& to) { return to.role == role::creator; };
        switch (fault_) {
        case planted_fault::drop_reference_edge: drop(g, edge_rules::reference, of_change); break;
        case planted_fault::drop_depends_on_edge: drop(g, edge_rules::explicit_dependency, any); break;
        case planted_fault::drop_join_edge: drop(g, edge_rules::join, of_change); break;
        case planted_fault::drop_module_begin_edge: drop_module_begin(tables, g); break;
        case planted_fault::drop_module_close_edge:
            drop(g, edge_rules::scope_close, [](infra::node const& from, infra::node const& to) {
                return from.role == role::module_close && to.role == role::creator;
            });
            break;
        case planted_fault::drop_configuration_edge:
            drop(g, edge_rules::scope_begin, [&](infra::node const& from, infra::node const& to) {
                return from.role == role::creator && tables.declares(to, infra::declaration_kind::provider);
            });
            break;
        default: break;
        }
    }

    // One resource of a module does not wait for the begin of the module, neither by itself nor by its instances.
    template <infra::program P>
    static void drop_module_begin(infra::graph_tables<P> const& tables, graph& g)
    {
        auto const resource_of = [&](infra::node const& n) -> std::size_t {
            if (n.role == infra::node_role::creator) return tables.change_of(n).declaration;
            return tables.declares(n, infra::declaration_kind::resource) ? n.index : infra::no_declaration;
        };
        auto const all = find(g, edge_rules::scope_begin, [&](infra::node const& from, infra::node const& to) {
            return resource_of(from) != infra::no_declaration && tables.declares(to, infra::declaration_kind::module);
        });
        if (all.empty()) return;
        std::size_t const chosen = resource_of(std::as_const(g)[choose(all).dependent]);
        for (draft_edge const& e : all)
            if (resource_of(std::as_const(g)[e.dependent]) == chosen)
                g.erase_edge(e.dependent, depends_on(e.dependency));
    }

    void corrupt_split(graph& g) const
    {
        auto const any = [](infra::node const&, infra::node const&) { return true; };
        switch (fault_) {
        case planted_fault::drop_own_destroyer_edge: drop(g, edge_rules::own_destroyer, any); break;
        case planted_fault::drop_destroy_order_edge: drop(g, edge_rules::destroy_order, any); break;
        case planted_fault::drop_after_dependency_edge:
            drop(g, edge_rules::after_destruction_of_dependency, any);
            break;
        case planted_fault::drop_after_dependent_edge: drop(g, edge_rules::after_destruction_of_dependent, any); break;
        default: break;
        }
    }

    // An edge between an invocation and its own change, its neighbour in a chain, or a dependent of its change.
    template <infra::program P>
    void corrupt_actions(infra::graph_tables<P> const& tables, graph& g) const
    {
        auto const is_invocation = [](infra::node const& n) { return n.role == infra::node_role::invocation; };
        auto const is_own = [&](infra::node const& invocation, infra::node const& change) {
            bool const changes = change.role == infra::node_role::creator || infra::is_destroyer(change);
            return changes && tables.invocations()[invocation.index].change == change.index;
        };
        switch (fault_) {
        case planted_fault::drop_before_action_edge:
            drop(g, edge_rules::action_trigger,
                [&](auto const& from, auto const& to) { return is_invocation(to) && is_own(to, from); });
            break;
        case planted_fault::drop_after_action_edge:
            drop(g, edge_rules::action_trigger,
                [&](auto const& from, auto const& to) { return is_invocation(from) && is_own(from, to); });
            break;
        case planted_fault::drop_action_dependents:
            drop_dependents(g, find(g, edge_rules::action_trigger, [&](auto const& from, auto const& to) {
                return is_invocation(to) && !is_invocation(from) && !is_own(to, from);
            }));
            break;
        case planted_fault::drop_action_chain_edge:
            drop(g, edge_rules::action_trigger,
                [&](auto const& from, auto const& to) { return is_invocation(from) && is_invocation(to); });
            break;
        default: break;
        }
    }

    // Drops all edges to one vertex.
    static void drop_dependents(graph& g, edges_type const& all)
    {
        if (all.empty()) return;
        draft_vertex_id const chosen = choose(all).dependency;
        for (draft_edge const& e : all)
            if (e.dependency == chosen) g.erase_edge(e.dependent, depends_on(e.dependency));
    }

    template <infra::program P>
    static void drop_dependency(graph& g, infra::graph_tables<P> const& tables, planted_selection<P> const& selection)
    {
        if (!selection.enabled()) return;
        for (auto const v : g.vertices()) {
            auto const& n = std::as_const(g)[v];
            if (!tables.declares(n, infra::declaration_kind::resource) || selection.selected(n)) continue;
            g.erase_vertex(v);
            return;
        }
    }

    planted_fault fault_;
    std::vector<planted_change>* seen_;
};

// --------------------------------------------------------------------------------------------------------------- program

class planted_program : public infra::sim::toy_program {
    using base = infra::sim::toy_program;

public:
    planted_program(base wanted, planted_fault fault) : base(std::move(wanted)), fault_(fault)
    {
        if (fault_ == planted_fault::skip_last_move && !base::moves().empty()) {
            moves_ = base::moves();
            moves_.pop_back();
        } else moves_ = base::moves();
        for (auto const& d : declarations())
            if (d.lifecycle.create_before_destroy.value_or(false)) last_cbd_ = d.name;
    }

    [[nodiscard]] auto moves() const noexcept -> std::vector<infra::move_statement> const& { return moves_; }
    [[nodiscard]] auto lifecycle_of(infra::sim::toy_declaration const& d) const -> infra::lifecycle
    {
        auto l = base::lifecycle_of(d);
        if (fault_ == planted_fault::ignore_prevent_destroy) l.prevent_destroy = false;
        if (fault_ == planted_fault::ignore_declared_cbd && d.name == last_cbd_) l.create_before_destroy.reset();
        if (fault_ == planted_fault::destroy_kept) l.destroy = true;
        return l;
    }
    [[nodiscard]] auto references(infra::sim::toy_declaration const& d) const -> std::vector<infra::reference>
    {
        auto all = base::references(d);
        if (fault_ == planted_fault::lose_last_reference && all.size() > 2) all.pop_back();
        return all;
    }
    [[nodiscard]] auto expand(infra::sim::toy_declaration const& d, scope_type const& scope) const
        -> strider::result<infra::expansion<value_type>, infra::failure>
    {
        auto e = base::expand(d, scope);
        if (fault_ == planted_fault::lose_last_instance && e && e->instances.size() > 1) e->instances.pop_back();
        if (fault_ == planted_fault::expand_unknown_as_none && e) std::erase_if(e->instances, infra::has_unknown_key);
        return e;
    }
    [[nodiscard]] auto imports(infra::sim::toy_declaration const& d, scope_type const& scope) const
        -> strider::result<std::vector<infra::import_target>, infra::failure>
    {
        if (fault_ == planted_fault::create_instead_of_import) return std::vector<infra::import_target>();
        return base::imports(d, scope);
    }
    [[nodiscard]] auto action_triggers(infra::sim::toy_declaration const& d) const -> std::vector<infra::action_trigger>
    {
        auto all = base::action_triggers(d);
        if (fault_ == planted_fault::fire_update_events_at_creation)
            for (infra::action_trigger& t : all)
                if (std::erase(t.events, infra::trigger_event::after_update) != 0) {
                    std::erase(t.events, infra::trigger_event::after_create);
                    t.events.push_back(infra::trigger_event::after_create);
                }
        return all;
    }
    [[nodiscard]] auto trigger_holds(infra::sim::toy_declaration const& d, infra::action_trigger const& t,
        infra::address const& a, value_type const& self, scope_type const& scope) const
        -> strider::result<std::optional<bool>, infra::failure>
    {
        if (fault_ == planted_fault::ignore_action_condition) return std::optional(true);
        return base::trigger_holds(d, t, a, self, scope);
    }
    [[nodiscard]] auto triggered_actions(infra::sim::toy_declaration const& d, infra::action_trigger const& t,
        infra::address const& a, scope_type const& scope) const
        -> strider::result<std::vector<infra::address>, infra::failure>
    {
        auto all = base::triggered_actions(d, t, a, scope);
        if (fault_ == planted_fault::lose_last_action && all && all->size() > 1) all->pop_back();
        return all;
    }
    [[nodiscard]] auto check_plan(infra::sim::toy_declaration const& d, infra::address const& a,
        std::optional<value_type> const& prior, value_type const& desired, value_type const& planned) const
        -> infra::diagnostics
    {
        if (fault_ == planted_fault::accept_lying_plan) return {};
        return base::check_plan(d, a, prior, desired, planned);
    }
    [[nodiscard]] auto check_outcome(infra::sim::toy_declaration const& d, infra::address const& a,
        infra::plan_outcome of, value_type const& planned, value_type const& actual) const -> infra::diagnostics
    {
        bool const is_final = of == infra::plan_outcome::final_plan;
        if (fault_ == (is_final ? planted_fault::accept_lying_final_plan : planted_fault::accept_lying_result))
            return {};
        return base::check_outcome(d, a, of, planned, actual);
    }
    [[nodiscard]] auto replace_triggers(infra::sim::toy_declaration const& d, infra::address const& a) const
        -> strider::result<std::vector<infra::replace_trigger>, infra::failure>
    {
        if (fault_ == planted_fault::ignore_triggers) return std::vector<infra::replace_trigger>();
        return base::replace_triggers(d, a);
    }
    [[nodiscard]] auto removal_of(infra::address const& a) const -> std::optional<infra::removal>
    {
        auto const declared = base::removal_of(a);
        return declared && fault_ == planted_fault::destroy_instead_of_forget ? infra::removal::destroy : declared;
    }
    [[nodiscard]] auto provisioners(infra::sim::toy_declaration const& d) const -> std::vector<infra::provisioner>
    {
        auto all = base::provisioners(d);
        if (fault_ == planted_fault::skip_destroy_steps)
            std::erase_if(all, [](auto const& step) { return step.when == infra::provision_time::destroy; });
        auto const creates = std::count_if(
            all.begin(), all.end(), [](auto const& step) { return step.when == infra::provision_time::create; });
        if (fault_ == planted_fault::skip_last_create_step && creates > 1) {
            auto const last = std::find_if(
                all.rbegin(), all.rend(), [](auto const& step) { return step.when == infra::provision_time::create; });
            all.erase(std::next(last).base());
        }
        return all;
    }

private:
    planted_fault fault_;
    std::vector<infra::move_statement> moves_;
    std::string last_cbd_;
};

static_assert(infra::program<planted_program> && infra::has_kinds<planted_program>
    && infra::has_expansion<planted_program> && infra::has_modules<planted_program>
    && infra::has_lifecycle<planted_program> && infra::has_provisioners<planted_program>
    && infra::has_replace_triggers<planted_program> && infra::has_conditions<planted_program>
    && infra::has_moves<planted_program> && infra::has_imports<planted_program> && infra::has_actions<planted_program>
    && infra::has_answer_checks<planted_program> && infra::has_checks<planted_program>
    && infra::has_removals<planted_program> && infra::knows_providers<planted_program>);

// -------------------------------------------------------------------------------------------------------------- provider

/// The requests to a provider besides the operations in the log of the cloud.
struct provider_notes {
    struct note {
        std::string name;  ///< of a configured provider, of an object whose provisioner ran, or of an action
        std::size_t operations = 0;  ///< that had begun before
        bool succeeded = false;
        bool interrupted = false;  ///< of an action: the call has no known end
        infra::sim::toy_value config{};  ///< of an action
    };
    std::vector<note> configurations;  ///< when they ended
    std::vector<note> provisions;
    std::vector<note> calls;  ///< of actions, in the order of their begin
};

template <class Clock>
class planted_provider : public infra::sim::provider<Clock> {
    using base = infra::sim::provider<Clock>;
    using value_type = infra::sim::toy_value;
    using request_type = infra::apply_request<value_type>;

public:
    planted_provider(asio::any_io_executor executor, infra::sim::cloud& on, strider::sim::fault_plan faults,
        typename Clock::duration latency, planted_fault fault, provider_notes& notes)
        : base(std::move(executor), on, std::move(faults), latency),
          cloud_(&on),
          notes_(&notes),
          fault_(fault)
    {}

    [[nodiscard]] auto apply(request_type r) -> infra::task<infra::applied<value_type>>
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        std::string const target = to_string(r.operation.target);
        bool const creates = r.planned && !r.prior;
        bool const updates = r.planned && r.prior;
        if (fault_ == planted_fault::update_without_prior && updates) r.prior.reset();
        if (fault_ == planted_fault::apply_request_of_neighbour && creates) {
            if (first_created_) r.planned = first_created_;
            else first_created_ = r.planned;
        }
        if (fault_ == planted_fault::share_key_with_deposed && !r.operation.deposed_key.empty() && !r.planned)
            r.operation.operation.erase(r.operation.operation.rfind('/') + 1);
        if (fault_ == planted_fault::destroy_current_for_deposed && !r.planned && !r.operation.deposed_key.empty())
            if (auto const now = last_made_.find(target); now != last_made_.end()) {
                r.prior = now->second;
                r.private_data = {};
            }
        if (fault_ == planted_fault::repeat_update && updates) {
            auto first = base::apply(r);
            auto const ignored = co_await std::move(first);
            (void)ignored;
        }
        auto applying = base::apply(std::move(r));
        auto answer = co_await std::move(applying);
        if (creates && answer.object) last_made_.insert_or_assign(target, *answer.object);
        if (fault_ == planted_fault::take_failure_for_success && answer.object) answer.problems = {};
        co_return answer;
    }

    [[nodiscard]] auto look_up(request_type r) -> infra::task<infra::looked_up<value_type>>
    {
        bool const destroys = r.operation.kind == infra::operation_kind::destroy;
        auto looking = base::look_up(std::move(r));
        auto answer = co_await std::move(looking);
        using infra::lookup_answer;
        if (fault_ == planted_fault::settle_unknown_as_not_done && answer.answer == lookup_answer::unknown)
            answer.answer = lookup_answer::not_done;
        if (fault_ == planted_fault::settle_created_as_not_done && answer.object)
            answer = infra::looked_up<value_type>(lookup_answer::not_done);
        if (fault_ == planted_fault::settle_destroy_as_done && destroys && answer.answer == lookup_answer::not_done)
            answer.answer = lookup_answer::done;
        co_return answer;
    }

    [[nodiscard]] auto configure(std::string name, value_type config) -> infra::task<infra::diagnostics>
    {
        auto configuring = base::configure(name, std::move(config));
        auto problems = co_await std::move(configuring);
        notes_->configurations.push_back({std::move(name), cloud_->log().size(), problems.empty()});
        co_return problems;
    }

    [[nodiscard]] auto provision(infra::provision_request<value_type> r) -> infra::task<infra::diagnostics>
    {
        std::string const target = to_string(r.target);
        auto provisioning = base::provision(std::move(r));
        auto problems = co_await std::move(provisioning);
        notes_->provisions.push_back({target, cloud_->log().size(), problems.empty()});
        co_return problems;
    }

    [[nodiscard]] auto invoke_action(infra::invoke_request<value_type> r) -> infra::task<infra::invoked>
    {
        std::size_t const at = notes_->calls.size();
        if (fault_ == planted_fault::invoke_for_first_caller)
            r.config = first_configs_.try_emplace(to_string(r.target), r.config).first->second;
        notes_->calls.push_back({to_string(r.target), cloud_->log().size(), false, true, r.config});
        bool const twice = fault_ == planted_fault::repeat_action;
        auto again = r;
        auto invoking = base::invoke_action(std::move(r));
        infra::invoked answer;
        if (fault_ == planted_fault::take_interrupted_action_for_failed) {
            try {
                answer = co_await std::move(invoking);
            } catch (std::runtime_error const&) {
                answer.interrupted = true;
            }
        } else answer = co_await std::move(invoking);
        if (twice) {
            auto repeating = invoke_again(std::move(again));
            co_await std::move(repeating);
        }
        notes_->calls[at].interrupted = answer.interrupted;
        notes_->calls[at].succeeded = !answer.interrupted && !answer.problems.has_errors();
        if (fault_ == planted_fault::take_failed_action_for_done) answer.problems = {};
        if (fault_ == planted_fault::take_interrupted_action_for_failed && answer.interrupted) {
            answer.interrupted = false;
            answer.problems.add(infra::sim::sim_error(infra::sim::codes::action_failed));
        }
        co_return answer;
    }

private:
    [[nodiscard]] auto invoke_again(infra::invoke_request<value_type> r) -> infra::task<void>
    {
        notes_->calls.push_back({to_string(r.target), cloud_->log().size(), true, false, r.config});
        auto invoking = base::invoke_action(std::move(r));
        auto const ignored = co_await std::move(invoking);
        (void)ignored;
    }

    infra::sim::cloud* cloud_;
    provider_notes* notes_;
    planted_fault fault_;
    std::optional<value_type> first_created_;
    std::map<std::string, value_type> last_made_;  // by address
    std::map<std::string, value_type> first_configs_;  // of actions, by address
};

// ----------------------------------------------------------------------------------------------------------------- store

template <class Clock>
class planted_store : public infra::sim::store<Clock> {
    using base = infra::sim::store<Clock>;
    using entry = infra::journal_entry;
    using kind = entry::kind_type;

public:
    planted_store(infra::sim::durable_state& in, strider::sim::fault_plan faults, planted_fault fault)
        : base(in, std::move(faults)),
          durable_(&in),
          fault_(fault)
    {}

    [[nodiscard]] auto read() -> infra::task<strider::result<infra::snapshot, infra::failure>>
    {
        auto reading = base::read();
        auto state = co_await std::move(reading);
        if (!state) co_return state;
        if (fault_ == planted_fault::read_stale_state) {
            if (cached_) co_return *cached_;
            cached_ = *state;
        }
        if (fault_ == planted_fault::read_without_pending) state->pending.clear();
        for (auto& [_, record] : state->resources) {
            if (fault_ == planted_fault::read_without_taint && record.current)
                record.current->tainted = record.current->unfinished = false;
            if (fault_ == planted_fault::read_without_deposed && record.current && !record.deposed.empty()) {
                record.deposed.erase(record.deposed.begin());
                break;
            }
        }
        co_return state;
    }

    [[nodiscard]] auto append(std::span<entry const> batch, infra::snapshot const& after) -> infra::task<error_code>
    {
        std::vector<entry> entries = std::exchange(held_, {});
        for (entry const& e : batch) add_faulty(e, entries);
        if (fault_ == planted_fault::take_end_of_neighbour) exchange_ends(entries);
        bool const holds_all = fault_ == planted_fault::acknowledge_batch_early;
        bool const holds_last = fault_ == planted_fault::acknowledge_last_entry_early;
        if ((holds_all || holds_last) && !entries.empty()) {
            auto const from = holds_all ? entries.size() - std::min(entries.size(), batch.size()) : entries.size() - 1;
            held_.assign(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end());
            entries.resize(from);
        }
        ++batches_;
        auto appending = base::append(entries, after);
        auto const error = co_await std::move(appending);
        co_return error;
    }

    /// The end of a process that did not crash: its pending writes become durable.
    void close()
    {
        if (!held_.empty()) (void)durable_->append(std::exchange(held_, {}));
    }

private:
    // Adds an entry, as changed by the fault.
    void add_faulty(entry const& e, std::vector<entry>& to)
    {
        auto const& o = e.operation();
        bool const begin = e.kind() == kind::begin;
        bool const end = e.kind() == kind::end;
        bool const creates = o.kind == infra::operation_kind::create;
        auto const end_with = [&](infra::object made, bool failed) { return entry::end(o, std::move(made), failed); };
        auto const with = [&](infra::object made) {
            return end ? end_with(std::move(made), e.failed())
                       : entry::record(e.target(), e.deposed_key(), std::move(made));
        };
        bool const records = e.kind() == kind::record || (end && e.result());
        switch (fault_) {
        case planted_fault::lose_end_entry:
            if (end && ++ends_ == 2) return;
            break;
        case planted_fault::forget_deposed: {
            auto const* const record = durable_->now().find(e.target());
            bool const deposes = begin && creates && !e.deposed_key().empty() && record != nullptr && record->current;
            to.push_back(e);
            if (deposes) to.push_back(entry::remove(e.target(), e.deposed_key()));
            return;
        }
        case planted_fault::leave_deposed_after_failure:
            if (end && creates && !e.result() && !e.deposed_key().empty()) {
                auto other = o;
                other.deposed_key.clear();
                to.push_back(entry::end(other, {}, true));
                return;
            }
            break;
        case planted_fault::drop_object_after_failed_destroy:
            if (end && o.kind == infra::operation_kind::destroy && e.failed()) {
                to.push_back(entry::end(o, {}, false));
                return;
            }
            break;
        case planted_fault::lose_taint:
            if (end && e.result() && e.result()->tainted) {
                auto made = *e.result();
                made.tainted = made.unfinished = false;
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::lose_unfinished:
            if (e.kind() == kind::record && e.result()->unfinished) {
                auto made = *e.result();
                made.tainted = made.unfinished = false;
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::lose_last_dependency:
            if (end && e.result() && !e.result()->dependencies.empty()) {
                auto made = *e.result();
                auto names = made.dependencies.names();
                names.pop_back();
                made.dependencies = infra::dependency_set(std::move(names), {});
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::keep_removed_dependency:
            if (auto const* const record = durable_->now().find(e.target());
                records && record != nullptr && record->current && e.deposed_key().empty()) {
                auto made = *e.result();
                made.dependencies = made.dependencies.merged(record->current->dependencies);
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::lose_recorded_cbd:
            if (records && e.result()->create_before_destroy) {
                auto made = *e.result();
                made.create_before_destroy = false;
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::end_at_first_instance:
            if (auto const* const index = e.target().key().index();
                end && creates && index != nullptr && *index == 1 && e.deposed_key().empty()) {
                auto other = o;
                other.target = infra::address(e.target().module(), e.target().mode(), e.target().type(),
                    e.target().name(), infra::instance_key(std::int64_t{0}));
                to.push_back(entry::end(other, e.result(), e.failed()));
                return;
            }
            break;
        case planted_fault::lose_output_entry:
            if (e.kind() == kind::output && batches_ > 0) return;
            break;
        case planted_fault::keep_removed_output:
            if (e.kind() == kind::output_removed) return;
            break;
        case planted_fault::lose_drift:
            if (e.kind() == kind::record && !e.result()->unfinished && is_known(e.target())) return;
            break;
        case planted_fault::lose_removal:
            if (e.kind() == kind::remove) return;
            break;
        case planted_fault::lose_action_entries:
            if ((begin || end) && o.kind == infra::operation_kind::invoke) return;
            break;
        case planted_fault::lose_action_taint:
            if (auto const* const record = durable_->now().find(e.target());
                e.kind() == kind::record && e.result()->tainted && record != nullptr && record->current) {
                auto made = *e.result();
                made.tainted = record->current->tainted;
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        case planted_fault::lose_recorded_keep:
            if (records && e.result()->keep) {
                auto made = *e.result();
                made.keep = false;
                to.push_back(with(std::move(made)));
                return;
            }
            break;
        default: break;
        }
        to.push_back(e);
    }

    [[nodiscard]] auto is_known(infra::address const& a) const -> bool
    {
        auto const* const record = durable_->now().find(a);
        return record != nullptr && record->current;
    }

    static void exchange_ends(std::vector<entry>& entries)
    {
        std::vector<std::size_t> ends;
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (entries[i].kind() == kind::end && entries[i].result()) ends.push_back(i);
        if (ends.size() < 2) return;
        entry const first = entries[ends[0]];
        entry const second = entries[ends[1]];
        entries[ends[0]] = entry::end(first.operation(), second.result(), first.failed());
        entries[ends[1]] = entry::end(second.operation(), first.result(), second.failed());
    }

    infra::sim::durable_state* durable_;
    planted_fault fault_;
    std::vector<entry> held_;
    std::optional<infra::snapshot> cached_;
    std::size_t ends_ = 0;
    std::size_t batches_ = 0;
};

// ------------------------------------------------------------------------------------------------------------- execution

/// A ready queue with a fault.
template <class Queue>
class planted_queue {
public:
    planted_queue(Queue inner, planted_fault fault) : inner_(std::move(inner)), fault_(fault) {}

    void reset(std::size_t id_bound) { inner_.reset(id_bound); }
    void push(vertex_id v) { inner_.push(v); }
    [[nodiscard]] auto pop() -> vertex_id
    {
        vertex_id const v = inner_.pop();
        if (fault_ == planted_fault::release_permit_early) inner_.settled(v);
        return v;
    }
    void settled(vertex_id v) { inner_.settled(v); }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return inner_.size(); }

private:
    Queue inner_;
    planted_fault fault_;
};

template <class Executor, class Clock>
class planted_execution {
    using base = infra::asio_execution<Executor, Clock>;

public:
    using executor_type = Executor;
    using clock_type = Clock;

    planted_execution(Executor executor, infra::execution_limits limits, planted_fault fault)
        : inner_(std::move(executor), std::move(limits)),
          fault_(fault)
    {}

    [[nodiscard]] auto get_executor() const noexcept -> Executor { return inner_.get_executor(); }
    [[nodiscard]] auto limits() const noexcept -> infra::execution_limits const& { return inner_.limits(); }
    template <class TypeOf>
    [[nodiscard]] auto options(TypeOf type_of) const
    {
        auto made = inner_.options(std::move(type_of));
        using queue = planted_queue<decltype(made.ready)>;
        walk_options<queue> options{.max_concurrency = made.max_concurrency,
            .stop_on_first_failure = made.stop_on_first_failure,
            .threads = made.threads,
            .granularity = made.granularity,
            .ready = queue(std::move(made.ready), fault_)};
        if (fault_ == planted_fault::run_one_more_at_once) ++options.max_concurrency;
        if (fault_ == planted_fault::go_on_after_first_failure) options.stop_on_first_failure = false;
        return options;
    }

private:
    base inner_;
    planted_fault fault_;
};

// ------------------------------------------------------------------------------------------------- between plan and apply

/// Changes a plan in the same way as a fault of the planner.
template <class Plan>
void corrupt_plan(planted_fault fault, Plan& plan)
{
    using kind = infra::journal_entry::kind_type;
    auto& entries = plan.refreshed;
    switch (fault) {
    case planted_fault::drop_last_refreshed:
        if (!entries.empty()) entries.pop_back();
        break;
    case planted_fault::settle_without_taint:
        for (infra::journal_entry& e : entries)
            if (e.kind() == kind::end && e.result() && e.result()->tainted) {
                auto made = *e.result();
                made.tainted = made.unfinished = false;
                e = infra::journal_entry::end(e.operation(), std::move(made), e.failed());
            }
        break;
    case planted_fault::move_without_deposed: {
        std::set<infra::address> moved;
        for (auto const& c : plan.changes)
            if (c.previous) moved.insert({c.target, *c.previous});
        std::erase_if(entries, [&](infra::journal_entry const& e) {
            bool const moves = e.kind() == kind::record || e.kind() == kind::remove;
            return moves && !e.deposed_key().empty() && moved.contains(e.target());
        });
        break;
    }
    case planted_fault::lose_last_arrival: {
        auto const last = std::find_if(
            plan.changes.rbegin(), plan.changes.rend(), [](auto const& c) { return c.previous && !c.of_deposed; });
        if (last == plan.changes.rend()) break;
        std::erase_if(entries, [&](infra::journal_entry const& e) {
            return e.kind() == kind::record && e.deposed_key().empty() && e.target() == last->target;
        });
        break;
    }
    case planted_fault::lose_import_entry:
        for (auto const& c : plan.changes)
            if (c.import_id)
                std::erase_if(entries,
                    [&](infra::journal_entry const& e) { return e.kind() == kind::record && e.target() == c.target; });
        break;
    case planted_fault::leave_forgotten:
        for (auto& c : plan.changes)
            if (c.what == infra::action::forget) c.what = infra::action::no_op;
        break;
    case planted_fault::go_on_after_failed_action:
        for (auto& one : plan.invocations) one.on_failure = infra::failure_effect::warn;
        break;
    case planted_fault::halt_after_warning:
        for (auto& one : plan.invocations)
            if (one.on_failure == infra::failure_effect::warn) one.on_failure = infra::failure_effect::halt;
        break;
    case planted_fault::ignore_open_condition:
        for (auto& one : plan.invocations) one.conditional = false;
        break;
    case planted_fault::skip_conditions_of_apply:
        for (auto& c : plan.changes) c.has_conditions = false;
        break;
    default: break;
    }
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_PLANTED_POLICIES_HPP
