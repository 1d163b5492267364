// SPDX-License-Identifier: BSL-1.0
#include "workspace.hpp"

#include "backend.hpp"
#include "declaration_graph.hpp"
#include "encryption.hpp"
#include "known_schemas.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/validation/validate.hpp"
#include "messages/commands.hpp"
#include "messages/configuration.hpp"
#include "messages/report.hpp"
#include "plan_integrity.hpp"
#include "workspace/program/imports.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace {

// The settings with the directory in the form that names of files have.
auto with_plain_directory(settings s) -> settings
{
    s.directory = s.directory.lexically_normal();
    if (!s.directory.has_filename()) s.directory = s.directory.parent_path();
    if (s.directory.empty()) s.directory = ".";
    return s;
}

// The text of a value in diagnostics.
auto shown(language::value const& v) -> std::string
{
    return v.has_deep(language::mark::sensitive) ? "(sensitive value)" : language::expression_text(v);
}

}  // namespace

auto texts_of(language::configuration const& c) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> texts;
    language::for_each_module(c, [&](language::configuration const& module) {
        for (auto const& tree : module.files) texts.emplace(tree->file().name(), tree->file().text());
    });
    if (!c.installed.modules.empty()) texts.emplace(language::manifest_name, c.installed.text());
    return texts;
}

namespace {

// Loads the schemas of the required providers. Errors of a provider are reported at the block that requires it.
auto load_providers(language::configuration const& c, providers::catalog const& known, infra::diagnostics& found)
    -> bool
{
    auto const places = language::providers_asked_for(c);
    std::vector<std::string> addresses;
    for (auto const& [address, _] : places) addresses.push_back(address);
    bool loaded = true;
    for (auto const& [address, problems] : known.load(addresses)) {
        loaded = loaded && !problems.has_errors();
        for (infra::diagnostic one : problems) {
            one.source = language::excerpt_of(places.at(address));
            found.add(std::move(one));
        }
    }
    return loaded;
}

// Blocks `provider_meta` of installed providers must conform to their schemas. Built-in providers do not use such
// blocks.
void check_provider_meta(language::configuration const& c, providers::catalog const& known, infra::diagnostics& found)
{
    language::for_each_module(c, [&](language::configuration const& module) {
        for (auto const& [name, one] : module.provider_meta) {
            auto* const provider = known.find(language::provider_named(module, name));
            if (provider == nullptr || provider->is_built_in()) continue;
            auto const schema = provider->schema();
            if (!schema || !(*schema)->meta) continue;
            language::check_body(one.content, *(*schema)->meta, found);
            static_cast<void>(
                language::evaluate_body(one.content, *(*schema)->meta, language::constant_scope(), found));
        }
    });
}

// Requests about objects contain the block, so their provider must have a schema for it.
void check_uses_of_provider_meta(
    language::configuration const& c, providers::catalog const& known, infra::diagnostics& found)
{
    language::for_each_module(c, [&](language::configuration const& module) {
        for (auto const& [name, one] : module.provider_meta) {
            auto const address = language::provider_named(module, name);
            auto* const provider = known.find(address);
            if (provider == nullptr || provider->is_built_in()) continue;
            bool const is_used = std::ranges::any_of(module.resources,
                [&](auto const& item) { return language::provider_of(module, item.second) == address; });
            auto const schema = provider->schema();
            if (is_used && schema && !(*schema)->meta)
                found.add(language::error(messages::provider_without_meta, {address}, one.range));
        }
    });
}

}  // namespace

workspace::workspace(settings s, question ask)
    : settings_(with_plain_directory(std::move(s))),
      root_(settings_),
      ask_(std::move(ask))
{}

workspace::workspace(settings s, program_source made_by)
    : settings_(with_plain_directory(std::move(s))),
      root_(settings_),
      made_by_(std::move(made_by))
{}

auto workspace::check_configuration(infra::diagnostics& found, known_schemas::validation v) const
    -> language::configuration
{
    auto configuration = root_.take_configuration(found);
    if (settings_.configuration_required && configuration.files.empty() && !found.has_errors())
        found.add(language::error(messages::no_configuration_files));
    if (configuration.complete) {
        found.add_new(settings_.provider_problems);
        known_schemas const schemas(*settings_.providers, v);
        bool const loaded = load_providers(configuration, *settings_.providers, found);
        if (!loaded || settings_.provider_problems.has_errors()) {
            language::report_missing_providers(configuration, schemas, found);
            return configuration;
        }
        check_provider_meta(configuration, *settings_.providers, found);
    }
    // After syntax errors many declarations would seem to be missing, so the configuration is not validated further.
    if (configuration.complete) {
        language::validate(configuration, known_schemas(*settings_.providers, v), found, settings_.validation);
        check_remote_state_names(configuration, found);
    }
    return configuration;
}

auto workspace::validate(known_schemas::validation v) const -> validation_result
{
    validation_result made;
    auto configuration = check_configuration(made.found, v);
    if (configuration.complete) check_backend_block(configuration, made.found);
    language::for_each_module(configuration, [&](language::configuration const& given) {
        made.dialects.emplace_back(given.is_root() ? std::string() : given.display_name(), given.dialect);
    });
    if (made.found.has_errors()) {
        made.owner = std::make_shared<language::configuration>(std::move(configuration));
        return made;
    }
    // The graph shows declarations that wait for one another.
    language::for_each_module(configuration, [&](language::configuration const& c) {
        program::check_imports(c, program::config_generation::allowed, made.found);
    });
    std::map<std::string, language::value> const no_values;
    auto desired =
        std::make_shared<program::hcl_program>(std::move(configuration), no_values, name(), settings_.providers);
    made.of_graph = check_declaration_graph(*desired);
    made.of_graph.add(desired->missing_providers());
    made.owner = std::move(desired);
    return made;
}

auto workspace::load_configuration(infra::diagnostics& problems) const -> std::optional<language::configuration>
{
    infra::diagnostics found;
    auto configuration = check_configuration(found);
    if (!found.has_errors()) check_uses_of_provider_meta(configuration, *settings_.providers, found);
    if (!found.has_errors()) check_backend_type(configuration, found);
    language::sort_by_place(found);
    problems.add(found);
    if (found.has_errors()) return std::nullopt;
    return configuration;
}

auto workspace::variable_inputs() const -> language::variable_inputs
{
    language::variable_inputs inputs;
    inputs.options = settings_.variables;
    inputs.environment = settings_.environment;
    inputs.directory = settings_.directory;
    return inputs;
}

auto workspace::given_ephemerals(language::configuration const& c) const -> std::set<std::string, std::less<>>
{
    if (std::ranges::none_of(c.variables, [](auto const& item) { return item.second.ephemeral; })) return {};
    infra::diagnostics reported_before;
    auto given = language::collect_variables(c, variable_inputs(), reported_before).given;
    std::erase_if(given, [&](std::string const& name) { return !c.variables.at(name).ephemeral; });
    return given;
}

auto workspace::variables_of(language::configuration const& c, infra::diagnostics& found) const
    -> language::variable_values
{
    language::variable_inputs inputs = variable_inputs();
    if (!found.has_errors()) inputs.ask = ask_;
    return language::collect_variables(c, inputs, found);
}

auto workspace::load(infra::diagnostics& problems, std::string const& added) const
    -> std::unique_ptr<program::hcl_program>
{
    if (made_by_) return made_by_(problems);
    auto configuration = load_configuration(problems);
    if (!configuration) return nullptr;
    infra::diagnostics found;
    if (!added.empty()) {
        auto texts = texts_of(*configuration);
        std::string file = "generated.tf";
        auto const path = [&] { return (settings_.directory / file).lexically_normal().string(); };
        while (texts.contains(path())) file.insert(0, "_");
        texts.emplace(path(), added);
        configuration = language::load_configuration(texts, found, settings_.directory, load_options_of(settings_));
    }
    auto given = variables_of(*configuration, found);
    problems.add(found);
    if (found.has_errors()) return nullptr;
    std::map<std::string, language::value> values(given.values.begin(), given.values.end());
    auto made = std::make_unique<program::hcl_program>(
        std::move(*configuration), std::move(values), name(), settings_.providers);
    problems.add(made->contradictions());
    return made;
}

auto workspace::variables_of(saved_plan const& saved, language::configuration const& configuration,
    infra::diagnostics& found) const -> std::map<std::string, language::value>
{
    language::variable_inputs inputs = variable_inputs();
    inputs.fixed = saved.variables;
    inputs.planned = true;
    auto const collected = language::collect_variables(configuration, inputs, found);
    auto const& given = collected.values;
    for (auto const& [name, now] : collected.replaced) {
        auto const& planned = saved.variables.at(name);
        if (now.of.unmarked_deep() == planned.unmarked_deep()) continue;
        found.add(now.by_option
                ? language::error(
                      messages::changed_variable_of_saved_plan, {name, shown(planned), shown(now.of)}, now.place)
                : language::warning(messages::ignored_variable_of_saved_plan, {name, shown(planned), shown(now.of)}));
    }
    for (auto const& [name, one] : configuration.variables) {
        if (!saved.ephemeral || !one.ephemeral || !one.default_value) continue;
        bool const planned = saved.ephemeral->contains(name);
        if (planned == collected.given.contains(name)) continue;
        found.add(language::error(
            planned ? messages::missing_ephemeral_variable_value : messages::new_ephemeral_variable_value, {name}));
    }
    return {given.begin(), given.end()};
}

auto workspace::load(saved_plan& saved, purpose what_for, infra::diagnostics& problems) const
    -> std::unique_ptr<program::hcl_program>
{
    infra::diagnostics found;
    language::load_options const planned{
        [&](language::configuration const&) -> std::map<std::string, language::value, std::less<>> {
            return {saved.variables.begin(), saved.variables.end()};
        },
        saved.workspace};
    auto configuration = language::load_configuration(saved.files, found, settings_.directory, planned);
    bool const again = what_for == purpose::to_apply && !found.has_errors();
    auto variables = again ? variables_of(saved, configuration, found) : saved.variables;
    problems.add(found);
    if (found.has_errors()) return nullptr;
    auto made = std::make_unique<program::hcl_program>(
        std::move(configuration), std::move(variables), saved.workspace, settings_.providers, saved.created);
    auto const is_provider = [&](auto const& d) { return made->kind_of(d) == infra::declaration_kind::provider; };
    if (!saved.configures_providers() && std::ranges::any_of(made->declarations(), is_provider)) {
        problems.add(make_error(messages::plan_without_providers, {std::to_string(saved.format)}));
        return nullptr;
    }
    complete_objects(saved, *made);
    if (auto const why = find_contradiction(saved, *made); !why.empty()) {
        problems.add(make_error(messages::contradictory_plan, {why}));
        return nullptr;
    }
    return made;
}

auto workspace::reader() const -> expected<std::unique_ptr<state::store>>
{
    auto const in = backend();
    if (!in) return in.error();
    return (*in)->open(name(), state::open_mode::read_only);
}

auto workspace::read_state() const -> expected<infra::snapshot>
{
    auto const from = reader();
    if (!from) return from.error();
    return (*from)->read_now();
}

}  // namespace iacctl::workspace
