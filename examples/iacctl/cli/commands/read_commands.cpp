// SPDX-License-Identifier: BSL-1.0
#include "base/input_file.hpp"
#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "configuration_json.hpp"
#include "graph_views.hpp"
#include "language/configuration/test_file.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "messages/with_text.hpp"
#include "own_version.hpp"
#include "packages/lock_file.hpp"
#include "page_views.hpp"
#include "plan_request.hpp"
#include "providers/built_in/built_in.hpp"
#include "session.hpp"
#include "state/document/state_v4.hpp"
#include "state_push.hpp"
#include "views.hpp"
#include "views/diagnostic_json.hpp"
#include "views/diagnostic_text.hpp"
#include "views/plan_json.hpp"
#include "views/plan_text.hpp"
#include "views/state_text.hpp"
#include "workspace/pushed_state.hpp"

#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct validate_options : options_with<test_directory_options, variable_options, message_options>,
                          json_file_options,
                          query_file_options {
    bool tests = true;

    validate_options() { form = json_form::validation; }
    void declare(option_list& to)
    {
        json_file_options::declare(to);
        to.on("query", "Check query files, too.", queries);
        to.on_for_false("no-tests", "Do not check test files.", tests);
        options_with::declare(to);
    }
};

struct show_options : options_with<variable_options>,
                      json_file_options,
                      record_options,
                      sensitive_options,
                      entry_options {
    bool of_state = false;
    bool of_configuration = false;
    std::string plan;
    std::string module_directory;

    void declare(option_list& to)
    {
        json_file_options::declare(to);
        declare_page(to);
        sensitive_options::declare(to);
        entry_options::declare(to);
        to.on("state", "Show the state of the workspace, as without FILE.", of_state);
        to.with_value("plan", "FILE", "Show this saved plan.", plan, completion::file);
        to.on("config", "Print the configuration of the directory with all its modules. Requires -json.",
            of_configuration);
        to.with_value("module", "DIR",
            "Print the declarations of the module in DIR, whose dependencies need not be installed. Requires -json.",
            module_directory, completion::directory);
        options_with::declare(to);
    }
};

struct output_options : options_with<variable_options>, json_file_options, sensitive_options, shown_file_options {
    bool raw = false;

    void declare(option_list& to)
    {
        json_file_options::declare(to);
        sensitive_options::declare(to);
        shown_file_options::declare(to);
        to.on("raw", "Print a single string, number or bool without quotes.", raw);
        options_with::declare(to);
    }
};

struct state_list_options : options_with<shown_file_options, variable_options> {
    std::optional<std::string> id;

    void declare(option_list& to)
    {
        to.with_value("id", "ID", "List only instances whose attribute \"id\" is ID.", id);
        options_with::declare(to);
    }
};

struct state_identities_options : state_list_options, json_options {
    void declare(option_list& to)
    {
        json_options::declare(to);
        to.with_value("id", "ID", "List only instances whose attribute \"id\" is ID.", id);
        shown_file_options::declare(to);
        variable_options::declare(to);
    }
};

struct state_show_options
    : options_with<json_file_options, sensitive_options, shown_file_options, entry_options, variable_options> {};

auto unknown_in_state(infra::address const& a, infra::snapshot const& state) -> infra::diagnostic
{
    std::string const name = a.type().empty() ? to_string(a.module()) : to_string(a);
    auto const meant = address_suggestion(name, state);
    if (a.type().empty()) return make_error(messages::state_without_module, {name, meant});
    if (!a.key()) return make_error(messages::state_without_resource, {name, meant});
    return make_error(messages::state_without_instance, {name, meant});
}

auto dialects_of(std::vector<std::pair<std::string, language::dialect_choice>> const& entries)
    -> std::vector<views::dialect_view>
{
    std::vector<views::dialect_view> all;
    for (auto const& [module, choice] : entries) {
        bool const chosen = choice.by != language::dialect_choice::reason::none;
        all.push_back({module, std::string(to_string(choice.follows)), chosen ? choice.reason_text() : std::string()});
    }
    return all;
}

auto report_validation(
    session const& s, infra::diagnostics const& found, std::vector<views::dialect_view> const& dialects) -> int
{
    if (auto* const to = s.document()) *to << views::validation_json(found, dialects) << '\n';
    if (s.prints_json()) return found.has_errors() ? 1 : 0;
    int const code = s.report(found);
    for (views::dialect_view const& one : dialects)
        if (!one.reason.empty())
            s.out() << (one.module.empty() ? "The root module" : one.module) << " follows the rules of " << one.program
                    << ", because of " << one.reason << ".\n";
    if (code == 0) s.out() << "The configuration is valid.\n\n";
    return code;
}

// The state in the file of -state.
auto state_of_option(session const& s, std::string const& name) -> expected<infra::snapshot>
{
    // A command that is writing its first state, or was killed before, leaves an empty file: there is no state.
    std::error_code ignored;
    std::filesystem::path const file = name;
    if (std::filesystem::is_regular_file(file, ignored) && std::filesystem::is_empty(file, ignored))
        return infra::snapshot();
    auto read = read_pushed(s, name);
    if (!read) return read.error();
    return std::move(read->content);
}

// The present state, or the state after the entry of -at.
auto state_to_show(session const& s, std::optional<std::int64_t> const& at) -> expected<infra::snapshot>
{
    if (!at) return workspace::state_access::to_show(s.workspace().root());
    auto const from = s.workspace().reader();
    if (!from) return from.error();
    return (*from)->read_at(*at);
}

auto validate(validate_options const& options, session const& s) -> int
{
    if (auto const wrong = s.workspace().root().check_variables(); !wrong.empty()) {
        if (auto* const to = s.document()) *to << views::validation_json(wrong) << '\n';
        return options.json ? 1 : s.report(wrong);
    }
    auto result = s.workspace().validate(workspace::known_schemas::validation::by_provider);
    std::vector<language::test_file> tests;  // diagnostics refer to their texts
    if (options.tests)
        tests = language::load_test_files(s.workspace().options().directory, options.test_directory, result.found);
    for (language::test_file const& one : tests) language::check_run_references(one, result.found);
    result.found.add(std::move(result.of_graph));
    language::sort_by_place(result.found);
    return report_validation(s, messages::with_text(std::move(result.found)), dialects_of(result.dialects));
}

auto show_state(session const& s, infra::snapshot const& state) -> int
{
    infra::diagnostics problems;
    auto const view = view_of(state, s.schemas(), problems);
    if (auto* const to = s.document()) *to << views::state_json(view) << '\n';
    if (!s.prints_json())
        s.out() << (state.lineage.empty() ? views::no_state_text() : views::state_text(view, s.text()));
    return s.report(problems);
}

auto show_plan(session const& s, std::string const& page, workspace::saved_plan saved) -> int
{
    infra::diagnostics problems;
    auto const desired = s.workspace().load(saved, workspace::workspace::purpose::to_show, problems);
    if (desired == nullptr) return s.report(problems);
    if (!page.empty()) return write_page(s, page, page_of(s, *desired, saved));
    if (!s.prints_json()) {
        auto view = view_of(saved, s.schemas());
        view.relevant = relevant_of(*desired, saved);
        views::write_plan_text(s.out(), view, s.text());
    }
    auto* const to = s.document();
    if (to == nullptr) return 0;
    *to << plan_document(s, *desired, saved, problems) << '\n';
    return s.report(problems);
}

// The configuration of the directory, or the module in another one.
auto show_configuration(session const& s, show_options const& options) -> int
{
    auto* const to = s.document();
    bool const whole = options.of_configuration;
    if (to == nullptr) return s.report(make_error(messages::json_required, {whole ? "show -config" : "show -module"}));
    infra::diagnostics found;
    auto configuration =
        whole ? s.workspace().root().take_configuration(found) : language::load_module(options.module_directory, found);
    int const code = s.report(found);
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
    auto state = workspace::parse_pushed(std::move(*text));
    if (!state) return std::nullopt;
    return std::move(state->content);
}

auto show(show_options const& options, session const& s) -> int
{
    bool const of_module = !options.module_directory.empty();
    auto const subjects = options.arguments.size() + (options.plan.empty() ? 0U : 1U) + (options.of_state ? 1U : 0U)
        + (options.of_configuration ? 1U : 0U) + (of_module ? 1U : 0U);
    if (subjects > 1) return s.report(make_error(messages::several_subjects));
    bool const of_file = !options.arguments.empty() || !options.plan.empty();
    if (options.at && (of_file || options.of_configuration || of_module))
        return s.report(make_error(messages::sequence_of_plan));
    if (!options.html.empty() && !of_file) return s.report(make_error(messages::page_without_plan));
    if (options.of_configuration || of_module) return show_configuration(s, options);
    if (of_file) {
        std::string const& file = options.plan.empty() ? options.arguments.front() : options.plan;
        auto const methods = s.workspace().root().encryption();
        if (!methods) return s.report(methods.error());
        auto saved = workspace::read_plan(file, (*methods)->plan);
        if (saved) return show_plan(s, options.html, std::move(*saved));
        bool const may_be_state = options.plan.empty() && options.html.empty();
        auto const state = may_be_state ? state_in_file(file) : std::nullopt;
        return state ? show_state(s, *state) : s.report(saved.error());
    }
    auto const state = state_to_show(s, options.at);
    return state ? show_state(s, *state) : s.report(state.error());
}

auto output(output_options const& options, session const& s) -> int
{
    infra::diagnostics problems;
    if (options.raw && options.json) return s.report(make_error(messages::raw_and_json_output));
    auto const state = options.state ? state_of_option(s, *options.state) : s.workspace().read_state();
    if (!state) return s.report(state.error());
    auto const outputs = outputs_of(*state, problems);
    auto* const document = s.document();
    if (options.arguments.empty()) {
        if (options.raw) {
            problems.add(make_error(messages::raw_output_without_name));
            return s.report(problems);
        }
        if (document != nullptr) *document << views::outputs_json(outputs) << '\n';
        if (options.json) return s.report(problems);
        if (outputs.empty()) problems.add(views::no_outputs_warning());
        else s.out() << views::outputs_text(outputs, s.text().show_sensitive);
        return s.report(problems);
    }
    std::string const& name = options.arguments.front();
    auto const at = std::find_if(outputs.begin(), outputs.end(), [&](auto const& o) { return o.name == name; });
    if (outputs.empty() && !options.json && !options.raw) problems.add(views::no_outputs_warning());
    else if (at == outputs.end()) problems.add(views::no_such_output_error(name, outputs));
    else {
        if (document != nullptr) *document << views::output_json(*at) << '\n';
        if (options.raw) {
            auto const text = views::raw_output_text(*at);
            if (!text) return s.report(text.error());
            s.out() << *text;
        } else if (!options.json) s.out() << views::output_text(*at);
    }
    return s.report(problems);
}

// The program whose place this one takes: wrappers read its name and version in the first line.
struct replaced_program {
    std::string_view name;  ///< empty: this program was called by its own name
    std::string_view version;
};

auto replaced() -> replaced_program
{
    std::string_view const called_by = ::program_invocation_short_name;
    if (called_by == "terraform") return {"Terraform", language::terraform_versions.newest};
    if (called_by == "tofu") return {"OpenTofu", language::opentofu_versions.newest};
    return {{}, language::terraform_versions.newest};
}

// The built-in providers that have the types of a release of the real one.
template <class Function>
void for_each_built_in_release(Function f)
{
    for (auto const& one : providers::built_in_providers())
        if (!one->release().empty()) f(one->address(), one->release());
}

auto version(document_options const& options, session const& s) -> int
{
    auto const [name, as_version] = replaced();
    auto const locks = packages::lock_file::read(s.workspace().options().directory / packages::lock_file::name);
    auto const platform = packages::platform::current().text();
    if (options.json) {
        json_object selections;
        if (locks)
            for (auto const& [of, locked] : locks->providers) selections.text(of.address(), locked.selected.text());
        json_object built_in;
        for_each_built_in_release([&](auto address, auto release) { built_in.text(address, release); });
        auto const document = json_object()
                                  .text("format_version", "1.0")
                                  .text("terraform_version", as_version)
                                  .text("iacctl_version", own_version())
                                  .text("platform", platform)
                                  .raw("provider_selections", selections.done())
                                  .raw("built_in_providers", built_in.done())
                                  .done();
        s.out() << indented_json(document) << '\n';
    } else {
        if (!name.empty()) s.out() << name << " v" << as_version << '\n';
        s.out() << "iacctl v" << own_version() << "\ncompatible with Terraform "
                << language::text_of(language::terraform_versions) << " and OpenTofu "
                << language::text_of(language::opentofu_versions) << "\non " << platform << '\n';
        if (locks)
            for (auto const& [of, locked] : locks->providers)
                s.out() << "+ provider " << of.address() << " v" << locked.selected.text() << '\n';
        std::string built_in;
        for_each_built_in_release([&](auto address, auto release) {
            built_in += (built_in.empty() ? "" : ", ") + shown_provider(address) + " " + std::string(release);
        });
        s.out() << "with built-in " << built_in << '\n';
    }
    // The version is printed even without the lock file.
    if (!locks) static_cast<void>(s.show(locks.error().why()));
    return 0;
}

// The instances in state that the arguments and -id select; nothing after an error.
auto selected_instances(session const& s, state_list_options const& options, infra::diagnostics& problems)
    -> std::optional<std::vector<views::resource_view>>
{
    auto const state = options.state ? state_of_option(s, *options.state) : s.workspace().read_state();
    if (!state) {
        problems.add(state.error().why());
        return std::nullopt;
    }
    if (state->lineage.empty()) {
        problems.add(make_error(messages::no_state, {s.workspace().name()}));
        return std::nullopt;
    }
    auto resources = view_of(*state, s.schemas(), problems).resources;
    if (!options.arguments.empty()) {
        std::vector<infra::address> desired;
        for (std::string const& text : options.arguments) {
            auto parsed = read_target(text);
            if (parsed) desired.push_back(std::move(*parsed));
            else problems.add(make_error(messages::unreadable_address, {text, mistake_in(parsed.error())}));
        }
        for (infra::address const& one : desired)
            if (std::ranges::none_of(
                    resources, [&](auto const& r) { return infra::is_target(one, r.address, false); })) {
                problems.add(unknown_in_state(one, *state));
                return std::nullopt;
            }
        std::erase_if(resources, [&](auto const& r) { return !infra::is_any(desired, r.address, false); });
    }
    if (options.id)
        std::erase_if(resources, [&](auto const& r) {
            auto const* const id = r.attributes.find("id");
            bool const text = id != nullptr && id->has_data() && id->is(language::type_kind::string);
            return !text || id->as_string() != *options.id;
        });
    return resources;
}

auto state_list(state_list_options const& options, session const& s) -> int
{
    infra::diagnostics problems;
    if (auto const resources = selected_instances(s, options, problems)) s.out() << views::state_list_text(*resources);
    return s.report(problems);
}

auto state_identities(state_identities_options const& options, session const& s) -> int
{
    if (!options.json) return s.report(make_error(messages::json_required, {s.runs().name}));
    infra::diagnostics problems;
    if (auto const resources = selected_instances(s, options, problems)) {
        std::map<std::string, std::string> identities;
        for (views::resource_view const& one : *resources)
            if (one.deposed_key.empty() && !one.identity.empty())
                identities.emplace(to_string(one.address), one.identity);
        json_object all;
        for (auto const& [address, identity] : identities) all.raw(address, identity);
        s.out() << indented_json(all.done()) << '\n';
    }
    return s.report(problems);
}

// Reports errors of `state show`: with -json, as members of the document.
auto refuse_to_show(session const& s, infra::diagnostics const& problems) -> int
{
    if (auto* const to = s.document()) *to << views::instance_json(messages::with_text(problems)) << '\n';
    return s.report(problems);
}

auto state_show(state_show_options const& options, session const& s) -> int
{
    if (options.at && options.state) return refuse_to_show(s, {make_error(messages::sequence_of_plan)});
    auto const state = options.state ? state_of_option(s, *options.state) : state_to_show(s, options.at);
    if (!state) return refuse_to_show(s, state.error().why());
    infra::diagnostics problems;
    if (options.at && options.arguments.empty()) return show_state(s, *state);
    if (options.arguments.size() != 1)
        return refuse_to_show(
            s, {make_error(messages::arguments_missing, {s.runs().name, "one argument: the address of an instance"})});
    std::string const& text = options.arguments.front();
    auto const target = read_instance(text);
    if (!target)
        return refuse_to_show(s, {make_error(messages::instance_address_required, {text, mistake_in(target.error())})});
    for (auto const& r : view_of(*state, s.schemas(), problems).resources) {
        if (r.address != *target || !r.deposed_key.empty()) continue;
        if (auto* const to = s.document()) *to << views::instance_json(r) << '\n';
        if (!options.json) s.out() << views::resource_text(r, s.text());
        return s.report(problems);
    }
    return refuse_to_show(s, {make_error(messages::instance_not_in_state, {address_suggestion(text, *state)})});
}

auto state_pull(backend_options const&, session const& s) -> int
{
    auto const state = s.workspace().read_state();
    if (!state) return s.report(state.error());
    if (!state->lineage.empty()) s.out() << state::to_v4(*state, language::language_version);
    return 0;
}

constexpr std::string_view examples_of_output[] = {"iacctl output -raw address", "iacctl output -json"};

}  // namespace

constinit command const validate_command{"validate", {.configuration = configuration_use::values, .providers = true},
    begin<validate>, "Check the configuration",
    "Checks the configuration of the directory without reading state or any object."};

constinit command const show_command{"show", {.backend = true, .providers = true}, begin<show>,
    "Show a state or a saved plan",
    "Shows the state of the workspace, or the content of FILE, which is a saved plan or a state in Terraform's format.",
    {"[FILE]", 1, completion::file}};

constinit command const output_command{"output", {.backend = true, .providers = true}, begin<output>,
    "Show output values", "Shows the output values of the root module in state, or only the output value NAME.",
    {.usage = "[NAME]", .most = 1, .too_many = &messages::unexpected_output_argument}, examples_of_output};

constinit command const version_command{"version", {}, begin<version>, "Show the version",
    "Shows the version of iacctl, and the version of Terraform that it is compatible with."};

constinit command const state_list_command{"state list", {.backend = true, .providers = true}, begin<state_list>,
    "List the instances in state", "Lists the addresses of all instances in state, or of those that belong to ADDRESS.",
    {"[ADDRESS...]", any_number, completion::address}};

constinit command const state_identities_command{"state identities", {.backend = true, .providers = true},
    begin<state_identities>, "List the identities of instances in state",
    "Prints a JSON object with the identity of each instance in state, or of those that belong to ADDRESS. Only "
    "instances to which their provider has given an identity are listed. Requires -json.",
    {"[ADDRESS...]", any_number, completion::address}};

constinit command const state_show_command{"state show", {.backend = true, .providers = true}, begin<state_show>,
    "Show an instance in state", "Shows the attributes of one instance.", {"ADDRESS", any_number, completion::address}};

constinit command const state_pull_command{"state pull", {.backend = true, .providers = true}, begin<state_pull>,
    "Print state in Terraform's format", "Prints the state of the workspace in Terraform's format, version 4."};

}  // namespace iacctl::commands
