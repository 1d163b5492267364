// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_PROGRAM_HPP
#define STRIDER_INFRA_SIM_TOY_PROGRAM_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/outputs.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/state_statements.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_actions.hpp>
#include <strider/infra/sim/toy_declaration.hpp>
#include <strider/infra/sim/toy_evaluation.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// A program for tests: it has all optional capabilities of a program, and no parser.
///
/// Invalid values are errors of the evaluation, as in any other program: a reference to an undeclared name, or to an
/// instance that does not exist.
class toy_program : public toy_actions {
public:
    /// Types that the concept `program` requires.
    /// @{
    using value_type = toy_value;
    using declaration_type = toy_declaration;
    using scope_type = evaluation_scope<toy_value>;
    /// @}

    toy_program() = default;
    /// A program without moves.
    explicit toy_program(std::vector<toy_declaration> declarations) : declarations_(std::move(declarations)) {}

    /// Adds a declaration or a move; call it before an engine or an index reads the program.
    /// @{
    void add(toy_declaration d) { declarations_.push_back(std::move(d)); }
    void add(move_statement s) { moves_.push_back(std::move(s)); }
    /// @}
    /// An object at an address that is no longer declared leaves state without being destroyed; all instances do if
    /// the address has no keys.
    void forget(address a) { forgotten_.insert(std::move(a)); }
    /// Sets if instances whose count or for_each is unknown have an unknown key, and are no error.
    void defer(bool on) noexcept { defers_ = on; }
    /// Makes a provider missing from now on.
    void remove_provider(std::string name) { missing_providers_.insert(std::move(name)); }

    /// All declarations, in the order of their numbers.
    [[nodiscard]] auto declarations() const noexcept -> std::vector<toy_declaration> const& { return declarations_; }
    /// Parts of a declaration, as the concept `program` requires them.
    /// @{
    [[nodiscard]] auto name_of(toy_declaration const& d) const -> std::string { return d.name; }
    [[nodiscard]] auto kind_of(toy_declaration const& d) const noexcept -> declaration_kind { return d.kind; }
    [[nodiscard]] auto address_of(toy_declaration const& d) const -> address { return d.target; }
    [[nodiscard]] auto module_of(toy_declaration const& d) const -> std::string { return d.module; }
    [[nodiscard]] auto lifecycle_of(toy_declaration const& d) const -> lifecycle { return d.lifecycle; }
    [[nodiscard]] auto provider_of(toy_declaration const& d) const -> std::string { return d.provider; }
    /// @}

    /// References of terms and triggers, then the provider of a resource or action, then `depends_on`.
    [[nodiscard]] auto references(toy_declaration const& d) const -> std::vector<reference>
    {
        std::vector<reference> all;
        auto const mention = [&](toy_term const& t) {
            if (t.kind() == toy_term::kind_type::attribute) all.push_back({t.subject(), t.key(), d.place, false});
        };
        for (auto const& [_, term] : d.attributes) mention(term);
        if (d.count) mention(*d.count);
        if (d.for_each) mention(*d.for_each);
        for (replace_trigger const& t : d.triggers) all.push_back(t.subject);
        for (auto const& [step, command] : d.steps)
            if (step.when == provision_time::create) mention(command);
        for (toy_condition const& c : d.conditions)
            if (c.when == condition_time::before) mention(c.term);
        for (auto const& [_, id] : d.imports) mention(id);
        for (toy_action_trigger const& t : d.action_triggers)
            if (t.condition) mention(t.condition->first);
        if (d.kind == declaration_kind::resource || d.kind == declaration_kind::action)
            all.push_back({d.provider, {}, d.place, false});
        all.insert(all.end(), d.depends_on.begin(), d.depends_on.end());
        return all;
    }

    /// All moves, in the order of `add`.
    [[nodiscard]] auto moves() const noexcept -> std::vector<move_statement> const& { return moves_; }
    /// The construct that repeats a declaration, without evaluation.
    [[nodiscard]] auto repetition_of(toy_declaration const& d) const noexcept -> repetition_kind
    {
        return d.count ? repetition_kind::count : d.for_each ? repetition_kind::for_each : repetition_kind::single;
    }

    /// The instances in all instances of the module. Fails if the value of count or for_each is invalid.
    [[nodiscard]] auto expand(toy_declaration const& d, scope_type const& scope) const
        -> result<expansion<toy_value>, failure>
    {
        expansion<toy_value> e;
        auto const modules = module_instances_of(declarations_, d.target.module(), scope, defers_);
        if (!modules) return modules.error();
        auto const keys = keys_of(d, scope, defers_);
        if (!keys) return keys.error();
        e.kind = d.count ? repetition_kind::count : d.for_each ? repetition_kind::for_each : repetition_kind::single;
        if (d.count || d.for_each) {
            auto repetition = value_of(d.count ? *d.count : *d.for_each, {}, scope);
            if (!repetition) return repetition.error();
            if (*repetition) e.repetition = toy_value::of(std::move(*repetition));
        }
        for (auto const& module : *modules)
            for (instance_key const& key : *keys)
                e.instances.emplace_back(module, d.target.mode(), d.target.type(), d.target.name(), key);
        return e;
    }

    /// The desired attributes of an instance. Fails with the errors of all attributes.
    [[nodiscard]] auto evaluate(toy_declaration const& d, address const& a, scope_type const& scope) const
        -> result<toy_value, failure>
    {
        toy_value v;
        diagnostics problems;
        for (auto const& [name, term] : d.attributes) {
            auto text = value_of(term, a, scope);
            if (text) v.set(name, std::move(*text));
            else problems.add(located(d, text.error().why()));
        }
        if (!problems.empty()) return failure(std::move(problems));
        // An output with the value "null" is not stored.
        if (d.kind == declaration_kind::output && v.has("value") && !v.is_unknown("value") && v["value"] == "null")
            return toy_value();
        return v;
    }

    /// Stores the attributes as lines of text.
    [[nodiscard]] auto encode(address const&, std::string const&, toy_value const& v) const -> object
    {
        object o;
        o.attributes = to_document(v);
        return o;
    }
    /// Reads stored attributes. Fails for a text that `encode` does not write.
    [[nodiscard]] auto decode(address const& a, object const& o) const -> result<toy_value, failure>
    {
        auto v = from_document(o.attributes);
        if (!v) return failure(sim_error(codes::foreign_object, {to_string(a)}, to_string(a)));
        return *std::move(v);
    }
    /// Stores the known parts of the value of an output, its type and its sensitivity.
    [[nodiscard]] auto encode_output(toy_declaration const& d, toy_value const& v) const -> output_value
    {
        toy_value known;
        for (auto const& [name, text] : v.attributes())
            if (text) known.set(name, text);
        return {to_document(known), document("text"), d.sensitive};
    }
    /// Reads a stored output. Fails for a text that `encode_output` does not write.
    [[nodiscard]] auto decode_output(output_value const& o) const -> result<toy_value, failure>
    {
        auto v = from_document(o.value);
        if (!v) return failure(sim_error(codes::foreign_object, {"output"}));
        return *std::move(v);
    }
    /// True for an output declared as sensitive.
    [[nodiscard]] auto is_sensitive(toy_declaration const& d) const noexcept -> bool { return d.sensitive; }
    /// True for a value without attributes, which removes an output.
    [[nodiscard]] auto is_null(toy_value const& v) const noexcept -> bool { return v.empty(); }
    /// Forbids the destruction of every instance for which it is called.
    [[nodiscard]] auto prevented(toy_declaration const& d, address const& a,
        [[maybe_unused]] evaluation_scope<toy_value> const& scope) const -> diagnostics
    {
        return {located(d, sim_error(codes::prevented, {to_string(a)}, to_string(a)))};
    }
    /// `forget` for an address that was forgotten with or without its key, else empty.
    [[nodiscard]] auto removal_of(address const& a) const -> std::optional<removal>
    {
        bool const is_forgotten = forgotten_.contains(a) || forgotten_.contains(a.config());
        return is_forgotten ? std::optional(removal::forget) : std::nullopt;
    }
    /// The error of a provider that was removed; empty for any other.
    [[nodiscard]] auto missing_provider(std::string const& what, std::string const& provider) const
        -> std::optional<diagnostic>
    {
        if (!missing_providers_.contains(provider)) return std::nullopt;
        return sim_error(codes::missing_provider, {provider}, what);
    }
    /// Adds the place of a declaration to diagnostics without a source, and the address to those without one.
    void locate(toy_declaration const& d, address const& a, diagnostics& problems) const
    {
        problems.update([&](diagnostic& p) {
            if (!p.source) p = located(d, std::move(p));
            if (p.address.empty() && !a.type().empty()) p.address = to_string(a);
        });
    }
    /// The place as a line number.
    [[nodiscard]] auto describe(std::uint32_t place) const -> std::string { return "line " + std::to_string(place); }

    /// The provisioners of a declaration, in their order.
    [[nodiscard]] auto provisioners(toy_declaration const& d) const -> std::vector<provisioner>
    {
        std::vector<provisioner> all;
        for (auto const& [step, _] : d.steps) all.push_back(step);
        return all;
    }
    /// The command to run, with the attributes of the object.
    [[nodiscard]] auto evaluate_provisioner(toy_declaration const& d, provisioner const& step, address const& a,
        toy_value const& self, scope_type const& scope) const -> result<toy_value, failure>
    {
        auto command = value_of(d.steps.at(step.index).second, a, scope);
        if (!command) return command.error();
        toy_value v = self;
        v.set("command", std::move(*command));
        return v;
    }
    /// Adds the place of the declaration, because a provisioner has none of its own.
    void locate(toy_declaration const& d, provisioner const&, diagnostics& problems) const
    {
        locate(d, address(), problems);
    }

    /// Sets the ignored attributes to their prior values, and removes those that the prior object does not have.
    [[nodiscard]] auto ignore_changes(toy_declaration const& d, toy_value const& prior, toy_value desired) const
        -> toy_value
    {
        for (std::string const& name : d.ignored) {
            if (prior.has(name)) desired.set(name, prior[name]);
            else desired.erase(name);
        }
        return desired;
    }
    /// The declared triggers, the same for all instances.
    [[nodiscard]] auto replace_triggers(toy_declaration const& d, address const&) const
        -> result<std::vector<replace_trigger>, failure>
    {
        return d.triggers;
    }
    /// True if the attribute is unknown or has another text.
    [[nodiscard]] auto trigger_differs(replace_trigger const& t, toy_value const& before, toy_value const& after) const
        -> bool
    {
        return after.is_unknown(t.attribute) || before[t.attribute] != after[t.attribute];
    }

    /// True if a declaration has conditions of any time.
    [[nodiscard]] auto has_conditions(toy_declaration const& d) const noexcept -> bool { return !d.conditions.empty(); }
    /// Conditions on unknown values hold.
    [[nodiscard]] auto check(toy_declaration const& d, address const& a, condition_time when, toy_value const& self,
        scope_type const& scope) const -> diagnostics
    {
        diagnostics failed;
        for (toy_condition const& c : d.conditions) {
            if (c.when != when) continue;
            std::optional<std::string> is;
            if (when == condition_time::after) is = self.is_unknown(c.term.text()) ? is : self[c.term.text()];
            else if (auto found = value_of(c.term, a, scope)) is = *found;
            if (!is || *is == c.expected) continue;
            auto const code = when == condition_time::before ? codes::precondition_failed : codes::postcondition_failed;
            failed.add(located(d, sim_error(code, {*is, c.expected}, to_string(a))));
        }
        return failed;
    }

    /// The declared imports. Fails if an id is invalid or unknown.
    [[nodiscard]] auto imports(toy_declaration const& d, scope_type const& scope) const
        -> result<std::vector<import_target>, failure>
    {
        std::vector<import_target> all;
        for (auto const& [key, term] : d.imports) {
            address const to(d.target.module(), d.target.mode(), d.target.type(), d.target.name(), key);
            auto id = value_of(term, to, scope);
            if (!id) return id.error();
            if (!*id) return failure(located(d, sim_error(codes::unknown_import_id, {to_string(to)})));
            all.push_back({to, std::move(**id)});
        }
        return all;
    }

    /// A check is a declaration with conditions only. The toy has no data sources in checks.
    [[nodiscard]] auto is_of_check(toy_declaration const& d) const noexcept -> bool
    {
        return d.kind == declaration_kind::check;
    }
    /// Always empty: a check of the toy has no data of its own.
    [[nodiscard]] auto data_of(toy_declaration const&) const noexcept -> std::optional<std::size_t> { return {}; }
    /// Warnings for failed and undecided conditions of a check, and the errors of their terms.
    [[nodiscard]] auto assess(toy_declaration const& d, scope_type const& scope, std::vector<unread_data> const&) const
        -> diagnostics
    {
        diagnostics made;
        for (toy_condition const& c : d.conditions) {
            auto const found = value_of(c.term, {}, scope);
            if (!found) {
                made.add(located(d, found.error().why()));
            } else if (!*found) {
                made.add(sim_warning(codes::check_undecided, {d.name}));
            } else if (**found != c.expected) {
                made.add(sim_warning(codes::check_failed, {d.name, **found, c.expected}));
            }
        }
        return made;
    }

    /// An error if an object that was read has unknown attributes.
    [[nodiscard]] auto check_object(address const& a, std::string const&, toy_value const& read) const -> diagnostics
    {
        if (read.wholly_known()) return {};
        return {sim_error(codes::invalid_object, {to_string(a)}, to_string(a))};
    }
    /// A configured attribute must be planned as configured, or as before; the provider determines the others.
    [[nodiscard]] auto check_plan(toy_declaration const& d, address const& a, std::optional<toy_value> const& prior,
        toy_value const& desired, toy_value const& planned) const -> diagnostics
    {
        diagnostics wrong;
        for (auto const& [name, text] : desired.attributes()) {
            if (planned.has_same(name, desired) || (prior && prior->has(name) && planned.has_same(name, *prior)))
                continue;
            wrong.add(located(d, sim_error(codes::invalid_plan, {name}, to_string(a))));
        }
        return wrong;
    }
    /// An error for each known planned attribute that the actual value does not have.
    [[nodiscard]] auto check_outcome(toy_declaration const& d, address const& a, plan_outcome of,
        toy_value const& planned, toy_value const& actual) const -> diagnostics
    {
        auto const code = of == plan_outcome::final_plan ? codes::inconsistent_final_plan : codes::inconsistent_result;
        diagnostics wrong;
        for (auto const& [name, text] : planned.attributes())
            if (text && !actual.has_same(name, planned)) wrong.add(located(d, sim_error(code, {name}, to_string(a))));
        return wrong;
    }

private:
    std::vector<toy_declaration> declarations_;
    std::vector<move_statement> moves_;
    std::set<address> forgotten_;
    std::set<std::string> missing_providers_;
    bool defers_ = false;
};

static_assert(program<toy_program> && has_kinds<toy_program> && has_expansion<toy_program> && has_modules<toy_program>
    && has_place_texts<toy_program> && has_output_form<toy_program> && has_lifecycle<toy_program>
    && has_answer_checks<toy_program> && has_provisioners<toy_program> && has_ignored_changes<toy_program>
    && has_replace_triggers<toy_program> && has_conditions<toy_program> && has_moves<toy_program>
    && has_imports<toy_program> && has_checks<toy_program> && has_places<toy_program> && has_removals<toy_program>
    && knows_providers<toy_program> && has_actions<toy_program>);

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_PROGRAM_HPP
