// SPDX-License-Identifier: BSL-1.0
#include "plan_commands.hpp"

#include "base/environment.hpp"
#include "base/shell_words.hpp"
#include "cli/telemetry/progress_report.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "placement.hpp"
#include "run_progress.hpp"
#include "run_records.hpp"
#include "session.hpp"
#include "views.hpp"
#include "views/diagnostic_text.hpp"
#include "views/plan_text.hpp"
#include "views/progress.hpp"
#include "views/state_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct destroy_options : apply_options {
    destroy_options() { named_mode = infra::plan_mode::destroy; }
};

struct refresh_options : apply_options {
    void declare(option_list& to)
    {
        planning_options::declare(to);
        variable_options::declare(to);
        to.begin_group("Output options");
        declare_trace(to);
        json_file_options::declare(to);
        placement_options::declare(to);
        running_options::declare(to);
        lock_options::declare(to);
        state_file_options::declare(to);
        message_options::declare(to);
    }
};

void show_plan(session const& s, workspace::prepared_plan const& plan)
{
    auto view = view_of(plan.plan, s.schemas(), shown_changes::to_be_made);
    // Relevant attributes are computed only if there are changes outside of the program.
    if (!view.drift.empty()) view.relevant = relevant_of(*plan.desired, plan.plan);
    if (auto* const to = s.stream()) to->plan(view);
    if (!s.machine_readable()) views::write_plan_text(s.out(), view, s.text());
}

auto write_plan_file(session const& s, std::string const& file, workspace::saved_plan const& saved) -> int
{
    auto const methods = s.workspace().root().encryption();
    if (!methods) return s.report(methods.error());
    auto const written = workspace::write_plan(file, saved, (*methods)->plan);
    return written ? 0 : s.report(written.error());
}

// Makes and shows a plan, but not yet its warnings.
// \param out  the file for the plan, also for an incomplete one; empty: none
auto plan_and_show(session const& s, run_options const& options, state::open_mode mode, std::string const& out)
    -> or_exit<workspace::prepared_plan>
{
    auto parameters = read_plan_parameters(s, options);
    if (!parameters) return parameters.error();
    parameters->mode = mode;
    parameters->options.shown_only = mode == state::open_mode::read_only && out.empty() && options.html.empty();
    auto const selected = parameters->options;
    run_progress progress(s, options.concise);
    auto planned = s.workspace().plan(std::move(*parameters), {progress.observer(), {}});
    (void)progress.end();
    bool const shown = options.named_mode != infra::plan_mode::refresh_only;
    if (planned.made && shown) show_plan(s, *planned.made);
    if (!planned.ok()) {
        infra::diagnostics reported;
        if (planned.made) {
            write_records(s, options, *planned.made);
            if (!out.empty()) (void)write_plan_file(s, out, planned.made->plan);
            reported = std::move(planned.made->warnings);
        }
        reported.add(std::move(planned.problems));
        int const code = s.report(reported);
        return exit_code{planned.interrupted ? interrupted_code : code};
    }
    workspace::prepared_plan& p = *planned.made;
    if (!shown && p.start.resources.empty()) p.warnings.add(make_warning(messages::nothing_to_refresh));
    p.warnings.add(unmatched_selections(selected, p));
    return *std::move(planned.made);
}

auto confirmed(session const& s, infra::plan_mode mode) -> bool
{
    if (!s.may_ask()) {
        s.err() << views::diagnostic_text(make_error(messages::approval_impossible), s.text());
        return false;
    }
    s.out() << views::approval_question(mode, s.text()) << std::flush;
    bool const approved = s.read_answer() == "yes";
    s.out() << '\n';
    if (!approved) s.out() << views::approval_refused_text(mode);
    return approved;
}

// The command that applies a saved plan in the directory and with the state of this command.
auto next_command(session const& s, std::optional<std::string> const& state_file) -> std::string
{
    std::string made = s.directory().empty() ? std::string() : "-chdir=" + shell_word(s.directory()) + " ";
    made += "apply";
    if (state_file) made += " -state=" + shell_word(*state_file);
    return made;
}

auto carry_out(session const& s, apply_options const& options, workspace::prepared_plan p) -> int
{
    bool const only_refreshes = options.named_mode == infra::plan_mode::refresh_only;
    bool const partial = (p.plan.what.targeted && !p.plan.what.only_invokes()) || p.plan.what.excluding;
    views::apply_counts done;
    for (auto const& c : p.plan.what.changes) {
        done.imported += c.import_id ? 1U : 0U;
        done.forgotten += c.what == infra::action::forget || c.what == infra::action::forget_then_create ? 1U : 0U;
    }
    if (only_refreshes) p.plan.checks = {};
    std::string left;  // objects that a destroy has removed from state without destroying them
    if (p.plan.what.mode == infra::plan_mode::destroy)
        for (auto const& c : p.plan.what.changes)
            if (c.what == infra::action::forget) left += "\n - " + to_string(c.target);

    run_progress progress(s, options.concise, p.plan.what);
    auto const interrupted = [&](int count) {
        if (!s.machine_readable())
            progress.print(
                count == 1 ? views::interrupted_text() + views::stopping_text() : views::interrupted_again_text());
    };
    auto applied = s.workspace().apply(std::move(p), {progress.observer(), interrupted});
    if (auto const durations = progress.end())
        s.out() << views::durations_block(*durations, views::painter(s.text().colour));
    s.out() << std::flush;
    int const failed = s.report(applied.problems);
    if (!applied.ran) return failed;
    (void)s.report(applied.of_saving);
    applied.unsaved->saved();
    write_records(s, options, p, applied, options.limits.max_concurrency());
    if (applied.interrupted > 0) return interrupted_code;
    infra::apply_report const& report = applied.report;
    if (!report.ok()) return 1;

    infra::diagnostics problems;
    if (partial && !only_refreshes) problems.add(make_warning(messages::incomplete_apply));
    auto const outputs = outputs_of(report.state, problems);
    if (!left.empty() && !options.suppress_forget_errors)
        problems.add(make_error(messages::destroy_left_objects, {left}));
    int const code = s.report(problems);
    if (code != 0) return code;  // the summary of a run states a success
    done.added = report.added;
    done.changed = report.changed;
    done.destroyed = report.destroyed;
    done.invoked = report.invoked;
    bool const destroys = options.named_mode == infra::plan_mode::destroy;
    if (auto* const to = s.stream()) {
        if (!only_refreshes) to->applied(done, destroys);
        if (!destroys) to->outputs(outputs);
    }
    if (s.machine_readable()) return code;
    views::painter const paint(s.text().colour);
    if (destroys) s.out() << views::destroy_summary(done, paint);
    else
        s.out() << (only_refreshes ? "" : views::apply_summary(done, paint))
                << views::outputs_block(outputs, s.text().show_sensitive, paint);
    return code;
}

auto make_plan(plan_options const& options, session const& s) -> int
{
    if (int const refused = check_records(s, options); refused != 0) return refused;
    if (auto* const to = s.stream()) to->version(language::language_version);
    if (auto const wrong = placement_problems(options); !wrong.empty()) return s.report(wrong);
    auto const policies = plan_policies::read(s, options);
    if (!policies) return policies.error().value;
    auto p = plan_and_show(s, options, state::open_mode::read_only, options.out);
    if (!p) return p.error().value;
    p->warnings.add(p->plan.what.check_warnings);
    p->state.unlock();
    write_records(s, options, *p);
    if (int const code_of_warnings = s.report(p->warnings); code_of_warnings != 0) return code_of_warnings;
    if (int const refused = policies->check(s, *p); refused != 0) return refused;
    if (!options.out.empty()) {
        if (int const failed = write_plan_file(s, options.out, p->plan); failed != 0) return failed;
    }
    bool const guided = !s.machine_readable() && environment_variable("TF_IN_AUTOMATION").empty();
    if (p->plan.what.has_changes() && guided)
        s.out() << views::next_step_text(options.out, p->plan.generated.empty() ? std::string() : options.generated,
            s.text(), next_command(s, options.state_file));
    else if (!options.out.empty()) s.tell_written("plan", options.out);
    bool const present = p->plan.what.has_changes() || !p->plan.what.deferred.empty();
    return options.detailed_exit_code && present ? changes_present : 0;
}

auto apply(apply_options const& options, session const& s) -> int
{
    if (int const refused = check_records(s, options); refused != 0) return refused;
    if (auto* const to = s.stream()) to->version(language::language_version);
    if (auto const wrong = placement_problems(options); !wrong.empty()) return s.report(wrong);
    if (s.machine_readable() && options.arguments.empty() && !options.auto_approve)
        return s.report(make_error(messages::approval_impossible_with_json));
    auto const policies = plan_policies::read(s, options);
    if (!policies) return policies.error().value;
    if (!options.arguments.empty()) {
        if (options.destroy || options.defers
            || std::ranges::any_of(std::array{&options.targets, &options.excludes, &options.target_files,
                                       &options.exclude_files, &options.replace, &options.invoke},
                [](auto const* all) { return !all->empty(); }))
            return s.report(make_error(messages::changed_saved_plan));
        auto saved = s.workspace().reopen(options.arguments.front());
        int const code = s.report(saved.problems);
        if (!saved.ok()) return std::max(code, 1);
        if (int const refused = policies->check(s, *saved.made); refused != 0) return refused;
        bool const destroys = saved.made->plan.what.mode == infra::plan_mode::destroy;
        if (destroys && s.json_file() != nullptr) telemetry::progress_report::rename(*s.json_file(), "destroy");
        if (auto* const to = s.stream())
            to->planned_changes(view_of(saved.made->plan, s.schemas(), shown_changes::to_be_made));
        return carry_out(s, options, std::move(*saved.made));
    }
    auto p = plan_and_show(s, options, state::open_mode::read_write, {});
    if (!p) return p.error().value;
    if (!options.auto_approve) p->warnings.add(p->plan.what.check_warnings);
    if (int const refused = policies->check(s, *p); refused != 0) {
        (void)s.report(p->warnings);
        return refused;
    }
    if (p->plan.what.has_changes() && !options.auto_approve) {
        (void)s.report(std::exchange(p->warnings, {}));
        bool const invokes = !p->plan.what.invocations.empty();
        if (!confirmed(s, invokes ? infra::plan_mode::normal : p->plan.what.mode)) return 1;
    }
    return carry_out(s, options, std::move(*p));
}

auto destroy(destroy_options const& options, session const& s) -> int
{
    return apply(options, s);
}

auto refresh(refresh_options const& options, session const& s) -> int
{
    apply_options applied = options;
    applied.named_mode = infra::plan_mode::refresh_only;
    applied.refresh_only = true;
    applied.auto_approve = true;
    return apply(applied, s);
}

constexpr std::string_view examples_of_plan[] = {
    "iacctl plan -out=tomorrow.plan", "iacctl plan -target=module.network -var='region=eu-west-1'"};
constexpr std::string_view examples_of_apply[] = {
    "iacctl apply", "iacctl apply tomorrow.plan", "iacctl apply -auto-approve -parallelism=50,aws_instance=10"};

}  // namespace

constinit command const plan_command{"plan",
    {.configuration = configuration_use::values,
        .configuration_required = true,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<make_plan>, "Show the changes that the configuration requires",
    "Reads the present objects, compares them with the configuration, and shows the operations that \"iacctl apply\" "
    "would carry out. Changes nothing.",
    {}, examples_of_plan};

constinit command const apply_command{"apply",
    {.configuration = configuration_use::values,
        .configuration_required = true,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<apply>, "Create or update infrastructure",
    "Makes a plan, asks for approval, and carries it out. With PLAN, carries out this saved plan without asking.",
    {"[PLAN]", 1, completion::file}, examples_of_apply};

constinit command const destroy_command{"destroy",
    {.configuration = configuration_use::values,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<destroy>, "Destroy all objects of the workspace",
    "Makes a plan that destroys all objects, asks for approval, and carries it out. The same as \"iacctl apply "
    "-destroy\"."};

constinit command const refresh_command{"refresh",
    {.configuration = configuration_use::values,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<refresh>, "Update state to match the present objects",
    "Reads the present objects and updates state. The same as \"iacctl apply -refresh-only -auto-approve\"."};

}  // namespace iacctl::commands
