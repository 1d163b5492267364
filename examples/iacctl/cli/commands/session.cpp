// SPDX-License-Identifier: BSL-1.0
#include "session.hpp"

#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/shown_text.hpp"
#include "base/timestamp.hpp"
#include "base/url_secrets.hpp"
#include "interrupts.hpp"
#include "messages/exit_codes.hpp"
#include "messages/with_text.hpp"
#include "placement.hpp"
#include "read_answer.hpp"
#include "views/diagnostic_text.hpp"
#include "views/plan_text.hpp"
#include "workspace/available_providers.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

constexpr int stale_plan_code = 6;

// The more severe one of two exit codes of diagnostics: the most severe ones are those of unsaved or damaged state.
auto worse_code(int number, int other) noexcept -> int
{
    static constexpr std::array ranking{0, 1, interrupted_code, stale_plan_code, 3, 7, 4, 5};
    return std::ranges::find(ranking, number) < std::ranges::find(ranking, other) ? other : number;
}

// The settings that no option changes.
auto usual_settings() -> workspace::settings
{
    workspace::settings all;
    if (auto named = environment_variable("TF_DATA_DIR"); !named.empty()) all.data_directory = std::move(named);
    return all;
}

// The settings from the command line and the environment.
auto settings_of(command const& runs, session_options const& options, std::string workspace,
    workspace::interrupt_source* interrupts) -> workspace::settings
{
    auto all = usual_settings();
    all.workspace = std::move(workspace);
    all.operation = runs.name;
    all.configuration_required = runs.needs.configuration_required && !options.destroys;
    all.reads_queries = options.queries;
    all.validation.reported = options.deprecations;
    all.variables = options.variables;
    auto const variables = environment();
    all.environment.insert(variables.begin(), variables.end());
    all.lock = options.lock;
    all.lock_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.lock_timeout);
    all.limits = options.limits;
    all.emergency_directory = options.emergency_directory;
    all.emergency_output = STDOUT_FILENO;
    if (options.state_file) {
        std::string const& file = *options.state_file;
        std::string const out = options.state_out.value_or(file);
        std::string const backup = options.backup.value_or(out + ".backup");
        all.state_files = {file, out, backup == "-" ? std::string() : backup};
    }
    all.interrupts = interrupts;
    if (!runs.needs.providers) return all;
    all.providers =
        workspace::available_providers(all.directory, all.data_directory, all.environment, all.provider_problems);
    all.provider_problems.add_new(place_work(options, all));
    return all;
}

// Returns whether the times of operations are written to a file, or exported.
auto needs_times(record_options const& files, std::map<std::string, std::string> const& environment) -> bool
{
    return !files.trace.empty() || !files.html.empty() || environment.contains("OTEL_EXPORTER_OTLP_ENDPOINT")
        || environment.contains("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
}

}  // namespace

auto selection_here() -> workspace::workspace_selection
{
    auto const all = usual_settings();
    return {all.directory, all.data_directory};
}

session::session(command const& runs, session_options options, std::ostream& out, std::ostream& err,
    views::text_options text, std::string workspace, workspace::interrupt_source* interrupts, std::ostream* json_file)
    : runs_(&runs),
      options_(std::move(options)),
      out_(&out),
      err_(&err),
      text_(text),
      workspace_(with_report_of_locks(settings_of(runs, options_, std::move(workspace), interrupts)),
          may_ask() ? workspace::workspace::question([this](auto const& about) { return ask(about); }) : nullptr),
      schemas_(workspace_.options().providers),
      json_file_(json_file),
      stream_(json_file == nullptr ? out : *json_file, microsecond_text),
      recording_(needs_times(options_, workspace_.options().environment) ? std::make_unique<workspace::run_recording>()
                                                                         : nullptr)
{}

auto session::with_report_of_locks(workspace::settings all) const -> workspace::settings
{
    all.on_remaining_lock = [this](infra::failure const& why) { report(why); };
    return all;
}

session::~session()
{
    providers().close();
}

auto session::ask(language::variable const& about) const -> std::optional<std::string>
{
    out() << views::variable_question(about.name, about.description, text_) << std::flush;
    auto given = read_answer(about.sensitive);
    out() << '\n';
    return given;
}

auto session::read_answer(bool hidden) const -> std::optional<std::string>
{
    auto line = read_line_of_input(workspace_.options().interrupts, hidden);
    return line ? std::move(*line) : std::nullopt;
}

auto session::report(infra::diagnostics const& all) const -> int
{
    int const code = show(all);
    reported_ = worse_code(reported_, code);
    return code;
}

auto session::exit_code(int of_command) const noexcept -> int
{
    // Codes of commands (changes are present, interrupted) take precedence over that of a general error, but not over
    // those of errors of state.
    return reported_ > 1 || of_command == 0 ? reported_ : of_command;
}

auto session::is_failure(int exit_code) const noexcept -> bool
{
    return exit_code != 0 && !(exit_code == changes_present && options_.detailed_exit_code);
}

auto session::show(infra::diagnostics const& all) const -> int
{
    // Errors are in the order of detection, warnings are sorted by place: those without a place come first.
    infra::diagnostics sorted = messages::with_text(all);
    sorted.sort([](infra::diagnostic const& a, infra::diagnostic const& b) {
        auto const key = [](infra::diagnostic const& d) {
            bool const warning = d.level == infra::severity::warning;
            auto const file = warning ? std::string_view(d.source.file) : std::string_view();
            auto const depth = std::ranges::count(file, '/');  // warnings of modules come after those of their callers
            return std::tuple(!warning, depth, file, warning ? d.source.line : 0);
        };
        return key(a) < key(b);
    });
    int code = 0;
    // Programs count and group diagnostics themselves.
    if (auto* const to = stream())
        for (infra::diagnostic const& d : sorted) to->diagnostic(d);
    auto const shown = views::consolidated(sorted, {options_.consolidate_warnings, options_.consolidate_errors});
    bool const compact = options_.compact_warnings && !shown.has_errors();
    for (infra::diagnostic const& d : shown) {
        bool const error = d.level == infra::severity::error;
        if (error && !d.address.empty()) reported_of_.emplace(d.address, d.summary);
        write_log(error ? log_level::error : log_level::warn, "iacctl", d.summary,
            {{"code", d.code}, {"address", d.address}});
        // With -json, standard output has JSON only.
        bool const apart = error || prints_json();
        if (!machine_readable() && !compact) (apart ? err() : out()) << views::diagnostic_text(d, text_);
        if (error) code = worse_code(code, messages::exit_code_of(d.code));
        if (error && first_error_.empty()) first_error_ = d.code;
    }
    if (compact && !machine_readable()) out() << views::compact_diagnostics_text(shown, text_);
    return code;
}

auto session::machine_readable() const noexcept -> bool
{
    return prints_json() && stream() != nullptr;
}

auto session::stream() const noexcept -> views::json_stream*
{
    bool const requested = prints_json() || json_file_ != nullptr;
    return requested && options_.form == json_form::stream ? &stream_ : nullptr;
}

void session::tell(std::string_view text, std::string_view code) const
{
    std::string const line = without_url_secrets(text);
    if (auto* const to = stream()) to->step(line, code);
    if (!machine_readable()) out() << shown_text(line) << std::endl;
}

void session::tell_written(std::string_view what, std::string const& file) const
{
    if (!prints_json() && !is_special(file)) out() << "Wrote the " << what << ": " << shown_text(file) << std::endl;
}

auto session::document() const noexcept -> std::ostream*
{
    return prints_json() ? out_ : json_file_;
}

auto session::input_allowed() const -> bool
{
    static constexpr std::array<std::string_view, 6> no{"0", "f", "F", "false", "False", "FALSE"};
    bool const undesired = std::ranges::find(no, environment_variable("TF_INPUT")) != no.end();
    return options_.input && !undesired;
}

auto session::may_ask() const -> bool
{
    return input_allowed() && !prints_json() && runs().needs.terminal == terminal_use::questions;
}

}  // namespace iacctl::commands
