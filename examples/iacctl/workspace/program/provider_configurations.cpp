// SPDX-License-Identifier: BSL-1.0
// The configurations of providers in a program, and their use by resources.
#include "provider_configurations.hpp"

#include "base/provider_address.hpp"
#include "instance_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/validation/schema.hpp"
#include "language/values/convert.hpp"
#include "messages/program.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace iacctl::program {

namespace {

auto address_in(hcl_program::module const& m, std::string const& provider, std::string_view alias) -> std::string
{
    return m.prefix + provider + (alias.empty() ? "" : "." + std::string(alias));
}

// The available provider at an address, in the format of state files; empty if there is none.
auto stored_provider_at(hcl_program::module const& m, std::string_view address) -> std::string
{
    auto const* const found = m.known->find(address);
    return found == nullptr ? std::string() : "provider[\"" + std::string(found->address()) + "\"]";
}

auto provider_alias_in(std::string_view name) -> std::string_view
{
    auto const parsed = provider_configuration_name::parse(name);
    return parsed ? parsed->alias : std::string_view();
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

auto stored_provider(hcl_program::module const& m, language::resource const& r) -> std::string
{
    return stored_provider_at(m, language::provider_of(*m.of, r));
}

auto configuration_of(hcl_program::module const& m, std::string const& provider, std::string_view alias)
    -> used_configuration
{
    used_configuration const own{address_in(m, provider, alias), &m};
    auto const* const given = given_to(m, provider, alias);
    for (auto const& [_, block] : m.of->providers) {
        if (block.alias != alias || stored_provider(m, block.name) != provider) continue;
        // An empty block is a placeholder for the passed configuration.
        bool const silent = block.content.attributes.empty() && block.content.blocks.empty();
        if (given == nullptr || !silent) return own;
    }
    if (given != nullptr) {
        auto used = configuration_of(*m.caller, provider, provider_alias(given->in_parent));
        if (given->parent_key && used.key == nullptr) {
            used.key = &given->parent_key;
            used.call = &m;
        }
        return used;
    }
    if (m.is_root() || !alias.empty()) return own;
    return configuration_of(*m.caller, provider, alias);
}

void hcl_declarations::declare_providers(module const& m)
{
    for (auto const& [_, block] : m.of->providers) {
        std::string const provider = stored_provider(m, block.name);
        if (provider.empty() || configuration_of(m, provider, block.alias).name != address_in(m, provider, block.alias))
            continue;
        declaration d;
        d.kind = infra::declaration_kind::provider;
        d.name = address_in(m, provider, block.alias);
        d.in = &m;
        d.block = provider_configuration{&block};
        d.provider = provider;
        if (!block.mocked && block.sees == nullptr) add_references(d, block.content);
        if (!block.for_each) {
            declarations_.push_back(std::move(d));
            continue;
        }
        for (language::value_entry const& one : block.instances) {
            declarations_.push_back(d);
            declarations_.back().name += to_string(infra::instance_key(one.key));
            declarations_.back().block = provider_configuration{&block, &one};
        }
    }
}

void hcl_declarations::set_provider(declaration& d, module const& m)
{
    auto const name = language::provider_name_of(*d.resource());
    auto const [at, is_new] = providers_.try_emplace({&m, name});
    auto& [provider, used] = at->second;
    if (is_new) provider = stored_provider(m, name);
    if (provider.empty()) return;
    if (is_new) used = configuration_of(m, provider, provider_alias(name));
    d.provider = used.name;
    d.provider_key = used.key;
    d.key_in = used.call != nullptr ? used.call->caller : &m;
    d.key_call = used.call;
    if (used.key == nullptr && d.resource()->provider_key) d.provider_key = &d.resource()->provider_key;
    if (!configures_) return;
    if (d.provider_key == nullptr) return d.references.push_back({d.provider, {}, 0, false});
    add_references(d, *d.key_in, d.provider_key->computed);
    for (auto const& [_, block] : used.in->of->providers)
        if (block.alias == provider_alias_in(used.name) && stored_provider(*used.in, block.name) == provider)
            for (language::value_entry const& one : block.instances)
                d.references.push_back({d.provider + to_string(infra::instance_key(one.key)), {}, 0, false});
}

auto hcl_program::provider_of(declaration const& d, infra::address const& instance, scope_type const& scope) const
    -> expected<std::string>
{
    if (d.provider_key == nullptr) return d.provider;
    infra::diagnostics found;
    value key;
    if (d.provider_key->constant) key = *d.provider_key->constant;
    else if (d.key_call == nullptr)
        key = language::evaluate(d.provider_key->computed, instance_scope(*this, scope, d, instance, nullptr), found);
    else {
        std::size_t depth = 0;
        for (module const* m = d.key_in; !m->is_root(); m = m->caller) ++depth;
        auto const& path = instance.module();
        instance_scope in(*this, scope, *d.key_in, {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)});
        in.repeat_by(d.key_call->name(), path[depth].key);
        key = language::evaluate(d.provider_key->computed, in, found);
    }
    auto const text = language::convert(key.unmarked_deep(), language::type::string());
    if (!found.has_errors() && (!text || !text->has_data() || key.deep_marks() != language::mark::none))
        found.add(language::error(messages::provider_instance_key_invalid, d.provider_key->range));
    if (found.has_errors()) return infra::failure(with_address(found, to_string(instance)));
    std::string name = d.provider + to_string(infra::instance_key(text->as_string()));
    if (all_->numbers_.contains(name)) return name;
    std::string keys;
    auto const prefix = d.provider + "[";
    for (auto at = all_->numbers_.lower_bound(prefix); at != all_->numbers_.end() && at->first.starts_with(prefix);
        ++at)
        keys.append(keys.empty() ? "" : ", ").append(at->first.substr(d.provider.size()));
    found.add(language::error(
        messages::provider_instance_missing, {name, keys.empty() ? "none" : keys}, d.provider_key->range));
    return infra::failure(with_address(found, to_string(instance)));
}

auto hcl_program::evaluate_configuration(declaration const& d, scope_type const& scope, infra::diagnostics& found) const
    -> value
{
    if (d.configures()->mocked) return value::object({});
    auto const schema = catalog()->find(provider_address_in(d.provider))->schema();
    if (!schema) return value::unknown();
    if (d.configures()->sees != nullptr)
        return language::evaluate_body(d.configures()->content, (*schema)->settings, *d.configures()->sees, found);
    module_path path;
    for (module const* m = d.in; !m->is_root(); m = m->caller) path.insert(path.begin(), {m->call->name, {}});
    instance_scope in(*this, scope, *d.in, std::move(path));
    if (d.provider_instance() != nullptr) in.set_each(*d.provider_instance());
    return language::evaluate_body(d.configures()->content, (*schema)->settings, in, found);
}

auto hcl_program::convert_moved(declaration const& d, infra::address const& from, infra::address const& to,
    infra::object const& stored) const -> expected<infra::object>
{
    auto const address = provider_address_in(d.provider);
    if (from.type() == to.type() && address == provider_address_in(stored.provider)) return stored;
    auto* const provider = catalog()->find(address);
    if (provider == nullptr || catalog()->find_type(d.provider, to) == nullptr) return stored;
    auto made = provider->move(from, to, stored);
    if (made) made->provider = d.provider;
    return made;
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
        infra::diagnostics found;  // reported with the configuration
        return language::evaluate_body(block.content, *(*schema)->meta, language::constant_scope(), found);
    }
    return std::nullopt;
}

auto hcl_program::missing_passed_providers() const -> infra::diagnostics
{
    // Returns whether the configuration that a call passes exists.
    auto const has = [](module const& m, std::string const& provider, std::string_view alias) {
        auto const is_it = [&](auto const& element) {
            return element.second.alias == alias && stored_provider(m, element.second.name) == provider;
        };
        // A plan reports aliases in the root module. A validation accepts them, because the module may be for callers.
        auto const requires_it = [&](auto const& item) {
            bool const has_alias = alias.empty()
                || std::ranges::find(item.second.aliases, item.first + "." + std::string(alias))
                    != item.second.aliases.end();
            return stored_provider(m, item.first) == provider && has_alias;
        };
        return given_to(m, provider, alias) != nullptr || std::ranges::any_of(m.of->providers, is_it)
            || (m.is_root() && std::ranges::any_of(m.of->required_providers, requires_it));
    };
    infra::diagnostics missing;
    for (module const& m : all_->modules_) {
        if (m.is_root()) continue;
        for (language::passed_provider const& passed : m.call->providers) {
            auto const alias = provider_alias(passed.in_parent);
            auto const provider = stored_provider(*m.caller, passed.in_parent);
            if (provider.empty() || has(*m.caller, provider, alias)) continue;
            auto const& reported =
                m.caller->is_root() ? messages::passed_provider_missing : messages::passed_provider_not_given;
            missing.add(messages::make_error(
                reported, {address_in(*m.caller, provider, alias), m.name(), m.caller->of->display_name()}));
        }
    }
    return missing;
}

auto hcl_program::missing_providers() const -> infra::diagnostics
{
    infra::diagnostics missing = missing_passed_providers();
    if (!missing.empty()) return missing;
    for (declaration const& d : all_->declarations_)
        if (d.resource() != nullptr && !d.removed)
            if (auto reported = missing_provider(d.name, d.provider)) missing.add(std::move(*reported));
    return missing;
}

auto hcl_program::missing_provider(std::string const& subject, std::string const& provider) const
    -> std::optional<infra::diagnostic>
{
    // The default configuration of the root module requires no block.
    auto const parsed = provider_configuration_name::parse(provider);
    bool const usual = parsed && parsed->module.empty() && parsed->alias.empty();
    if (usual || provider.empty() || all_->numbers_.contains(provider)) return std::nullopt;
    // A key selects one of the instances for each object.
    auto const first = all_->numbers_.lower_bound(provider + "[");
    if (first != all_->numbers_.end() && first->first.starts_with(provider + "[")) return std::nullopt;
    module const& root = all_->modules_.front();
    auto const has_alias = [&](auto const& required) {
        return std::ranges::any_of(required.second.aliases, [&](std::string const& alias) {
            return address_in(root, stored_provider(root, required.first), provider_alias(alias)) == provider;
        });
    };
    if (std::ranges::any_of(root.of->required_providers, has_alias)) return std::nullopt;  // reported by a plan
    return messages::make_error(messages::provider_configuration_removed, {subject, provider});
}

}  // namespace iacctl::program
