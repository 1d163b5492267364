// SPDX-License-Identifier: BSL-1.0
#include "session.hpp"

#include "backend.hpp"
#include "language/validation/validate.hpp"
#include "messages/exit_codes.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "plan_integrity.hpp"
#include "program/diagnostics.hpp"
#include "providers/provider_set.hpp"
#include "providers/provisioners.hpp"
#include "read_answer.hpp"
#include "state/workspace_files.hpp"
#include "sudden_end.hpp"
#include "ui/diagnostic_text.hpp"
#include "ui/plan_text.hpp"
#include "ui/state_text.hpp"
#include "ui/worded.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

extern char** environ;

namespace iacctl::commands {

namespace {

auto environment() -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view const text = *entry;
        auto const equals = text.find('=');
        if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

// The commands that plan, and so need variables.
struct planning_command {
    std::string_view name;
    bool streams;  // with -json, all that they say
};
constexpr std::array<planning_command, 5> planning_commands{
    {{"plan", true}, {"apply", true}, {"destroy", true}, {"refresh", true}, {"import", false}}};

auto find_planning(std::string_view command) noexcept -> planning_command const*
{
    auto const* const found = std::ranges::find(planning_commands, command, &planning_command::name);
    return found == planning_commands.end() ? nullptr : found;
}

constexpr int stale_plan_code = 6;

// Of two exit codes of diagnostics, the one of the worse: state that was not saved or is damaged comes before all else.
auto worse_code(int one, int other) noexcept -> int
{
    static constexpr std::array ranking{0, 1, stale_plan_code, 3, 7, 4, 5};
    return std::ranges::find(ranking, one) < std::ranges::find(ranking, other) ? other : one;
}

constexpr std::array supported_backends{std::string_view("local")};

void check_files(request const& asked, language::configuration const& of, language::diagnostics& found)
{
    bool const needed =
        (asked.command == "plan" || asked.command == "apply" || asked.command == "graph") && !asked.destroy;
    if (of.files.empty() && needed && !found.has_errors())
        found.add(language::error("No configuration files",
            "This directory has no file named *.tf or *.tf.json. Change to a directory with a configuration, or name "
            "one with -chdir."));
}

void take(language::diagnostics const& found, infra::diagnostics& problems)
{
    for (auto& d : program::convert(found)) problems.push_back(std::move(d));
}

}  // namespace

void check_supported(language::configuration const& of, language::diagnostics& found)
{
    language::for_each_module(
        of, [&](language::configuration const& one) { language::refuse_unsupported_blocks(one, found); });
    if (of.backend
        && std::find(supported_backends.begin(), supported_backends.end(), of.backend->type)
            == supported_backends.end())
        found.add(language::error("Unsupported backend type",
            "There is no backend type named \"" + of.backend->type
                + "\" in this version. Supported: \"local\", which keeps state in an SQLite database beside the "
                  "configuration.",
            of.backend->type_range));
}

auto texts_of(language::configuration const& of) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> texts;
    language::for_each_module(of, [&](language::configuration const& module) {
        for (auto const& tree : module.files) texts.emplace(tree->file().name(), tree->file().text());
    });
    return texts;
}

auto known_schemas::resource(std::string_view type) const -> language::schema const*
{
    auto const* const known = providers::provider_set::find(type);
    return known == nullptr ? nullptr : &known->schema();
}

auto known_schemas::data_source(std::string_view type) const -> language::schema const*
{
    auto const* const known = providers::provider_set::find_data(type);
    return known == nullptr ? nullptr : &known->schema();
}

auto known_schemas::provisioner(std::string_view type) const -> language::schema const*
{
    return providers::provisioner_schema(type);
}

auto known_schemas::connection() const -> language::schema const*
{
    return &providers::connection_schema();
}

auto known_schemas::provider(std::string_view address) const -> language::schema const*
{
    auto const found = providers::provider_set::find_provider(address);
    return found.empty() ? nullptr : providers::provider_set::settings_of(found);
}

auto known_schemas::has_provider(std::string_view address) const -> bool
{
    return !providers::provider_set::find_provider(address).empty();
}

auto known_schemas::belongs_to(language::schema const& type, std::string_view provider) const -> bool
{
    auto const theirs = [&](auto const& all) {
        auto const one = std::ranges::find_if(all, [&](auto const* known) { return &known->schema() == &type; });
        return one != all.end() && (*one)->provider() == providers::provider_set::find_provider(provider);
    };
    return theirs(providers::provider_set::types()) || theirs(providers::provider_set::data_types());
}

auto session::tell(infra::diagnostics const& all) const -> int
{
    int const code = show(all);
    told_ = worse_code(told_, code);
    return code;
}

auto session::exit_code(int of_command) const noexcept -> int
{
    // Codes of commands (changes are present, interrupted) are more precise than "some error", but not than errors of state.
    return told_ > 1 || of_command == 0 ? told_ : of_command;
}

auto session::show(infra::diagnostics const& all) const -> int
{
    // Errors come in the order in which they were found, warnings by place: those without one first.
    std::vector<infra::diagnostic const*> order;
    for (infra::diagnostic const& d : all) order.push_back(&d);
    std::ranges::stable_sort(order, {}, [](infra::diagnostic const* d) {
        bool const warning = d->level == infra::severity::warning;
        auto const at = warning ? d->source : infra::source_excerpt();
        auto const depth = std::ranges::count(at.file, '/');  // of modules after those of their callers
        return std::tuple(!warning, depth, at.file, at.line);
    });
    int code = 0;
    infra::diagnostics sorted;
    for (infra::diagnostic const* const one : order) sorted.push_back(ui::worded(*one));
    for (infra::diagnostic const& d : ui::consolidated(sorted)) {
        bool const error = d.level == infra::severity::error;
        if (machine_readable()) stream().diagnostic(d);
        else (error ? err() : out()) << ui::diagnostic_text(d, text_);
        if (error) code = worse_code(code, messages::exit_code_of(d.code));
    }
    return code;
}

auto session::check_configuration(language::diagnostics& found) const -> language::configuration
{
    auto configuration = language::load_configuration(".", found);
    check_files(asked(), configuration, found);
    // After mistakes in syntax much would seem to be missing; other mistakes do not hide each other.
    if (configuration.complete) language::validate(configuration, known_schemas(), found);
    return configuration;
}

auto session::load_configuration(infra::diagnostics& problems) const -> std::optional<language::configuration>
{
    language::diagnostics found;
    auto configuration = check_configuration(found);
    if (!found.has_errors()) check_supported(configuration, found);
    if (!found.has_errors()) check_backend(configuration, workspace(), found);
    found.sort();
    take(found, problems);
    if (found.has_errors()) return std::nullopt;
    return configuration;
}

auto session::variables_of(language::configuration const& of, language::diagnostics& found) const
    -> language::variable_values
{
    language::variable_inputs inputs;
    inputs.options = asked().variables;
    inputs.environment = environment();
    if (may_ask() && !found.has_errors())
        inputs.ask = [&](language::variable const& v) -> std::optional<std::string> {
            out() << ui::variable_question(v.name, v.description, text_) << std::flush;
            auto given = read_answer(v.sensitive);
            out() << '\n';
            return given;
        };
    return language::collect_variables(of, inputs, found);
}

auto session::machine_readable() const noexcept -> bool
{
    auto const* const planning = find_planning(asked().command);
    return planning != nullptr && planning->streams && asked().json;
}

auto session::may_ask() const -> bool
{
    static constexpr std::array<std::string_view, 6> no{"0", "f", "F", "false", "False", "FALSE"};
    char const* const wish = std::getenv("TF_INPUT");
    bool const unwished = wish != nullptr && std::find(no.begin(), no.end(), wish) != no.end();
    return asked().input && !asked().json && !unwished && find_planning(asked().command) != nullptr;
}

auto session::load_program(infra::diagnostics& problems, std::string const& added) const
    -> std::unique_ptr<program::hcl_program>
{
    auto configuration = load_configuration(problems);
    if (!configuration) return nullptr;
    language::diagnostics found;
    if (!added.empty()) {
        auto texts = texts_of(*configuration);
        std::string name = "generated.tf";
        while (texts.contains(name)) name.insert(0, "_");
        texts.emplace(std::move(name), added);
        configuration = language::load_configuration(texts, found);
    }
    auto given = variables_of(*configuration, found);
    take(found, problems);
    if (found.has_errors()) return nullptr;
    std::map<std::string, language::value> values(given.values.begin(), given.values.end());
    auto made = std::make_unique<program::hcl_program>(std::move(*configuration), std::move(values), workspace());
    for (infra::diagnostic& d : made->contradictions()) problems.push_back(std::move(d));
    return made;
}

auto session::variables_of(saved_plan const& of, language::configuration const& configuration,
    language::diagnostics& found) const -> std::map<std::string, language::value>
{
    if (asked().command != "apply") return of.variables;
    language::variable_inputs inputs;
    inputs.options = asked().variables;
    inputs.environment = environment();
    inputs.fixed = of.variables;
    inputs.planned = true;
    for (auto const& option : inputs.options)
        if (option.kind == language::variable_option::option_kind::assignment)
            inputs.fixed.erase(option.text.substr(0, option.text.find('=')));
    auto const given = language::collect_variables(configuration, inputs, found).values;
    for (auto const& [name, planned] : of.variables) {
        auto const now = given.find(name);
        if (now == given.end() || now->second.unmarked_deep() == planned.unmarked_deep()) continue;
        found.add(language::error("Can't change variable when applying a saved plan",
            "The variable " + name
                + " cannot be set using the -var and -var-file options when applying a saved plan file, because a "
                  "saved "
                  "plan includes the variable values that were set when it was created. The saved plan specifies "
                + ui::value_text(planned) + " as the value whereas during apply the value "
                + ui::value_text(now->second)
                + " was set by a CLI argument. To declare an ephemeral variable which is not saved in the plan file, "
                  "use ephemeral = true."));
    }
    return {given.begin(), given.end()};
}

auto session::load_program(saved_plan const& of, infra::diagnostics& problems) const
    -> std::unique_ptr<program::hcl_program>
{
    language::diagnostics found;
    auto configuration = language::load_configuration(of.files, found);
    auto variables = found.has_errors() ? of.variables : variables_of(of, configuration, found);
    take(found, problems);
    if (found.has_errors()) return nullptr;
    auto made = std::make_unique<program::hcl_program>(std::move(configuration), std::move(variables), of.workspace);
    made->set_plan_time(of.created);
    if (auto const why = find_contradiction(of, *made); !why.empty()) {
        problems.push_back(infra::make_error("Saved plan contradicts its configuration",
            "The plan file is not one that was written by \"iacctl plan\": " + why
                + ". Nothing was done. Make the plan again."));
        return nullptr;
    }
    return made;
}

auto session::read_state() const -> infra::checked<infra::snapshot>
{
    return store(state::open_mode::read_only).read_now();
}

auto session::record(state::sqlite_store& store, infra::snapshot& now, std::vector<infra::journal_entry> const& entries,
    std::optional<std::uint64_t> serial) const -> int
{
    auto const generation = store.begin_generation(asked().command);
    if (!generation) return tell(generation.error());
    unsaved_changes changes;
    for (auto const& entry : entries) (void)replay(now, entry);
    now.serial = serial.value_or(now.serial);
    if (auto const error = store.append_now(entries, now)) {
        if (auto const failure = store.last_failure()) return tell(*failure);
        return tell(infra::failure(messages::make_error(messages::state_not_saved,
            {state::workspace_files(workspace_directory()).database().string(), error.message()})));
    }
    if (auto const untidy = store.end_generation("complete")) return tell(*untidy);
    changes.saved();
    return 0;
}

auto session::lock(std::string const& operation, std::filesystem::path const& directory) const
    -> infra::checked<std::optional<state::workspace_lock>>
{
    if (!asked().lock) return std::optional<state::workspace_lock>();
    auto const timeout = std::chrono::milliseconds(static_cast<std::int64_t>(asked().lock_timeout * 1000));
    auto held = state::workspace_lock::acquire(directory, operation, timeout);
    if (!held) return held.error();
    return std::optional<state::workspace_lock>(std::move(*held));
}

}  // namespace iacctl::commands
