// SPDX-License-Identifier: BSL-1.0
#include "addresses.hpp"
#include "app/pushed_state.hpp"
#include "commands.hpp"
#include "configuration_json.hpp"
#include "graph_views.hpp"
#include "installation/lock_file.hpp"
#include "language/configuration/test_file.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "own_version.hpp"
#include "page_views.hpp"
#include "plan_request.hpp"
#include "program/diagnostics.hpp"
#include "state/state_v4.hpp"
#include "state_push.hpp"
#include "support/input_file.hpp"
#include "ui/diagnostic_json.hpp"
#include "ui/diagnostic_text.hpp"
#include "ui/json_writer.hpp"
#include "ui/plan_json.hpp"
#include "ui/plan_text.hpp"
#include "ui/state_text.hpp"
#include "ui/with_text.hpp"
#include "views.hpp"

#include <strider/infra/model/selection.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

auto unknown_in_state(infra::address const& a, infra::snapshot const& state) -> infra::diagnostic
{
    std::string const name = a.type().empty() ? to_string(a.module()) : to_string(a);
    auto const meant = address_suggestion(name, state);
    if (a.type().empty()) return make_error(messages::state_without_module, {name, meant});
    if (!a.key()) return make_error(messages::state_without_resource, {name, meant});
    return make_error(messages::state_without_instance, {name, meant});
}

auto dialects_of(std::vector<std::pair<std::string, language::dialect_choice>> const& of)
    -> std::vector<ui::dialect_view>
{
    std::vector<ui::dialect_view> all;
    for (auto const& [module, choice] : of) {
        bool const chosen = choice.by != language::dialect_choice::reason::none;
        all.push_back({module, std::string(to_string(choice.follows)), chosen ? choice.reason_text() : std::string()});
    }
    return all;
}

auto report_validation(
    session const& s, language::diagnostics const& found, std::vector<ui::dialect_view> const& dialects) -> int
{
    if (auto* const to = s.document()) *to << ui::validation_json(found, dialects) << '\n';
    if (s.requested().json) return found.has_errors() ? 1 : 0;
    int const code = s.report(program::convert(found));
    for (ui::dialect_view const& one : dialects)
        if (!one.reason.empty())
            s.out() << (one.module.empty() ? "The root module" : one.module) << " follows the rules of " << one.program
                    << ", because of " << one.reason << ".\n";
    if (code == 0) s.out() << "The configuration is valid.\n\n";
    return code;
}

// The state in the file of -state.
auto state_of_option(session const& s) -> expected<infra::snapshot>
{
    // A command that is writing its first state, or was killed before, leaves an empty file: there is no state.
    std::error_code ignored;
    std::filesystem::path const file = *s.requested().state;
    if (std::filesystem::is_regular_file(file, ignored) && std::filesystem::is_empty(file, ignored))
        return infra::snapshot();
    auto read = read_pushed(s, *s.requested().state);
    if (!read) return read.error();
    return std::move(read->content);
}

// The present state, or the state after the entry of -at.
auto state_to_show(session const& s) -> expected<infra::snapshot>
{
    if (s.requested().at && s.requested().state) return infra::failure(make_error(messages::sequence_of_plan));
    if (s.requested().state) return state_of_option(s);
    if (!s.requested().at) return app::state_access::to_show(s.workspace().root());
    auto const from = s.workspace().reader();
    if (!from) return from.error();
    return (*from)->read_at(*s.requested().at);
}

}  // namespace

auto validate(session const& s) -> int
{
    if (auto const wrong = s.workspace().root().check_variables(); !wrong.empty()) {
        if (auto* const to = s.document()) *to << ui::validation_json(program::convert(wrong)) << '\n';
        return s.requested().json ? 1 : s.report(wrong);
    }
    auto result = s.workspace().validate(app::known_schemas::validation::by_provider);
    std::vector<language::test_file> tests;  // diagnostics refer to their texts
    if (s.requested().tests)
        tests =
            language::load_test_files(s.workspace().options().directory, s.requested().test_directory, result.found);
    for (language::test_file const& one : tests) language::check_run_references(one, result.found);
    result.found.add(program::convert(ui::with_text(std::move(result.of_graph))));
    result.found.sort();
    return report_validation(s, result.found, dialects_of(result.dialects));
}

namespace {

auto show_state(session const& s, infra::snapshot const& state) -> int
{
    infra::diagnostics problems;
    auto const view = view_of(state, s.schemas(), problems);
    if (auto* const to = s.document()) *to << ui::state_json(view) << '\n';
    if (!s.requested().json) s.out() << (state.lineage.empty() ? ui::no_state_text() : ui::state_text(view, s.text()));
    return s.report(problems);
}

auto show_plan(session const& s, app::saved_plan saved) -> int
{
    infra::diagnostics problems;
    auto const desired = s.workspace().load(saved, app::workspace::purpose::to_show, problems);
    if (desired == nullptr) return s.report(problems);
    if (!s.requested().html.empty()) return write_page(s, page_of(s, *desired, saved));
    if (!s.requested().json) {
        auto view = view_of(saved, s.schemas());
        view.relevant = relevant_of(*desired, saved);
        ui::write_plan_text(s.out(), view, s.text());
    }
    auto* const to = s.document();
    if (to == nullptr) return 0;
    *to << plan_document(s, *desired, saved, problems) << '\n';
    return s.report(problems);
}

// The configuration of the directory, or the module in another one.
auto show_configuration(session const& s) -> int
{
    auto* const to = s.document();
    bool const whole = s.requested().of_configuration;
    if (to == nullptr) return s.report(make_error(messages::json_required, {whole ? "show -config" : "show -module"}));
    language::diagnostics found;
    auto configuration = whole ? s.workspace().root().take_configuration(found)
                               : language::load_module(s.requested().module_directory, found);
    int const code = s.report(program::convert(found));
    if (code != 0) return code;
    program::hcl_program const declared(
        std::move(configuration), {}, s.workspace().name(), s.workspace().options().providers);
    *to << configuration_json(declared, whole ? configuration_scope::all : configuration_scope::module) << '\n';
    return 0;
}

// The state in a file of Terraform's format; nothing if the file is not such a state.
auto state_in_file(std::string const& file) -> std::optional<infra::snapshot>
{
    auto text = read_input(file);
    if (!text) return std::nullopt;
    auto state = app::parse_pushed(std::move(*text));
    if (!state) return std::nullopt;
    return std::move(state->content);
}

}  // namespace

auto show(session const& s) -> int
{
    request const& requested = s.requested();
    bool const of_module = !requested.module_directory.empty();
    auto const subjects = requested.arguments.size() + (requested.plan.empty() ? 0U : 1U)
        + (requested.of_state ? 1U : 0U) + (requested.of_configuration ? 1U : 0U) + (of_module ? 1U : 0U);
    if (subjects > 1) return s.report(make_error(messages::several_subjects));
    bool const of_file = !requested.arguments.empty() || !requested.plan.empty();
    if (requested.at && (of_file || requested.of_configuration || of_module))
        return s.report(make_error(messages::sequence_of_plan));
    if (!requested.html.empty() && !of_file) return s.report(make_error(messages::page_without_plan));
    if (requested.of_configuration || of_module) return show_configuration(s);
    if (of_file) {
        std::string const& file = requested.plan.empty() ? requested.arguments.front() : requested.plan;
        auto const methods = s.workspace().root().encryption();
        if (!methods) return s.report(methods.error());
        auto saved = app::read_plan(file, (*methods)->plan);
        if (saved) return show_plan(s, std::move(*saved));
        bool const may_be_state = requested.plan.empty() && requested.html.empty();
        auto const state = may_be_state ? state_in_file(file) : std::nullopt;
        return state ? show_state(s, *state) : s.report(saved.error());
    }
    auto const state = state_to_show(s);
    return state ? show_state(s, *state) : s.report(state.error());
}

auto output(session const& s) -> int
{
    infra::diagnostics problems;
    if (s.requested().raw && s.requested().json) return s.report(make_error(messages::raw_and_json_output));
    auto const state = s.requested().state ? state_of_option(s) : s.workspace().read_state();
    if (!state) return s.report(state.error());
    auto const outputs = outputs_of(*state, problems);
    auto* const document = s.document();
    if (s.requested().arguments.empty()) {
        if (s.requested().raw) {
            problems.push_back(make_error(messages::raw_output_without_name));
            return s.report(problems);
        }
        if (document != nullptr) *document << ui::outputs_json(outputs) << '\n';
        if (s.requested().json) return s.report(problems);
        if (outputs.empty()) problems.push_back(ui::no_outputs_warning());
        else s.out() << ui::outputs_text(outputs, s.text().show_sensitive);
        return s.report(problems);
    }
    std::string const& name = s.requested().arguments.front();
    auto const at = std::find_if(outputs.begin(), outputs.end(), [&](auto const& o) { return o.name == name; });
    if (outputs.empty() && !s.requested().json && !s.requested().raw) problems.push_back(ui::no_outputs_warning());
    else if (at == outputs.end()) problems.push_back(ui::no_such_output_error(name, outputs));
    else {
        if (document != nullptr) *document << ui::output_json(*at) << '\n';
        if (s.requested().raw) {
            auto const text = ui::raw_output_text(*at);
            if (!text) return s.report(text.error());
            s.out() << *text;
        } else if (!s.requested().json) s.out() << ui::output_text(*at);
    }
    return s.report(problems);
}

auto version(session const& s) -> int
{
    auto const locks = installation::lock_file::read(s.workspace().options().directory / installation::lock_file::name);
    auto const platform = installation::platform::current().text();
    if (s.requested().json) {
        auto selections = nlohmann::ordered_json::object();
        if (locks)
            for (auto const& [of, locked] : locks->providers) selections[of.address()] = locked.selected.text();
        nlohmann::ordered_json const document = {{"terraform_version", language::language_version},
            {"iacctl_version", own_version()}, {"platform", platform}, {"provider_selections", selections}};
        s.out() << document.dump(2) << '\n';
    } else {
        s.out() << "iacctl v" << own_version() << "\ncompatible with Terraform v" << language::language_version
                << "\non " << platform << '\n';
        if (locks)
            for (auto const& [of, locked] : locks->providers)
                s.out() << "+ provider " << of.address() << " v" << locked.selected.text() << '\n';
    }
    // The version is printed even without the lock file.
    if (!locks) static_cast<void>(s.show(locks.error().why()));
    return 0;
}

namespace {

// The instances in state that the arguments and -id select; nothing after an error.
auto selected_instances(session const& s, infra::diagnostics& problems) -> std::optional<std::vector<ui::resource_view>>
{
    auto const state = s.requested().state ? state_of_option(s) : s.workspace().read_state();
    if (!state) {
        append(problems, state.error().why());
        return std::nullopt;
    }
    if (state->lineage.empty()) {
        problems.push_back(make_error(messages::no_state, {s.workspace().name()}));
        return std::nullopt;
    }
    auto resources = view_of(*state, s.schemas(), problems).resources;
    if (!s.requested().arguments.empty()) {
        std::vector<infra::address> desired;
        for (std::string const& text : s.requested().arguments) {
            auto parsed = read_target(text);
            if (parsed) desired.push_back(std::move(*parsed));
            else problems.push_back(make_error(messages::unreadable_address, {text, mistake_in(parsed.error())}));
        }
        for (infra::address const& one : desired)
            if (std::ranges::none_of(
                    resources, [&](auto const& r) { return infra::is_target(one, r.address, false); })) {
                problems.push_back(unknown_in_state(one, *state));
                return std::nullopt;
            }
        std::erase_if(resources, [&](auto const& r) { return !infra::is_any(desired, r.address, false); });
    }
    if (s.requested().id)
        std::erase_if(resources, [&](auto const& r) {
            auto const* const id = r.attributes.find("id");
            bool const text = id != nullptr && id->has_data() && id->is(language::type_kind::string);
            return !text || id->as_string() != *s.requested().id;
        });
    return resources;
}

}  // namespace

auto state_list(session const& s) -> int
{
    infra::diagnostics problems;
    if (auto const resources = selected_instances(s, problems)) s.out() << ui::state_list_text(*resources);
    return s.report(problems);
}

auto state_identities(session const& s) -> int
{
    if (!s.requested().json) return s.report(make_error(messages::json_required, {s.requested().command}));
    infra::diagnostics problems;
    if (auto const resources = selected_instances(s, problems)) {
        std::map<std::string, std::string> identities;
        for (ui::resource_view const& one : *resources)
            if (one.deposed_key.empty() && !one.identity.empty())
                identities.emplace(to_string(one.address), one.identity);
        ui::json_object all;
        for (auto const& [address, identity] : identities) all.raw(address, identity);
        s.out() << ui::indented_json(all.done()) << '\n';
    }
    return s.report(problems);
}

namespace {

// Reports errors of `state show`: with -json, as members of the document.
auto refuse_to_show(session const& s, infra::diagnostics const& problems) -> int
{
    infra::diagnostics shown;
    for (infra::diagnostic const& one : problems) shown.push_back(ui::with_text(one));
    if (auto* const to = s.document()) *to << ui::instance_json(shown) << '\n';
    return s.report(problems);
}

}  // namespace

auto state_show(session const& s) -> int
{
    auto const state = state_to_show(s);
    if (!state) return refuse_to_show(s, state.error().why());
    infra::diagnostics problems;
    if (s.requested().at && s.requested().arguments.empty()) return show_state(s, *state);
    if (s.requested().arguments.size() != 1)
        return refuse_to_show(s,
            {make_error(
                messages::arguments_missing, {s.requested().command, "one argument: the address of an instance"})});
    std::string const& text = s.requested().arguments.front();
    auto const target = read_instance(text);
    if (!target)
        return refuse_to_show(s, {make_error(messages::instance_address_required, {text, mistake_in(target.error())})});
    for (auto const& r : view_of(*state, s.schemas(), problems).resources) {
        if (r.address != *target || !r.deposed_key.empty()) continue;
        if (auto* const to = s.document()) *to << ui::instance_json(r) << '\n';
        if (!s.requested().json) s.out() << ui::resource_text(r, s.text());
        return s.report(problems);
    }
    return refuse_to_show(s, {make_error(messages::instance_not_in_state, {address_suggestion(text, *state)})});
}

auto state_pull(session const& s) -> int
{
    auto const state = s.workspace().read_state();
    if (!state) return s.report(state.error());
    if (!state->lineage.empty()) s.out() << state::to_v4(*state, language::language_version);
    return 0;
}

}  // namespace iacctl::commands
