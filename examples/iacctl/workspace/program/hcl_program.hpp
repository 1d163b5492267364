// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_HCL_PROGRAM_HPP
#define IACCTL_WORKSPACE_PROGRAM_HCL_PROGRAM_HPP

#include "base/expected.hpp"
#include "check_results.hpp"
#include "declarations.hpp"
#include "language/evaluation/functions.hpp"
#include "language/evaluation/repetition.hpp"
#include "language/values/value.hpp"
#include "messages/message.hpp"
#include "providers/catalog.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/program/actions.hpp>
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

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::program {

namespace infra = strider::infra;
using language::value;

class instance_scope;

/// A configuration in the form that the engine requires: declarations with references to one another. A model of
/// `infra::program`.
///
/// Concurrent reads are free of data races.
class hcl_program {
public:
    using value_type = value;
    using scope_type = infra::evaluation_scope<value>;

    using module = hcl_declarations::module;
    using module_path = hcl_declarations::module_path;
    using declaration = hcl_declarations::declaration;
    using declaration_type = declaration;

    /// A program for planning. Copies share the declarations.
    /// \param given  values of root variables, of their declared types
    /// \param known  the providers that are available
    /// \param plan_time  the result of `plantimestamp`
    hcl_program(language::configuration configuration, std::map<std::string, value> given, std::string workspace,
        std::shared_ptr<providers::catalog const> known, std::string plan_time = language::current_time());

    enum class phase : std::uint8_t { plan, apply };
    /// The same for one run, which records the results of all rules in `results`. In an apply, `timestamp` and similar
    /// functions have values.
    /// \pre `results` outlives the returned program
    [[nodiscard]] auto for_run(phase p, check_results& results) const -> hcl_program;
    /// The same for a run that defers changes: instances with an unknown count or for_each have an unknown key instead
    /// of an error.
    /// \param deferred  modules whose instances are treated as unknown, even if an apply could determine them
    [[nodiscard]] auto with_deferral(std::set<std::string> deferred = {}) && -> hcl_program;
    /// The declarations that have rules.
    [[nodiscard]] auto ruled() const noexcept -> std::vector<ruled_declaration> const& { return all_->ruled_; }

    /// The available providers.
    [[nodiscard]] auto catalog() const noexcept -> std::shared_ptr<providers::catalog const> const&
    {
        return all_->catalog_;
    }
    [[nodiscard]] auto configuration() const noexcept -> language::configuration const& { return all_->configuration_; }
    /// All of them, callers first.
    [[nodiscard]] auto modules() const noexcept -> std::deque<module> const& { return all_->modules_; }
    [[nodiscard]] auto variables() const noexcept -> std::map<std::string, value> const& { return all_->given_; }

    /// The inputs of functions other than their arguments.
    [[nodiscard]] auto functions_see() const noexcept -> language::call_context const& { return context_; }

    [[nodiscard]] auto declarations() const noexcept -> std::span<declaration const> { return all_->declarations_; }
    [[nodiscard]] auto name_of(declaration const& d) const -> std::string { return d.name; }
    [[nodiscard]] auto kind_of(declaration const& d) const noexcept -> infra::declaration_kind { return d.kind; }
    [[nodiscard]] auto address_of(declaration const& d) const -> infra::address { return d.address; }
    [[nodiscard]] auto module_of(declaration const& d) const -> std::string
    {
        return d.in->is_root() ? std::string() : d.in->name();
    }
    [[nodiscard]] auto lifecycle_of(declaration const& d) const -> infra::lifecycle;
    [[nodiscard]] auto provider_of(declaration const& d) const -> std::string { return d.provider; }
    /// The provider configuration of one instance, which a key may select.
    [[nodiscard]] auto provider_of(declaration const& d, infra::address const& instance, scope_type const& scope) const
        -> expected<std::string>;
    /// The error for a missing provider configuration that an object or resource, `subject`, requires.
    [[nodiscard]] auto missing_provider(std::string const& subject, std::string const& provider) const
        -> std::optional<infra::diagnostic>;
    /// The same for all provider configurations that the configuration itself requires.
    [[nodiscard]] auto missing_providers() const -> infra::diagnostics;
    [[nodiscard]] auto references(declaration const& d) const noexcept -> std::vector<infra::reference> const&
    {
        return d.references;
    }
    /// The block `provider_meta` for a provider in the module of an object; nothing if there is none.
    [[nodiscard]] auto provider_meta(std::string_view provider, infra::address const& target) const
        -> std::optional<value>;
    /// "main.tf:12"
    [[nodiscard]] auto describe(std::uint32_t place) const -> std::string;

    [[nodiscard]] auto expand(declaration const& d, scope_type const& scope) const -> expected<infra::expansion<value>>;
    [[nodiscard]] auto evaluate(declaration const& d, infra::address const& instance, scope_type const& scope) const
        -> expected<value>;

    [[nodiscard]] auto encode(infra::address const& a, std::string const& provider, value const& v) const
        -> infra::object;
    [[nodiscard]] auto decode(infra::address const& a, infra::object const& o) const -> expected<value>;
    [[nodiscard]] auto encode_output(declaration const& d, value const& v) const -> infra::output_value;
    [[nodiscard]] auto decode_output(infra::output_value const& o) const -> expected<value>;
    [[nodiscard]] auto is_sensitive(declaration const& d) const noexcept -> bool;
    [[nodiscard]] auto is_null(value const& v) const noexcept -> bool { return v.is_null(); }
    [[nodiscard]] auto check_object(infra::address const& a, std::string const& provider, value const& read) const
        -> infra::diagnostics;
    [[nodiscard]] auto check_plan(declaration const& d, infra::address const& a, std::optional<value> const& prior,
        value const& requested, value const& planned) const -> infra::diagnostics;
    [[nodiscard]] auto check_outcome(declaration const& d, infra::address const& a, infra::plan_outcome outcome,
        value const& planned, value const& actual) const -> infra::diagnostics;
    [[nodiscard]] auto prevented(declaration const& d, infra::address const& a, scope_type const& scope) const
        -> infra::diagnostics;

    [[nodiscard]] auto provisioners(declaration const& d) const -> std::vector<infra::provisioner>;
    [[nodiscard]] auto evaluate_provisioner(declaration const& d, infra::provisioner const& step,
        infra::address const& instance, value const& self, scope_type const& scope) const -> expected<value>;
    void locate(declaration const& d, infra::provisioner const& step, infra::diagnostics& problems) const;
    void locate(declaration const& d, infra::address const& instance, infra::diagnostics& problems) const;

    [[nodiscard]] auto ignore_changes(declaration const& d, value const& prior, value const& desired) const -> value;
    [[nodiscard]] auto in_stored_form(value const& stored, value const& v) const -> value;
    /// Reports `removed` blocks for declared objects, wrong `import` blocks, and references to missing provider
    /// configurations.
    [[nodiscard]] auto contradictions() const -> infra::diagnostics;
    [[nodiscard]] auto removal_of(infra::address const& a) const -> std::optional<infra::removal>;
    [[nodiscard]] auto is_of_check(declaration const& d) const noexcept -> bool { return d.check() != nullptr; }
    [[nodiscard]] auto data_of(declaration const& d) const -> std::optional<std::size_t>;
    [[nodiscard]] auto assess(declaration const& d, scope_type const& scope,
        std::vector<infra::unread_data> const& unread) const -> infra::diagnostics;
    /// The objects in import blocks of the root module for instances of a resource.
    [[nodiscard]] auto imports(declaration const& d, scope_type const& scope) const
        -> expected<std::vector<infra::import_target>>;
    [[nodiscard]] auto moves() const noexcept -> std::vector<infra::move_statement> const& { return all_->moves_; }
    /// The object after a provider or type has taken it over from another one.
    [[nodiscard]] auto convert_moved(declaration const& d, infra::address const& from, infra::address const& to,
        infra::object const& stored) const -> expected<infra::object>;
    [[nodiscard]] auto repetition_of(declaration const& d) const noexcept -> infra::repetition_kind;

    /// The key of a trigger may be that of the instance that may be replaced.
    [[nodiscard]] auto replace_triggers(declaration const& d, infra::address const& instance) const
        -> expected<std::vector<infra::replace_trigger>>;
    [[nodiscard]] auto trigger_differs(infra::replace_trigger const& t, value const& before, value const& after) const
        -> bool;
    [[nodiscard]] auto action_triggers(declaration const& d) const -> std::vector<infra::action_trigger>;
    [[nodiscard]] auto trigger_holds(declaration const& d, infra::action_trigger const& trigger,
        infra::address const& instance, value const& self, scope_type const& scope) const
        -> expected<std::optional<bool>>;
    [[nodiscard]] auto triggered_actions(declaration const& d, infra::action_trigger const& trigger,
        infra::address const& instance, scope_type const& scope) const -> expected<std::vector<infra::address>>;
    [[nodiscard]] auto evaluate_action(declaration const& d, infra::address const& instance,
        infra::invocation_context<value> const& call, scope_type const& scope) const -> expected<value>;
    [[nodiscard]] auto refers_to_caller(declaration const& d) const -> bool;
    [[nodiscard]] auto has_conditions(declaration const& d) const noexcept -> bool;
    [[nodiscard]] auto destroy_problems(declaration const& d, scope_type const& scope) const -> infra::diagnostics;
    [[nodiscard]] auto check(declaration const& d, infra::address const& instance, infra::condition_time when,
        value const& self, scope_type const& scope) const -> infra::diagnostics;

private:
    [[nodiscard]] auto body_of(declaration const& d, instance_scope const& in, infra::diagnostics& found) const
        -> value;
    /// Reports provider configurations that calls of modules pass on and their callers lack.
    [[nodiscard]] auto missing_passed_providers() const -> infra::diagnostics;
    [[nodiscard]] auto evaluate_configuration(
        declaration const& d, scope_type const& scope, infra::diagnostics& found) const -> value;
    /// The value of an expression, as far as it depends only on variables and values computed from them.
    [[nodiscard]] auto evaluate_statically(
        module const& in, language::expression const& e, infra::diagnostics& found) const -> value;
    /// The schema of the identities of the objects of a declaration; null if they have none.
    [[nodiscard]] auto identity_of(declaration const& d) const -> providers::type_schema const*;
    /// The schema of the objects of a declaration; null if its provider does not have the type.
    [[nodiscard]] auto schema_of(declaration const& d) const -> language::schema const*;
    // The schema of the configuration of a provider; null if it is not available.
    [[nodiscard]] auto settings_of(declaration const& d) const -> language::schema const*;
    /// The known instances of a module.
    [[nodiscard]] auto paths_of(module const& m, scope_type const& scope) const -> std::vector<module_path>;
    [[nodiscard]] auto expand_call(declaration const& d, module_path const& path, scope_type const& scope,
        infra::diagnostics& found) const -> value;
    [[nodiscard]] auto variable_in(declaration const& d, module_path const& path, scope_type const& scope,
        infra::diagnostics& found) const -> value;
    /// The name of a value or check in one instance of its module.
    // Empty if the path stands for unknown instances of a module, which have no results.
    [[nodiscard]] auto object_name(declaration const& d, module_path const& path) const -> std::string;
    void expand_rules(declaration const& d, std::vector<module_path> const& paths) const;
    /// Checks conditions and records the results. \param first  the index of the first rule among those of the
    /// declaration
    void check_rules(declaration const& d, std::vector<language::check_rule> const& rules, std::size_t first,
        std::string const& object, instance_scope const& in, std::string const& kind,
        messages::message<1> const& failed, infra::diagnostics& found) const;
    /// The outputs with which a test overrides an instance of a module; null: none.
    [[nodiscard]] auto overridden(module_path path) const -> value const*;
    void check_variable(
        declaration const& d, module_path const& path, instance_scope const& in, infra::diagnostics& found) const;
    [[nodiscard]] auto output_in(declaration const& d, module_path const& path, scope_type const& scope,
        infra::diagnostics& found) const -> value;
    [[nodiscard]] auto value_in(declaration const& d, module_path const& path, scope_type const& scope,
        infra::diagnostics& found) const -> value;

    void note(
        declaration const& d, std::string const& object, std::size_t rule, language::rule_result const& found) const
    {
        if (results_ != nullptr && !object.empty()) results_->note(d.name, object, rule, found);
    }

    std::shared_ptr<hcl_declarations const> all_;
    language::call_context context_;
    check_results* results_ = nullptr;  // of this run; thread-safe
    language::unknown_values unknown_repetition_ = language::unknown_values::refused;
    std::set<std::string> deferred_modules_;

    friend class instance_scope;
};

static_assert(infra::program<hcl_program> && infra::has_kinds<hcl_program> && infra::has_expansion<hcl_program>
    && infra::has_modules<hcl_program> && infra::has_place_texts<hcl_program> && infra::has_output_form<hcl_program>
    && infra::has_lifecycle<hcl_program> && infra::has_answer_checks<hcl_program>
    && infra::has_provisioners<hcl_program> && infra::has_ignored_changes<hcl_program>
    && infra::has_replace_triggers<hcl_program> && infra::has_conditions<hcl_program>
    && infra::has_value_rules<hcl_program> && infra::has_stored_forms<hcl_program> && infra::has_places<hcl_program>
    && infra::has_moves<hcl_program> && infra::converts_moved_objects<hcl_program> && infra::has_removals<hcl_program>
    && infra::has_imports<hcl_program> && infra::has_checks<hcl_program> && infra::knows_providers<hcl_program>
    && infra::has_instance_providers<hcl_program> && infra::has_actions<hcl_program>);

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_HCL_PROGRAM_HPP
