// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_DECLARATIONS_HPP
#define IACCTL_WORKSPACE_PROGRAM_DECLARATIONS_HPP

#include "check_results.hpp"
#include "language/configuration/configuration.hpp"
#include "language/values/value.hpp"
#include "providers/catalog.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/program/state_statements.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl::program {

namespace infra = strider::infra;
using language::value;

/// The mode of a resource in addresses.
[[nodiscard]] constexpr auto mode_of(language::resource_mode mode) noexcept -> infra::resource_mode
{
    switch (mode) {
    case language::resource_mode::managed: return infra::resource_mode::managed;
    case language::resource_mode::data: return infra::resource_mode::data;
    case language::resource_mode::ephemeral: return infra::resource_mode::ephemeral;
    case language::resource_mode::action: return infra::resource_mode::action;
    case language::resource_mode::list: break;
    }
    return infra::resource_mode::list;
}

/// The instance key that a configuration gives, if there is one.
[[nodiscard]] auto instance_key_of(std::optional<value> const& written) -> infra::instance_key;

/// The address of a resource, an instance or a module (which has no type), from a traversal with constant steps.
[[nodiscard]] auto traversal_address(language::expression const& traversal) -> infra::address;

/// The declarations of a configuration, each with its references. It is immutable.
class hcl_declarations {
public:
    /// The root module, or a module that is called below it.
    struct module {
        language::configuration const* of = nullptr;
        module const* caller = nullptr;                 // null for the root
        language::module_call const* call = nullptr;
        std::string prefix;                             // of names: "module.a.module.b."
        providers::catalog const* known = nullptr;      // the providers that are available

        [[nodiscard]] auto is_root() const noexcept -> bool { return caller == nullptr; }
        /// "module.a.module.b". \pre not the root
        [[nodiscard]] auto name() const -> std::string { return prefix.substr(0, prefix.size() - 1); }
    };
    using module_path = std::vector<infra::module_step>;
    /// The configuration of a provider that a module uses: its own, one that was passed to it, or that of its callers. It
    /// may not exist.
    struct used_configuration {
        std::string name;  // `module.m.provider["…"].alias`
        module const* in = nullptr;  // the module that contains it
        language::provider_instance_key const* key = nullptr;  // of one instance, in a module call; null: none
        module const* call = nullptr;  // the module that is called with the key
    };

    /// The configuration of a provider.
    struct provider_configuration {
        language::provider_block const* block = nullptr;
        language::value_entry const* instance = nullptr;  // of a provider with for_each; null: none
    };
    /// The block of a declaration in the configuration.
    using declared_block = std::variant<language::variable const*, language::local_value const*,
        language::output_value const*, language::resource const*, language::module_call const*,
        language::check_block const*, provider_configuration>;

    /// A variable, local value or output in a module that may have several instances has a value for each of them: the
    /// value of its declaration is an object by path of the instance. The value of a call has the keys of its
    /// instances.
    struct declaration {
        infra::declaration_kind kind = infra::declaration_kind::value;
        std::string name;
        infra::address address;  // of a resource
        std::vector<infra::reference> references;
        declared_block block;  // in the configuration
        language::check_block const* check_of_data = nullptr;  // for the data of a check
        /// For a resource: the provider configuration of its objects. If a key selects an instance of it, the key is
        /// evaluated in a module, for each instance of the resource or of a call of that module.
        std::string provider;
        language::provider_instance_key const* provider_key = nullptr;
        module const* key_in = nullptr;
        module const* key_call = nullptr;  // the called module; null: the key is of the resource
        module const* in = nullptr;
        bool removed = false;  // for a resource: only the removal of its objects is declared
        /// For a resource: the import blocks for its objects, with the modules that contain them.
        std::vector<std::pair<module const*, language::import_block const*>> imports;

        // The declared block if it is of that kind; otherwise null.
        [[nodiscard]] auto variable() const noexcept { return block_as<language::variable const*>(); }
        [[nodiscard]] auto local() const noexcept { return block_as<language::local_value const*>(); }
        [[nodiscard]] auto output() const noexcept { return block_as<language::output_value const*>(); }
        [[nodiscard]] auto resource() const noexcept { return block_as<language::resource const*>(); }
        [[nodiscard]] auto call() const noexcept { return block_as<language::module_call const*>(); }
        [[nodiscard]] auto configures() const noexcept { return block_as<provider_configuration>().block; }
        [[nodiscard]] auto provider_instance() const noexcept { return block_as<provider_configuration>().instance; }
        /// The check, also for its data.
        [[nodiscard]] auto check() const noexcept -> language::check_block const*
        {
            return check_of_data != nullptr ? check_of_data : block_as<language::check_block const*>();
        }

    private:
        template <class Block>
        [[nodiscard]] auto block_as() const noexcept -> Block
        {
            auto const* const found = std::get_if<Block>(&block);
            return found != nullptr ? *found : Block();
        }
    };
    /// \param given  values of root variables, of their declared types
    /// \param known  the providers that are available
    hcl_declarations(language::configuration configuration, std::map<std::string, value> given, std::string workspace,
        std::shared_ptr<providers::catalog const> known);

    hcl_declarations(hcl_declarations const&) = delete;
    auto operator=(hcl_declarations const&) -> hcl_declarations& = delete;

private:
    void declare(module const& m);
    void declare_calls(module const& m);
    void declare_providers(module const& m);
    void declare_checks(module const& m);
    void declare_removed(module const& m);
    void declare_moves(module const& m);
    void declare_imports(module const& m);
    /// The resource or module call of a name, unless only the removal of its objects is declared.
    [[nodiscard]] auto find_object(std::string_view name) const -> std::optional<std::size_t>;
    void note_rules(std::string config, ruled_declaration::kind_type kind, std::size_t rules);
    void add_name(declaration& d, std::string name, language::reference const& r, bool explicit_only);
    void add_module_reference(declaration& d, module const& from, language::reference const& r, bool explicit_only);
    void add_reference(declaration& d, module const& from, language::reference const& r, bool explicit_only);
    void add_references(declaration& d, module const& from, language::expression const& e);
    void add_references(declaration& d, language::body const& b);
    void add_references(declaration& d, std::vector<language::check_rule> const& rules);

    /// Sets the provider configuration of a resource, and adds the dependency on it.
    void set_provider(declaration& d, module const& m);
    [[nodiscard]] auto called(module const& from, std::string_view name) const -> module const*;

    language::configuration configuration_;
    std::map<std::string, value> given_;
    std::string workspace_;
    std::shared_ptr<providers::catalog const> catalog_;
    std::deque<module> modules_;  // callers first
    bool configures_ = false;  // a module has a `provider` block
    // The providers of resources, in the format of state files, by module and name.
    std::map<std::pair<module const*, std::string_view>, std::pair<std::string, used_configuration>> providers_;
    std::vector<declaration> declarations_;
    std::map<std::string_view, std::size_t> numbers_;  // by the names in `declarations_`, which no longer changes
    std::vector<language::source_range> places_;
    std::vector<infra::move_statement> moves_;
    std::deque<language::resource> removed_;  // removed resources, with the actions for their removal
    std::vector<std::pair<infra::address, infra::removal>> removals_;  // of resources and modules, without keys
    std::vector<ruled_declaration> ruled_;

    friend class hcl_program;
    friend class instance_scope;
};

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_DECLARATIONS_HPP
