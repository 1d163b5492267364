// SPDX-License-Identifier: BSL-1.0
#include "provider_requirements.hpp"

#include "base/characters.hpp"
#include "base/in_quotes.hpp"
#include "base/provider_address.hpp"
#include "language/evaluation/body_reader.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

constexpr std::string_view built_in = "terraform.io/builtin/terraform";

/// The name of the provider that the first word of a type implies.
[[nodiscard]] auto implied_name(resource const& r) -> std::string_view
{
    return std::string_view(r.type).substr(0, r.type.find('_'));
}

/// The address of the provider for a name that is not in `required_providers`.
[[nodiscard]] auto implied_address(std::string_view name) -> std::string
{
    return name == "terraform" ? std::string(built_in) : provider_address(name);
}

[[nodiscard]] auto required_address(std::string_view name, required_provider const& provider) -> std::string
{
    return provider.source.empty() ? implied_address(name) : provider_address(provider.source);
}

/// Returns whether a block is empty: a placeholder for the configuration that is passed to the module.
[[nodiscard]] auto is_empty(provider_block const& block) -> bool
{
    return block.content.attributes.empty() && block.content.blocks.empty() && !block.has_version;
}

/// The missing entry of `required_providers` for a name, optionally with an alias.
[[nodiscard]] auto requirement(std::string_view name, std::string_view source) -> std::string
{
    auto const local = local_provider_name(name);
    auto made = std::string(local) + " = { source = " + in_quotes(source);
    if (local != name) made += ", configuration_aliases = [" + std::string(name) + "]";
    return made + " }";
}

/// Checks one module, in the context of its call (none for the root) and of its callers.
class provider_checker {
public:
    provider_checker(configuration const& c, configuration const* caller, module_call const* call,
        source_range repeated, diagnostics& found)
        : of_(c),
          caller_(caller),
          call_(call),
          repeated_(repeated),
          found_(found)
    {
        for (auto const& [name, one] : c.providers) (is_empty(one) ? empty_ : configured_).emplace(name, &one);
        for (auto const& [name, one] : c.required_providers) local_.emplace(name, required_address(name, one));
    }

    void run()
    {
        for (auto const& [name, call] : of_.modules)
            if (call.child) provider_checker(*call.child, &of_, &call, repeated_by(call), found_).run();
        check_required();
        for (auto const& [_, one] : of_.resources)
            if (one.mode != resource_mode::ephemeral) check_implied(one);
        for (auto const& [_, one] : of_.checks)
            if (one.data) check_implied(*one.data);
        for (auto const& [_, one] : of_.resources) check_key("resource", one.provider, one.provider_key);
        for (auto const& [_, call] : of_.modules)
            for (auto const& passed : call.providers) {
                check_named(passed);
                check_key("module", passed.in_parent, passed.parent_key);
            }
        if (of_.is_root()) return;
        check_own_configurations();
        for (auto const& [name, one] : of_.required_providers)
            for (auto const& alias : one.aliases) check_alias(name, alias);
        for (auto const& passed : call_->providers) check_passed(passed);
        report_empty_blocks();
    }

private:
    /// The place that gives a module several instances or dependencies, after which it must not configure providers.
    [[nodiscard]] auto repeated_by(module_call const& call) const -> source_range
    {
        if (call.count) return call.count.range();
        if (call.for_each) return call.for_each.range();
        if (call.enabled) return call.enabled.range();
        if (!call.depends_on.empty()) return call.depends_on.front().range;
        return repeated_;
    }

    [[nodiscard]] auto is_passed(std::string_view name) const -> bool
    {
        return call_ && std::ranges::find(call_->providers, name, &passed_provider::in_child) != call_->providers.end();
    }

    /// The address of the provider of a name for comparisons: by default, a provider in the usual namespace.
    [[nodiscard]] static auto type_of(configuration const& in, std::string_view name) -> std::string
    {
        auto const required = in.required_providers.find(local_provider_name(name));
        return required != in.required_providers.end() ? required_address(required->first, required->second)
                                                       : provider_address(local_provider_name(name));
    }

    void check_required()
    {
        std::map<std::string, std::string, std::less<>> seen;
        std::vector<std::pair<std::string, std::string>> in_order(local_.begin(), local_.end());
        std::ranges::sort(in_order, {},
            [&](auto const& element) { return of_.required_providers.find(element.first)->second.range.bytes.begin; });
        for (auto const& [name, address] : in_order) {
            auto const report = [&, &local = name, &required = address](
                                    messages::message<3> const& m, std::string_view other) {
                found_.add(warning(
                    m, {local, other, shown_provider(required)}, of_.required_providers.find(local)->second.range));
            };
            auto const [before, fresh] = seen.emplace(address, name);
            auto const type = provider_type(address);
            bool const configured = std::ranges::any_of(
                of_.providers, [&](auto const& item) { return local_provider_name(item.first) == type; });
            if (!fresh) report(messages::provider_required_twice, before->second);
            else if (address == provider_address(type) && name != type && configured)
                report(messages::provider_configured_by_other_name, type);
        }
    }

    void check_implied(resource const& r)
    {
        if (!r.provider.empty() || local_.contains(implied_name(r))) return;
        if (auto const name = implied_name(r); !is_name_part(name) || name.empty())
            return found_.add(error(messages::invalid_implied_provider_name, {name, r.type}, r.range));
        if (local_.empty()) return;
        auto const address = provider_of(of_, r);
        for (auto const& [name, other] : local_)
            if (other == address)
                found_.add(warning(
                    messages::provider_implied_by_other_name, {r.address(), shown_provider(address), name}, r.range));
    }

    /// A provider with `for_each` requires a key, and other providers must not have one.
    void check_key(std::string_view user, std::string_view name, provider_instance_key const& key)
    {
        auto const block = of_.providers.find(name);
        bool const repeated = block != of_.providers.end() && block->second.for_each;
        if (repeated && !key) found_.add(error(messages::provider_instance_key_missing, {name, user}, key.range));
        else if (!repeated && key)
            found_.add(error(messages::provider_instance_key_unexpected, {name, user}, key.range));
    }

    /// A configuration that this module passes on must exist in it. Those with an alias are checked by the called
    /// module.
    void check_named(passed_provider const& provider)
    {
        auto const& name = provider.in_parent;
        if (name.find('.') != std::string::npos) return;
        auto const shown = shown_provider(provider_address(name));
        bool const configured = configured_.contains(name);
        if (!configured && !local_.contains(name))
            found_.add(warning(messages::undeclared_provider,
                {name, of_.display_name(), shown, requirement(name, shown)}, provider.parent_range));
        else if (call_ && !configured && !is_passed(name))
            found_.add(warning(messages::provider_not_passed,
                {of_.display_name(), shown, name, caller_name(), call_->name}, call_->range));
    }

    void check_own_configurations()
    {
        if (!configured_.empty() && repeated_)
            found_.add(error(messages::repeated_module_with_own_providers, {of_.display_name()}, repeated_));
        for (auto const& passed : call_->providers)
            if (configured_.contains(passed.in_child))
                found_.add(error(messages::own_and_passed_provider,
                    {passed.in_child, caller_name(), of_.display_name()}, passed.range));
    }

    void check_alias(std::string const& name, std::string const& alias)
    {
        if (configured_.contains(alias) || is_passed(alias)) return;
        found_.add(
            error(messages::provider_alias_not_passed, {shown_provider(type_of(of_, name)), alias}, call_->range));
    }

    [[nodiscard]] auto declares_alias(std::string_view name) const -> bool
    {
        auto const required = of_.required_providers.find(local_provider_name(name));
        return required != of_.required_providers.end()
            && std::ranges::find(required->second.aliases, name) != required->second.aliases.end();
    }

    void check_passed(passed_provider const& provider)
    {
        auto const& name = provider.in_child;
        auto const desired = type_of(of_, name);
        auto const shown = shown_provider(desired);
        if (!local_.contains(name) && !declares_alias(name) && !empty_.contains(name)) {
            bool const usual = desired == provider_address(provider_type(desired));
            if (usual)
                found_.add(warning(messages::undeclared_provider,
                    {name, of_.display_name(), shown, requirement(name, shown)}, provider.range));
            else
                found_.add(error(messages::passed_provider_not_required,
                    {name, of_.display_name(), requirement(name, shown)}, provider.range));
        }
        auto const given = type_of(*caller_, provider.in_parent);
        if (given == desired) return;
        auto const other = std::ranges::find(local_, given, [](auto const& item) { return item.second; });
        if (other != local_.end())
            found_.add(error(messages::passed_provider_has_other_name,
                {local_provider_name(name), shown, shown_provider(given), other->first}, provider.range));
        else
            found_.add(error(messages::wrong_provider_passed,
                {provider.in_parent, shown_provider(given), caller_name(), name, shown, of_.display_name()},
                provider.parent_range));
    }

    void report_empty_blocks()
    {
        std::map<std::string_view, std::vector<provider_block const*>> by_name;
        for (auto const& [name, one] : empty_) by_name[one->name].push_back(one);
        for (auto const& [name, blocks] : by_name) {
            auto const& first = *blocks.front();
            auto const required = local_.find(first.alias.empty() ? name : std::string_view());
            auto const source = required == local_.end() ? provider_address(name) : required->second;
            std::string aliases;
            for (auto const* const one : blocks)
                aliases += "        " + one->name + (one->alias.empty() ? "" : "." + one->alias) + ",\n";
            bool const has_alias = std::ranges::any_of(blocks, [](auto const* item) { return !item->alias.empty(); });
            auto const early = [](provider_block const* a, provider_block const* b) {
                return a->range.text() < b->range.text();
            };
            auto const entry = "    " + std::string(name) + " = {\n      source = " + in_quotes(shown_provider(source))
                + "\n" + (has_alias ? "      configuration_aliases = [\n" + aliases + "      ]\n" : "") + "    }";
            found_.add(warning(messages::empty_provider_block, {name, of_.display_name(), entry},
                (*std::ranges::min_element(blocks, early))->range));
        }
    }

    [[nodiscard]] auto caller_name() const -> std::string
    {
        return caller_ ? caller_->display_name() : "the root module";
    }

    configuration const& of_;
    configuration const* caller_;
    module_call const* call_;
    source_range repeated_;
    diagnostics& found_;
    std::map<std::string, provider_block const*, std::less<>> empty_;
    std::map<std::string, provider_block const*, std::less<>> configured_;
    std::map<std::string, std::string, std::less<>> local_;  // addresses of `required_providers` by their names
};

}  // namespace

auto provider_named(configuration const& in, std::string_view name) -> std::string
{
    auto const local = local_provider_name(name);
    auto const required = in.required_providers.find(local);
    if (required != in.required_providers.end()) return required_address(local, required->second);
    return implied_address(local);
}

namespace {

// The parts of the name of a function of a provider that the module requires.
struct provider_function {
    std::string address;  // of the provider
    std::string_view name;
};

auto provider_function_of(configuration const& in, std::string_view name) -> std::optional<provider_function>
{
    static constexpr std::string_view prefix = "provider::";
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    auto const end = name.find("::");
    auto const provider = in.required_providers.find(name.substr(0, end));
    if (end == std::string_view::npos || provider == in.required_providers.end()) return std::nullopt;
    return provider_function{required_address(provider->first, provider->second), name.substr(end + 2)};
}

}  // namespace

auto find_function_in(configuration const& in, std::string_view name, function_source const* provided)
    -> function const*
{
    if (!name.starts_with("provider::")) {
        bool const has_all = in.dialect.accepts(origin_program::opentofu);
        return has_all || opentofu_version_of(name).empty() ? find_function(name) : nullptr;
    }
    auto const called = provider_function_of(in, name);
    if (!called) return nullptr;
    if (called->address == built_in) return find_builtin_function(called->name);
    return provided ? provided->find_function(called->address, called->name) : nullptr;
}

auto way_to_function_in(configuration const& in, std::string_view name, function_source const* provided) -> std::string
{
    auto const called = provided ? provider_function_of(in, name) : std::nullopt;
    return called ? provided->way_to_function(called->address, called->name) : std::string();
}

auto provider_name_of(resource const& r) -> std::string_view
{
    return r.provider.empty() ? implied_name(r) : std::string_view(r.provider);
}

auto provider_of(configuration const& in, resource const& r) -> std::string
{
    return provider_named(in, provider_name_of(r));
}

namespace {

/// A module and its callers.
struct called_module {
    configuration const& of;
    called_module const* caller;
    module_call const* call;
};

/// Finds the block that configures a provider for a module: its own, one that was passed to it, or that of its callers.
void add_used(
    called_module const& in, std::string const& address, std::string_view alias, std::set<provider_block const*>& used)
{
    auto const is_it = [&](configuration const& module, std::string_view name, std::string_view its_alias) {
        return its_alias == alias && provider_named(module, name) == address;
    };
    passed_provider const* given = nullptr;
    if (in.call)
        for (auto const& one : in.call->providers)
            if (is_it(in.of, one.in_child, provider_alias(one.in_child))) given = &one;
    for (auto const& [name, block] : in.of.providers) {
        if (!is_it(in.of, block.name, block.alias) || (given && is_empty(block))) continue;
        used.insert(&block);
        return;
    }
    if (given)
        add_used(*in.caller, provider_named(in.caller->of, given->in_parent), provider_alias(given->in_parent), used);
    else if (in.caller && alias.empty()) add_used(*in.caller, address, alias, used);
}

void add_used(called_module const& in, std::set<provider_block const*>& used)
{
    std::set<std::string_view> requested;  // many resources require the same one
    auto const ask = [&](resource const& r) {
        auto const name = provider_name_of(r);
        if (requested.insert(name).second) add_used(in, provider_named(in.of, name), provider_alias(name), used);
    };
    for (auto const& [_, one] : in.of.resources) ask(one);
    for (auto const& [_, one] : in.of.checks)
        if (one.data) ask(*one.data);
    for (auto const& [_, call] : in.of.modules)
        if (call.child) add_used({*call.child, &in, &call}, used);
}

}  // namespace

auto used_providers(configuration const& root) -> std::set<provider_block const*>
{
    std::set<provider_block const*> used;
    if (!root.providers.empty() || !root.modules.empty()) add_used({root, nullptr, nullptr}, used);
    return used;
}

auto is_name_part(std::string_view text) -> bool
{
    bool const plain = std::ranges::all_of(
        text, [](char c) { return is_alphanumeric(c) || c == '-' || static_cast<unsigned char>(c) >= 0x80; });
    return plain && !text.starts_with('-') && !text.ends_with('-');
}

auto providers_asked_for(configuration const& root) -> std::map<std::string, source_range>
{
    std::map<std::string, source_range> all;
    for_each_module(root, [&](configuration const& module) {
        for (auto const& [name, one] : module.required_providers) all.emplace(required_address(name, one), one.range);
        for (auto const& [name, one] : module.providers) all.emplace(provider_named(module, name), one.range);
        std::string_view last;  // many resources require the same one
        auto const add = [&](resource const& r) {
            auto const name = provider_name_of(r);
            if (name.empty() || name == last) return;
            all.emplace(provider_named(module, name), r.range);
            last = name;
        };
        for (auto const& [_, one] : module.resources) add(one);
        for (auto const& [_, one] : module.checks)
            if (one.data) add(*one.data);
    });
    return all;
}

auto provider_versions_asked_for(configuration const& root) -> std::map<std::string, std::vector<std::string>>
{
    std::map<std::string, std::vector<std::string>> all;
    for (auto const& [address, _] : providers_asked_for(root)) all[address];
    for_each_module(root, [&](configuration const& module) {
        for (auto const& [name, one] : module.required_providers)
            if (!one.version.empty()) all[required_address(name, one)].push_back(one.version);
        for (auto const& [name, one] : module.providers)
            if (!one.version.empty()) all[provider_named(module, name)].push_back(one.version);
    });
    return all;
}

void check_providers(configuration const& root, diagnostics& found)
{
    provider_checker(root, nullptr, nullptr, {}, found).run();
}

}  // namespace iacctl::language
