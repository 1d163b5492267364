// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_HCL_PROGRAM_HPP
#define IACCTL_PROGRAM_HCL_PROGRAM_HPP

#include "check_results.hpp"
#include "language/configuration/configuration.hpp"
#include "language/evaluation/functions.hpp"
#include "language/values/value.hpp"
#include "messages/message.hpp"

#include <strider/infra/concepts.hpp>
#include <strider/infra/moves.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::program {

namespace infra = strider::infra;
using language::value;

class instance_scope;

/// A key as a configuration writes it, if it is one.
[[nodiscard]] auto instance_key_of(std::optional<value> const& written) -> infra::instance_key;

/// A configuration as the engine sees it: declarations that name one another. A model of `infra::program`.
///
/// Reading it is free of data races.
class hcl_program {
public:
    using value_type = value;
    using scope_type = infra::evaluation_scope<value>;

    /// A module that is called somewhere below the root, or the root itself.
    struct module {
        language::configuration const* of = nullptr;
        module const* caller = nullptr;                 // null for the root
        language::module_call const* call = nullptr;
        std::string prefix;                             // of names: "module.a.module.b."

        [[nodiscard]] auto is_root() const noexcept -> bool { return caller == nullptr; }
        /// "module.a.module.b". \pre not the root
        [[nodiscard]] auto name() const -> std::string { return prefix.substr(0, prefix.size() - 1); }
    };
    using module_path = std::vector<infra::module_step>;

    /// In a module that may have several instances, a variable, local value or output has a value for each: the value
    /// of its declaration is an object by path of the instance. That of a call has the keys of its instances.
    struct declaration {
        infra::declaration_kind kind = infra::declaration_kind::value;
        std::string name;
        infra::address address;  // of a resource
        std::vector<infra::reference> references;
        language::variable const* variable = nullptr;
        language::local_value const* local = nullptr;
        language::output_value const* output = nullptr;
        language::resource const* resource = nullptr;
        language::module_call const* call = nullptr;
        language::check_block const* check = nullptr;  // also of its data
        language::provider_block const* configures = nullptr;
        std::string provider;  // of a resource: the configuration that its objects are worked on with
        module const* in = nullptr;
        bool removed = false;  // of a resource: it only says how objects go
        std::vector<language::import_block const*> imports;  // of a resource: objects that enter state
    };
    using declaration_type = declaration;

    /// \param given  values of root variables, of the types that are declared
    hcl_program(language::configuration configuration, std::map<std::string, value> given, std::string workspace);

    hcl_program(hcl_program const&) = delete;
    auto operator=(hcl_program const&) -> hcl_program& = delete;

    [[nodiscard]] auto configuration() const noexcept -> language::configuration const& { return configuration_; }
    /// All of them, callers first.
    [[nodiscard]] auto modules() const noexcept -> std::deque<module> const& { return modules_; }
    [[nodiscard]] auto variables() const noexcept -> std::map<std::string, value> const& { return given_; }

    /// What functions see beside their arguments; by default that a plan is being made now.
    [[nodiscard]] auto functions_see() const noexcept -> language::call_context const& { return context_; }
    /// Whether `timestamp` and its like have values from now on.
    void set_applying(bool now) noexcept { context_.applying = now; }
    void set_plan_time(std::string when) { context_.plan_time = std::move(when); }

    [[nodiscard]] auto declarations() const noexcept -> std::span<declaration const> { return declarations_; }
    [[nodiscard]] auto name_of(declaration const& d) const -> std::string { return d.name; }
    [[nodiscard]] auto kind_of(declaration const& d) const noexcept -> infra::declaration_kind { return d.kind; }
    [[nodiscard]] auto address_of(declaration const& d) const -> infra::address { return d.address; }
    [[nodiscard]] auto module_of(declaration const& d) const -> std::string
    {
        return d.in->is_root() ? std::string() : d.in->name();
    }
    [[nodiscard]] auto lifecycle_of(declaration const& d) const -> infra::lifecycle;
    [[nodiscard]] auto provider_of(declaration const& d) const -> std::string { return d.provider; }
    /// What to say if a configuration is not there that `what`, an object or a resource, cannot do without.
    [[nodiscard]] auto missing_provider(std::string const& what, std::string const& provider) const
        -> std::optional<infra::diagnostic>;
    /// The same of all that the configuration itself cannot do without.
    [[nodiscard]] auto missing_providers() const -> infra::diagnostics;
    [[nodiscard]] auto references(declaration const& d) const noexcept -> std::vector<infra::reference> const&
    {
        return d.references;
    }
    /// "main.tf:12"
    [[nodiscard]] auto describe(std::uint32_t place) const -> std::string;

    [[nodiscard]] auto expand(declaration const& d, scope_type const& scope) const
        -> infra::checked<infra::expansion<value>>;
    [[nodiscard]] auto evaluate(declaration const& d, infra::address const& instance, scope_type const& scope) const
        -> infra::checked<value>;

    [[nodiscard]] auto encode(infra::address const& a, value const& v) const -> infra::object;
    [[nodiscard]] auto decode(infra::address const& a, infra::object const& o) const -> infra::checked<value>;
    [[nodiscard]] auto encode_output(declaration const& d, value const& v) const -> infra::output_value;
    [[nodiscard]] auto decode_output(infra::output_value const& o) const -> infra::checked<value>;
    [[nodiscard]] auto is_sensitive(declaration const& d) const noexcept -> bool;
    [[nodiscard]] auto is_null(value const& v) const noexcept -> bool { return v.is_null(); }
    [[nodiscard]] auto check_object(infra::address const& a, value const& read) const -> infra::diagnostics;
    [[nodiscard]] auto check_plan(declaration const& d, infra::address const& a, std::optional<value> const& prior,
        value const& asked, value const& planned) const -> infra::diagnostics;
    [[nodiscard]] auto check_outcome(declaration const& d, infra::address const& a, infra::plan_outcome of,
        value const& planned, value const& actual) const -> infra::diagnostics;
    [[nodiscard]] auto prevented(declaration const& d, infra::address const& a) const -> infra::diagnostic;

    [[nodiscard]] auto provisioners(declaration const& d) const -> std::vector<infra::provisioner>;
    [[nodiscard]] auto evaluate_provisioner(declaration const& d, infra::provisioner const& step,
        infra::address const& instance, value const& self, scope_type const& scope) const -> infra::checked<value>;
    void locate(declaration const& d, infra::provisioner const& step, infra::diagnostics& problems) const;
    void locate(declaration const& d, infra::address const& instance, infra::diagnostics& problems) const;

    [[nodiscard]] auto ignore_changes(declaration const& d, value const& prior, value const& wanted) const -> value;
    /// Blocks that say of something declared that it is gone, or of something undeclared that it exists.
    [[nodiscard]] auto contradictions() const -> infra::diagnostics;
    [[nodiscard]] auto is_forgotten(infra::address const& a) const -> bool;
    [[nodiscard]] auto is_of_check(declaration const& d) const noexcept -> bool { return d.check != nullptr; }
    [[nodiscard]] auto data_of(declaration const& d) const -> std::optional<std::size_t>;
    [[nodiscard]] auto assess(declaration const& d, scope_type const& scope,
        std::vector<infra::unread_data> const& unread) const -> infra::diagnostics;
    /// Objects that import blocks of the root module name for instances of a resource.
    [[nodiscard]] auto imports(declaration const& d, scope_type const& scope) const
        -> infra::checked<std::vector<infra::import_target>>;
    [[nodiscard]] auto moves() const noexcept -> std::vector<infra::move_statement> const& { return moves_; }
    [[nodiscard]] auto repetition_of(declaration const& d) const noexcept -> infra::repetition_kind;

    /// A key may be that of the instance that may be replaced.
    [[nodiscard]] auto replace_triggers(declaration const& d, infra::address const& instance) const
        -> infra::checked<std::vector<infra::replace_trigger>>;
    [[nodiscard]] auto trigger_differs(infra::replace_trigger const& t, value const& before, value const& after) const
        -> bool;
    [[nodiscard]] auto has_conditions(declaration const& d) const noexcept -> bool;
    [[nodiscard]] auto check(declaration const& d, infra::address const& instance, infra::condition_time when,
        value const& self, scope_type const& scope) const -> infra::diagnostics;

    /// What has come of all rules so far, whoever asked for them.
    [[nodiscard]] auto results() const noexcept -> check_results& { return results_; }

private:
    void declare(module const& m);
    void declare_calls(module const& m);
    void declare_providers(module const& m);
    void declare_checks(module const& m);
    void declare_removed(module const& m);
    void declare_moves(module const& m);
    void declare_imports();
    void add_name(declaration& d, std::string name, language::reference const& r, bool explicit_only);
    void add_module_reference(declaration& d, module const& from, language::reference const& r, bool explicit_only);
    void add_reference(declaration& d, module const& from, language::reference const& r, bool explicit_only);
    void add_references(declaration& d, module const& from, language::expression const& e);
    void add_references(declaration& d, language::body const& b);
    void add_references(declaration& d, std::vector<language::check_rule> const& rules);

    /// Says which configuration the objects of a resource are worked on with, and waits for it.
    void set_provider(declaration& d, module const& m);
    /// What calls of modules pass on although their callers do not have it.
    [[nodiscard]] auto missing_passed_providers() const -> infra::diagnostics;
    [[nodiscard]] auto evaluate_configuration(
        declaration const& d, scope_type const& scope, language::diagnostics& found) const -> value;
    [[nodiscard]] auto called(module const& from, std::string_view name) const -> module const*;
    /// The instances of a module, as far as they are known.
    [[nodiscard]] auto paths_of(module const& m, scope_type const& scope) const -> std::vector<module_path>;
    [[nodiscard]] auto expand_call(declaration const& d, module_path const& path, scope_type const& scope,
        language::diagnostics& found) const -> value;
    [[nodiscard]] auto variable_in(declaration const& d, module_path const& path, scope_type const& scope,
        language::diagnostics& found) const -> value;
    /// The name of a value or check in one instance of its module.
    [[nodiscard]] auto object_name(declaration const& d, module_path const& path) const -> std::string;
    void expand_rules(declaration const& d, std::vector<module_path> const& paths) const;
    /// Checks conditions, and notes what came of them. \param first  number of the first among all of the declaration
    void check_rules(declaration const& d, std::vector<language::check_rule> const& rules, std::size_t first,
        std::string const& object, instance_scope const& in, std::string const& kind,
        messages::message<1> const& failed, language::diagnostics& found) const;
    [[nodiscard]] auto value_in(declaration const& d, module_path const& path, scope_type const& scope,
        language::diagnostics& found) const -> value;

    language::configuration configuration_;
    std::map<std::string, value> given_;
    std::string workspace_;
    language::call_context context_;
    std::deque<module> modules_;  // callers first
    bool configures_ = false;  // some module has a block for a provider
    std::vector<declaration> declarations_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<language::source_range> places_;
    std::vector<infra::move_statement> moves_;
    std::deque<language::resource> removed_;  // resources that are gone, with what is to be done as they go
    std::vector<infra::move_statement> forgotten_;  // places that objects leave without being destroyed
    mutable check_results results_;  // locks for itself

    friend class instance_scope;
};

static_assert(infra::program<hcl_program> && infra::has_provisioners<hcl_program>
    && infra::has_ignored_changes<hcl_program> && infra::has_replace_triggers<hcl_program>
    && infra::has_conditions<hcl_program> && infra::has_places<hcl_program> && infra::has_moves<hcl_program>
    && infra::has_forgotten<hcl_program> && infra::has_imports<hcl_program> && infra::has_checks<hcl_program>
    && infra::knows_providers<hcl_program>);

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_HCL_PROGRAM_HPP
