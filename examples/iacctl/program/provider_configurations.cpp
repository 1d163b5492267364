// SPDX-License-Identifier: BSL-1.0
// Providers in a program: where they are configured, and which resource uses which configuration.
#include "provider_configurations.hpp"

#include "diagnostics.hpp"
#include "instance_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/validation/schema.hpp"
#include "messages/program.hpp"
#include "messages/report.hpp"
#include "support/provider_address.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace iacctl::program {

namespace {

auto address_in(hcl_program::module const& m, std::string const& provider, std::string_view alias) -> std::string
{
    return m.prefix + provider + (alias.empty() ? "" : "." + std::string(alias));
}

// The available provider of an address, as state files write it; empty: there is none.
auto stored_provider_at(hcl_program::module const& m, std::string_view address) -> std::string
{
    auto const* const found = m.known->find(address);
    return found == nullptr ? std::string() : "provider[\"" + std::string(found->address()) + "\"]";
}

auto given_to(hcl_program::module const& m, std::string const& provider, std::string_view alias)
    -> language::passed_provider const*
{
    if (m.is_root()) return nullptr;
    for (language::passed_provider const& one : m.call->providers) {
        bool const is_it = provider_alias(one.in_child) == alias && stored_provider(m, one.in_child) == provider;
        if (is_it) return &one;
    }
    return nullptr;
}

}  // namespace

auto stored_provider(hcl_program::module const& m, std::string_view name) -> std::string
{
    return stored_provider_at(m, language::provider_named(*m.of, name));
}

auto stored_provider(hcl_program::module const& m, language::resource const& of) -> std::string
{
    return stored_provider_at(m, language::provider_of(*m.of, of));
}

auto configuration_of(hcl_program::module const& m, std::string const& provider, std::string_view alias) -> std::string
{
    auto const* const given = given_to(m, provider, alias);
    for (auto const& [_, block] : m.of->providers) {
        if (block.alias != alias || stored_provider(m, block.name) != provider) continue;
        // A block that says nothing stands for what is given.
        bool const silent = block.content.attributes.empty() && block.content.blocks.empty();
        if (given == nullptr || !silent) return address_in(m, provider, alias);
    }
    if (given != nullptr) return configuration_of(*m.caller, provider, provider_alias(given->in_parent));
    if (m.is_root() || !alias.empty()) return address_in(m, provider, alias);
    return configuration_of(*m.caller, provider, alias);
}

void hcl_declarations::declare_providers(module const& m)
{
    for (auto const& [_, block] : m.of->providers) {
        std::string const provider = stored_provider(m, block.name);
        if (provider.empty() || configuration_of(m, provider, block.alias) != address_in(m, provider, block.alias))
            continue;
        declaration d;
        d.kind = infra::declaration_kind::provider;
        d.name = address_in(m, provider, block.alias);
        d.in = &m;
        d.configures = &block;
        d.provider = provider;
        if (!block.mocked && block.sees == nullptr) add_references(d, block.content);
        declarations_.push_back(std::move(d));
    }
}

void hcl_declarations::set_provider(declaration& d, module const& m)
{
    std::string const provider = stored_provider(m, *d.resource);
    if (provider.empty()) return;
    d.provider = configuration_of(m, provider, provider_alias(d.resource->provider));
    if (configures_) d.references.push_back({d.provider, {}, 0, false});
}

auto hcl_program::evaluate_configuration(
    declaration const& d, scope_type const& scope, language::diagnostics& found) const -> value
{
    if (d.configures->mocked) return value::object({});
    auto const schema = catalog()->find(provider_address_in(d.provider))->schema();
    if (!schema) return value::unknown();
    if (d.configures->sees != nullptr)
        return language::evaluate_body(d.configures->content, (*schema)->settings, *d.configures->sees, found);
    module_path path;
    for (module const* m = d.in; !m->is_root(); m = m->caller) path.insert(path.begin(), {m->call->name, {}});
    instance_scope const in(*this, scope, *d.in, std::move(path));
    return language::evaluate_body(d.configures->content, (*schema)->settings, in, found);
}

auto hcl_program::provider_meta(std::string_view provider, infra::address const& target) const -> std::optional<value>
{
    language::configuration const* module = &all_->configuration_;
    for (infra::module_step const& step : target.module()) {
        auto const call = module->modules.find(step.name);
        if (call == module->modules.end() || !call->second.child) return std::nullopt;
        module = call->second.child.get();
    }
    for (auto const& [name, block] : module->provider_meta) {
        if (language::provider_named(*module, name) != provider) continue;
        auto const schema = catalog()->find(provider)->schema();
        if (!schema || !(*schema)->meta) return std::nullopt;
        language::diagnostics found;  // reported with the configuration
        return language::evaluate_body(block.content, *(*schema)->meta, language::constant_scope(), found);
    }
    return std::nullopt;
}

auto hcl_program::missing_passed_providers() const -> infra::diagnostics
{
    // Whether what a call passes on is there.
    auto const has = [](module const& m, std::string const& provider, std::string_view alias) {
        auto const is_it = [&](auto const& one) {
            return one.second.alias == alias && stored_provider(m, one.second.name) == provider;
        };
        auto const requires_it = [&](auto const& one) { return stored_provider(m, one.first) == provider; };
        return given_to(m, provider, alias) != nullptr || std::ranges::any_of(m.of->providers, is_it)
            || (m.is_root() && alias.empty() && std::ranges::any_of(m.of->required_providers, requires_it));
    };
    infra::diagnostics missing;
    for (module const& m : all_->modules_) {
        if (m.is_root()) continue;
        for (language::passed_provider const& passed : m.call->providers) {
            auto const alias = provider_alias(passed.in_parent);
            auto const provider = stored_provider(*m.caller, passed.in_parent);
            if (provider.empty() || has(*m.caller, provider, alias)) continue;
            auto const& told =
                m.caller->is_root() ? messages::passed_provider_missing : messages::passed_provider_not_given;
            missing.push_back(messages::make_error(
                told, {address_in(*m.caller, provider, alias), m.name(), m.caller->of->display_name()}));
        }
    }
    return missing;
}

auto hcl_program::missing_providers() const -> infra::diagnostics
{
    infra::diagnostics missing = missing_passed_providers();
    if (!missing.empty()) return missing;
    for (declaration const& d : all_->declarations_)
        if (d.resource != nullptr && !d.removed)
            if (auto told = missing_provider(d.name, d.provider)) missing.push_back(std::move(*told));
    return missing;
}

auto hcl_program::missing_provider(std::string const& what, std::string const& provider) const
    -> std::optional<infra::diagnostic>
{
    // The usual one of the root module needs no block.
    bool const usual = provider.starts_with("provider") && provider.ends_with(']');
    if (usual || provider.empty() || all_->numbers_.contains(provider)) return std::nullopt;
    return messages::make_error(messages::provider_configuration_removed, {what, provider});
}

}  // namespace iacctl::program
