// SPDX-License-Identifier: BSL-1.0
#include "run_setup.hpp"

#include "base/provider_address.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/variables.hpp"
#include "language/validation/schema.hpp"
#include "messages/commands.hpp"
#include "messages/configuration.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <set>

namespace iacctl::testing {

namespace {

using language::value;

auto inputs_of(workspace::settings const& s) -> language::variable_inputs
{
    language::variable_inputs inputs;
    inputs.options = s.variables;
    inputs.environment = s.environment;
    inputs.directory = s.directory;
    inputs.declared_only = true;
    return inputs;
}

// The module at a path of calls; null if there is none.
template <class Configuration>
auto find_module(Configuration& configuration, std::vector<infra::module_step> const& path) -> Configuration*
{
    Configuration* at = &configuration;
    for (infra::module_step const& step : path) {
        auto const call = at->modules.find(step.name);
        if (call == at->modules.end() || !call->second.child) return nullptr;
        at = call->second.child.get();
    }
    return at;
}

// True if an override of a module applies to all of its instances: a step without a key stands for all instances of the
// last module, but only for a single instance of the modules around it.
auto overrides_all(language::configuration const& c, std::vector<infra::module_step> const& path) -> bool
{
    language::configuration const* at = &c;
    for (infra::module_step const& step : path) {
        auto const call = at->modules.find(step.name);
        if (step.key || call == at->modules.end() || !call->second.child) return false;
        if (&step != &path.back() && (call->second.count || call->second.for_each)) return false;
        at = call->second.child.get();
    }
    return true;
}

// Removes everything except the names of the outputs.
void empty(language::configuration& module)
{
    module.variables.clear();
    module.locals.clear();
    module.providers.clear();
    module.modules.clear();
    module.checks.clear();
    module.moved.clear();
    module.removed.clear();
    module.resources.clear();
    module.index = std::make_unique<language::resource_index>();
    for (auto& [name, output] : module.outputs) {
        output.of = {};
        output.depends_on.clear();
        output.preconditions.clear();
    }
}

void allow_destruction(language::configuration& module)
{
    for (auto& [address, resource] : module.resources) resource.lifecycle.prevent_destroy = {};
    for (auto& [name, call] : module.modules)
        if (call.child) allow_destruction(*call.child);
}

// The names with which a module refers to configurations of a provider.
auto names_used(language::configuration const& module) -> std::set<std::string>
{
    std::set<std::string> names;
    for (auto const& [name, one] : module.required_providers) {
        names.insert(name);
        names.insert(one.aliases.begin(), one.aliases.end());
    }
    for (auto const& [name, one] : module.providers) names.insert(name);
    for (auto const& [address, one] : module.resources)
        names.insert(one.provider.empty() ? one.type.substr(0, one.type.find('_')) : one.provider);
    for (auto const& [name, call] : module.modules)
        for (auto const& passed : call.providers) names.insert(passed.in_parent);
    return names;
}

}  // namespace

auto undeclared_variable(workspace::settings const& s, std::string const& name) -> std::optional<value>
{
    for (bool const as_expression : {true, false}) {
        language::configuration declares;
        language::variable desired;
        desired.name = name;
        desired.has_type = as_expression;
        desired.default_value = value::unknown();
        declares.variables.emplace(name, std::move(desired));
        infra::diagnostics found;
        auto const given = language::collect_variables(declares, inputs_of(s), found);
        if (found.has_errors()) continue;
        auto const& made = given.values.at(name);
        return made.is_unknown() ? std::nullopt : std::optional(made);
    }
    return std::nullopt;
}

auto defined_variables(workspace::settings const& s, language::test_file const& file, infra::diagnostics& found)
    -> language::variable_values
{
    language::configuration declares;
    declares.variables = file.definitions;
    return language::collect_variables(declares, inputs_of(s), found);
}

auto has(language::configuration const& c, infra::address const& target) -> bool
{
    auto const* const in = find_module(c, target.module());
    if (in == nullptr || target.type().empty()) return in != nullptr;
    auto const mode =
        target.mode() == infra::resource_mode::data ? language::resource_mode::data : language::resource_mode::managed;
    return in->index->find(mode, target.type(), target.name()) != nullptr;
}

run_setup::run_setup(workspace::settings const& s, module_under_test const& main, module_under_test const& module,
    language::test_file const& file, language::test_run const& run, std::shared_ptr<test_scope const> scope,
    infra::diagnostics& found)
    : settings_(s),
      module_(&module),
      scope_(std::move(scope))
{
    read_providers(main, file, run, found);
    read_overrides(file, run, found);
    if (!found.has_errors()) read_variables(run, found);
}

void run_setup::read_variables(language::test_run const& run, infra::diagnostics& found)
{
    auto inputs = inputs_of(settings_);
    auto const& declared = module_->declared().variables;
    std::set<std::string_view> asserted;
    for (auto const& rule : run.assertions)
        for (auto const& part : {rule.condition, rule.error_message})
            if (part) {
                infra::diagnostics ignored;
                for (auto const& r : language::references_of(part, ignored))
                    if (r.kind == language::reference_kind::variable) asserted.insert(r.name);
            }
    for (auto const& [name, given] : run.variables) {
        auto made = language::evaluate(given, *scope_, found);
        if (declared.contains(name)) inputs.evaluated.emplace(name, std::pair(std::move(made), given.range()));
        else if (asserted.contains(name)) of_run_.emplace(name, std::move(made));
        else found.add(language::warning(messages::undeclared_variable_in_run, {name, run.name}, given.range()));
    }
    for (auto const& [name, one] : declared)
        if (auto const place = scope_->place_of(name); place && !inputs.evaluated.contains(name))
            if (auto made = scope_->variable_value(name, found))
                inputs.evaluated.emplace(name, std::pair(std::move(*made), *place));
    if (found.has_errors()) return;
    auto collected = language::collect_variables(module_->declared(), inputs, found);
    texts_ = std::move(collected.files);
    variables_.insert(collected.values.begin(), collected.values.end());
}

void run_setup::read_providers(module_under_test const& main, language::test_file const& file,
    language::test_run const& run, infra::diagnostics& found)
{
    auto const address_of = [](module_under_test const& in, std::string_view name) {
        return language::provider_named(in.declared(), name);
    };
    for (auto const& passed : run.providers) {
        auto const given = file.providers.find(passed.in_parent);
        if (given == file.providers.end()) {
            found.add(language::error(messages::missing_test_provider, {passed.in_parent}, passed.parent_range));
            continue;
        }
        auto const desired = address_of(*module_, passed.in_child);
        auto const there = address_of(main, passed.in_parent);
        if (desired == there) add_provider(passed.in_child, given->second, there, found);
        else found.add(language::error(messages::wrong_test_provider, {desired, there}, passed.range));
    }
    if (!run.providers.empty()) return;
    auto const used = names_used(module_->declared());
    for (auto const& [key, given] : file.providers) {
        auto const address = address_of(main, given.name);
        auto const is_it = [&](std::string const& name) {
            return provider_alias(name) == given.alias && address_of(*module_, name) == address;
        };
        if (auto const name = std::ranges::find_if(used, is_it); name != used.end())
            add_provider(*name, given, address, found);
    }
}

void run_setup::add_provider(
    std::string const& name, language::test_provider const& as, std::string address, infra::diagnostics& found)
{
    auto* const source = settings_.providers->find(address);
    language::provider_block block{
        std::string(local_provider_name(name)), std::string(provider_alias(name)), {}, false, as.range, {}};
    if (as.configured) {
        block.content = as.configured->content;
        block.sees = scope_;
    } else block.mocked = true;
    providers_.push_back(std::move(block));
    if (source == nullptr) return;
    if (as.configured) {
        if (auto const schema = source->schema())
            language::check_body(as.configured->content, (*schema)->settings, found);
        return;
    }
    auto const alias = provider_alias(name);
    mocked_provider mock;
    for (auto const& one : as.mocks) {
        auto const mode =
            one.mode == language::resource_mode::data ? infra::resource_mode::data : infra::resource_mode::managed;
        mock.types.emplace(std::pair(mode, one.type), values_of(one.defaults, one.in_plan, one.range, found));
    }
    for (auto const& one : as.overrides)
        mock.objects.emplace(
            program::traversal_address(one.target), values_of(one.values, one.in_plan, one.range, found));
    auto configuration =
        "provider[\"" + std::string(source->address()) + "\"]" + (alias.empty() ? "" : "." + std::string(alias));
    mocks_->providers.insert_or_assign(std::move(configuration), std::move(mock));
}

void run_setup::read_overrides(
    language::test_file const& file, language::test_run const& run, infra::diagnostics& found)
{
    // If both have an override for the same object, that of the run is used.
    for (auto const* const all : {&run.overrides, &file.overrides})
        for (language::test_override const& one : *all) {
            auto const target = program::traversal_address(one.target);
            bool const known = has(module_->declared(), target);
            if (!known && all == &run.overrides)
                found.add(
                    language::warning(messages::override_without_target, {to_string(target)}, one.target.range()));
            auto values = values_of(one.values, one.in_plan, one.range, found);
            if (one.kind != language::test_override::kind_type::module) {
                mocks_->objects.try_emplace(target, std::move(values));
                continue;
            }
            bool const first = outputs_.try_emplace(to_string(target.module()), std::move(values.values)).second;
            if (first && overrides_all(module_->declared(), target.module())) emptied_.push_back(target);
        }
}

auto run_setup::values_of(language::expression const& e, bool in_plan, language::source_range const& place,
    infra::diagnostics& found) const -> mock_values
{
    mock_values made;
    made.in_plan = in_plan;
    made.place = place.text();
    if (!e) return made;
    auto const before = found.error_count();
    auto given = language::evaluate(e, function_scope(scope_->context()), found);
    if (found.error_count() != before) return made;
    if (given.has_data() && given.is(language::type_kind::object)) made.values = std::move(given);
    else found.add(language::error(messages::test_values_not_object, e.range()));
    return made;
}

auto run_setup::program(purpose what_for, infra::diagnostics& problems) const -> std::unique_ptr<program::hcl_program>
{
    auto configuration = module_->copy();
    for (infra::address const& one : emptied_)
        if (auto* const module = find_module(configuration, one.module())) empty(*module);
    configuration.overridden_outputs = outputs_;
    for (language::provider_block const& one : providers_) {
        auto const name = one.alias.empty() ? one.name : one.name + "." + one.alias;
        std::erase_if(configuration.providers, [&](auto const& other) {
            return other.second.alias == one.alias
                && language::provider_named(configuration, other.second.name)
                == language::provider_named(configuration, one.name);
        });
        configuration.providers.emplace(name, one);
    }
    if (what_for == purpose::clean_up) allow_destruction(configuration);
    auto made = std::make_unique<program::hcl_program>(
        std::move(configuration), variables_, std::string("default"), settings_.providers);
    auto found = made->contradictions();
    bool const bad = found.has_errors();
    problems.add(std::move(found));
    return bad ? nullptr : std::move(made);
}

auto run_setup::settings_with(std::shared_ptr<state::backend> states, workspace::interrupt_source* interrupts) const
    -> workspace::settings
{
    workspace::settings made = settings_;
    made.directory = module_->directory();
    made.workspace = "default";
    made.operation = "test";
    made.states = std::move(states);
    made.interrupts = interrupts;
    if (!mocks_->empty()) made.make_provider = make_mocks(mocks_);
    return made;
}

}  // namespace iacctl::testing
