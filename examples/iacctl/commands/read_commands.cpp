// SPDX-License-Identifier: BSL-1.0
#include "addresses.hpp"
#include "app/pushed_state.hpp"
#include "commands.hpp"
#include "configuration_json.hpp"
#include "graph_views.hpp"
#include "installation/lock_file.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "own_version.hpp"
#include "page_views.hpp"
#include "plan_request.hpp"
#include "program/diagnostics.hpp"
#include "program/imports.hpp"
#include "state/state_v4.hpp"
#include "support/input_file.hpp"
#include "ui/diagnostic_json.hpp"
#include "ui/diagnostic_text.hpp"
#include "ui/plan_json.hpp"
#include "ui/plan_text.hpp"
#include "ui/state_text.hpp"
#include "ui/worded.hpp"
#include "views.hpp"

#include <strider/infra/model/selection.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

auto unknown_in_state(infra::address const& a) -> infra::diagnostic
{
    std::string const name = to_string(a);
    if (a.type().empty()) return make_error(messages::state_without_module, {to_string(a.module())});
    if (!a.key()) return make_error(messages::state_without_resource, {name});
    return make_error(messages::state_without_instance, {name});
}

auto tell_validation(session const& s, language::diagnostics const& found) -> int
{
    if (s.asked().json) {
        s.out() << ui::validation_json(found) << '\n';
        return found.has_errors() ? 1 : 0;
    }
    int const code = s.tell(program::convert(found));
    if (code == 0) s.out() << "The configuration is valid.\n\n";
    return code;
}

// State as it is, or as it was after the entry that -at names.
auto state_to_show(session const& s) -> infra::expected<infra::snapshot>
{
    if (!s.asked().at) return app::state_access::to_show(s.workspace().root());
    auto const from = s.workspace().reader();
    if (!from) return from.error();
    return (*from)->read_at(*s.asked().at);
}

}  // namespace

auto validate(session const& s) -> int
{
    language::diagnostics found;
    auto configuration = s.workspace().check_configuration(found, app::known_schemas::validation::by_provider);
    if (!found.has_errors()) {
        // What only the graph shows: declarations that wait for one another.
        program::check_imports(configuration, found);
        program::hcl_program const wanted(
            std::move(configuration), {}, s.workspace().name(), s.workspace().told().providers);
        auto const graph = declarations_graph(wanted);
        if (!graph) found.add(program::convert(ui::worded(graph.error().why())));
        found.add(program::convert(wanted.missing_providers()));
        found.sort();
        return tell_validation(s, found);
    }
    found.sort();
    return tell_validation(s, found);
}

namespace {

auto show_state(session const& s, infra::snapshot const& state) -> int
{
    infra::diagnostics problems;
    auto const view = view_of(state, s.schemas(), problems);
    if (s.asked().json) s.out() << ui::state_json(view) << '\n';
    else if (state.lineage.empty()) s.out() << ui::no_state_text();
    else s.out() << ui::state_text(view, s.text());
    return s.tell(problems);
}

// The state in a file of Terraform's format; nothing if it is none.
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
    infra::diagnostics problems;
    if (s.asked().at && !s.asked().arguments.empty()) return s.tell(make_error(messages::sequence_of_plan));
    if (!s.asked().html.empty() && s.asked().arguments.empty()) return s.tell(make_error(messages::page_without_plan));
    if (!s.asked().arguments.empty()) {
        auto const methods = s.workspace().root().encryption();
        if (!methods) return s.tell(methods.error());
        auto const saved = app::read_plan(s.asked().arguments.front(), (*methods)->plan);
        if (!saved) {
            auto const state = s.asked().html.empty() ? state_in_file(s.asked().arguments.front()) : std::nullopt;
            return state ? show_state(s, *state) : s.tell(saved.error());
        }
        auto const wanted = s.workspace().load(*saved, app::workspace::purpose::to_show, problems);
        if (wanted == nullptr) return s.tell(problems);
        if (!s.asked().html.empty()) return write_page(s, page_of(s, *wanted, *saved));
        auto view = view_of(*saved, s.schemas());
        view.relevant = relevant_of(*wanted, saved->what);
        if (!s.asked().json) {
            s.out() << ui::plan_text(view, s.text());
            return 0;
        }
        view.prior_state = view_of(saved->prior, s.schemas(), problems);
        view.configuration = configuration_json(*wanted);
        s.out() << ui::plan_json(view) << '\n';
        return s.tell(problems);
    }
    auto const state = state_to_show(s);
    return state ? show_state(s, *state) : s.tell(state.error());
}

auto output(session const& s) -> int
{
    infra::diagnostics problems;
    if (s.asked().raw && s.asked().json) return s.tell(make_error(messages::raw_and_json_output));
    auto const state = s.workspace().read_state();
    if (!state) return s.tell(state.error());
    auto const outputs = outputs_of(*state, problems);
    if (s.asked().arguments.empty()) {
        if (s.asked().raw) {
            problems.push_back(make_error(messages::raw_output_without_name));
            return s.tell(problems);
        }
        if (s.asked().json) s.out() << ui::outputs_json(outputs) << '\n';
        else if (outputs.empty()) problems.push_back(ui::no_outputs_warning());
        else s.out() << ui::outputs_text(outputs);
        return s.tell(problems);
    }
    std::string const& name = s.asked().arguments.front();
    auto const at = std::find_if(outputs.begin(), outputs.end(), [&](auto const& o) { return o.name == name; });
    if (outputs.empty() && !s.asked().json && !s.asked().raw) problems.push_back(ui::no_outputs_warning());
    else if (at == outputs.end()) problems.push_back(ui::no_such_output_error(name));
    else if (s.asked().json) s.out() << ui::output_json(*at) << '\n';
    else if (s.asked().raw) {
        auto const text = ui::raw_output_text(*at);
        if (!text) return s.tell(text.error());
        s.out() << *text;
    } else s.out() << ui::output_text(*at);
    return s.tell(problems);
}

auto version(session const& s) -> int
{
    auto const locks = installation::lock_file::read(s.workspace().told().directory / installation::lock_file::name);
    auto const platform = installation::platform::current().text();
    if (s.asked().json) {
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
    // The version is there in any case.
    if (!locks) static_cast<void>(s.show(locks.error().why()));
    return 0;
}

auto state_list(session const& s) -> int
{
    auto const state = s.workspace().read_state();
    if (!state) return s.tell(state.error());
    infra::diagnostics problems;
    auto resources = view_of(*state, s.schemas(), problems).resources;
    if (!s.asked().arguments.empty()) {
        std::vector<infra::address> wanted;
        for (std::string const& text : s.asked().arguments) {
            if (auto parsed = read_target(text)) wanted.push_back(std::move(*parsed));
            else problems.push_back(make_error(messages::unreadable_address, {text}));
        }
        for (infra::address const& one : wanted)
            if (std::ranges::none_of(
                    resources, [&](auto const& r) { return infra::is_target(one, r.address, false); })) {
                problems.push_back(unknown_in_state(one));
                return s.tell(problems);
            }
        std::erase_if(resources, [&](auto const& r) { return !infra::is_any(wanted, r.address, false); });
    }
    if (s.asked().id)
        std::erase_if(resources, [&](auto const& r) {
            auto const* const id = r.attributes.find("id");
            bool const text = id != nullptr && id->has_data() && id->is(language::type_kind::string);
            return !text || id->as_string() != *s.asked().id;
        });
    s.out() << ui::state_list_text(resources);
    return s.tell(problems);
}

auto state_show(session const& s) -> int
{
    auto const state = state_to_show(s);
    if (!state) return s.tell(state.error());
    infra::diagnostics problems;
    if (s.asked().at && s.asked().arguments.empty()) {
        s.out() << ui::state_text(view_of(*state, s.schemas(), problems), s.text());
        return s.tell(problems);
    }
    if (s.asked().arguments.size() != 1)
        return s.tell(
            make_error(messages::arguments_missing, {s.asked().command, "one argument: the address of an instance"}));
    for (auto const& r : view_of(*state, s.schemas(), problems).resources) {
        if (to_string(r.address) != s.asked().arguments.front() || !r.deposed_key.empty()) continue;
        s.out() << ui::resource_text(r, s.text());
        return s.tell(problems);
    }
    return s.tell(make_error(messages::instance_not_in_state));
}

auto state_pull(session const& s) -> int
{
    auto const state = s.workspace().read_state();
    if (!state) return s.tell(state.error());
    if (!state->lineage.empty()) s.out() << state::to_v4(*state, language::language_version);
    return 0;
}

}  // namespace iacctl::commands
