// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "engine_runner.hpp"
#include "language/configuration/version_constraint.hpp"
#include "planning.hpp"
#include "read_answer.hpp"
#include "relevant_attributes.hpp"
#include "state/foreign_state.hpp"
#include "state/rescue.hpp"
#include "state/state_error.hpp"
#include "sudden_end.hpp"
#include "ui/diagnostic_text.hpp"
#include "ui/plan_text.hpp"
#include "ui/progress.hpp"
#include "ui/state_text.hpp"
#include "views.hpp"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::event_kind;

constexpr int changes_present = 2;

// Turns events of the engine into lines.
auto watcher(session const& s, ui::progress_printer& printer) -> infra::observer<language::value>
{
    if (s.machine_readable()) return [&s](infra::event<language::value> const& e) { s.stream().event(e); };
    return [&printer](infra::event<language::value> const& e) {
        ui::progress_subject subject{to_string(e.target), e.deposed_key, {}};
        if (e.object != nullptr) subject.label = ui::label_of(*e.object);
        switch (e.kind) {
        case event_kind::refresh_started: printer.refreshing(subject); break;
        case event_kind::import_prepared: printer.import_prepared(subject.address, e.text); break;
        case event_kind::imported: printer.imported(subject.address, e.text); break;
        case event_kind::operation_started: printer.started(e.operation, subject); break;
        case event_kind::operation_running:
            printer.running(e.operation, subject, std::chrono::duration_cast<std::chrono::seconds>(e.elapsed));
            break;
        case event_kind::operation_done:
            printer.finished(e.operation, subject, std::chrono::duration_cast<std::chrono::seconds>(e.elapsed));
            break;
        case event_kind::refresh_done:
        case event_kind::operation_failed:
        case event_kind::provision_done:
        case event_kind::provision_failed: break;
        case event_kind::provision_started: printer.provisioning(subject.address, e.provisioner); break;
        case event_kind::provision_output: printer.provisioner_wrote(subject.address, e.provisioner, e.text); break;
        }
    };
}

// An instance of many has a key: who leaves it out asks for none of them.
void warn_of_replace(std::vector<std::string> const& asked, plan const& made, infra::diagnostics& warnings)
{
    for (std::string const& text : asked) {
        auto const parsed = infra::parse_address(text);
        if (!parsed) continue;
        infra::address const& a = *parsed;
        std::vector<std::string> instances;
        bool found = false;
        for (auto const& c : made.changes) {
            found = found || c.target == a;
            if (c.declaration != infra::no_declaration && !c.of_deposed && c.what != infra::action::destroy
                && c.target.resource() == a)
                instances.push_back(to_string(c.target));
        }
        if (found || instances.empty()) continue;
        std::string detail = "Your force-replace request for " + to_string(a)
            + " doesn't match any resource instances because it lacks an instance key.\n\nTo force replacement of "
            + (instances.size() == 1 ? "the single declared instance, use the following option"
                                     : "particular instances, use one or more of the following options")
            + " instead:";
        for (std::string const& instance : instances) detail += "\n  -replace=" + ui::quoted_text(instance);
        warnings.push_back(
            infra::make_warning("Incompletely-matched force-replace resource instance", std::move(detail)));
    }
}

void warn_of_targets(saved_plan const& of, infra::diagnostics& warnings)
{
    if (!of.what.targeted) return;
    if (of.what.excluding) {
        warnings.push_back(infra::make_warning("Resource targeting is in effect",
            "You are creating a plan with either the -target option or the -exclude option, which means that the "
            "result of this plan may not represent all of the changes requested by the current configuration.\n\nThe "
            "-target and -exclude options are not for routine use, and are provided only for exceptional situations "
            "such as recovering from errors or mistakes, or when OpenTofu specifically suggests to use it as part of "
            "an error message."));
        return;
    }
    warnings.push_back(infra::make_warning("Resource targeting is in effect",
        "You are creating a plan with the -target option, which means that the result of this plan may not represent "
        "all of "
        "the changes requested by the current configuration.\n\nThe -target option is not for routine use, and is "
        "provided "
        "only for exceptional situations such as recovering from errors or mistakes, or when Terraform specifically "
        "suggests to use it as part of an error message."));
}

void warn_of_forgotten(saved_plan const& of, infra::diagnostics& warnings)
{
    std::string names;
    for (auto const& c : of.what.changes)
        if (c.what == infra::action::forget) names += "\n - " + to_string(c.target);
    if (names.empty()) return;
    warnings.push_back(infra::make_warning("Some objects will no longer be managed by Terraform",
        "If you apply this plan, Terraform will discard its tracking information for the following objects, but it "
        "will "
        "not delete them:"
            + names
            + "\n\nAfter applying this plan, Terraform will no longer manage these objects. You will need to import "
              "them "
              "into Terraform to manage them again."));
}

auto full_view_of(prepared const& p) -> ui::plan_view
{
    auto view = view_of(p.plan);
    // Only what has changed behind our back may be relevant, or not.
    if (!view.drift.empty()) view.relevant = relevant_attributes(*p.wanted, view);
    return view;
}

// Plans, and shows the plan, but not yet its warnings. Nothing, and an exit code, if that was not possible.
auto plan_and_show(session const& s, state_access& state, int& code) -> std::optional<prepared>
{
    ui::progress_printer printer(s.out(), s.text().colour);
    bool const shown = s.asked().command != "refresh";
    auto const show_unfinished = [&](prepared& of) {
        if (!shown) return;
        auto view = full_view_of(of);
        view.errored = true;
        if (s.machine_readable()) s.stream().plan(view);
        else s.out() << ui::plan_text(view, s.text());
        warn_of_targets(of.plan, of.warnings);
    };
    auto p = plan_now(s, state, watcher(s, printer), code, show_unfinished);
    if (!p) return p;
    auto view = full_view_of(*p);
    for (ui::change_view& c : view.changes) c.generated_config = p->generated.contains(c.address);
    infra::diagnostics& warnings = p->warnings;
    if (shown && s.machine_readable()) s.stream().plan(view);
    else if (shown) s.out() << ui::plan_text(view, s.text());
    if (!shown && p->start.resources.empty())
        warnings.push_back(infra::make_warning("Empty or non-existent state",
            "There are currently no remote objects tracked in the state, so there is nothing to refresh."));
    warn_of_targets(p->plan, warnings);
    if (!p->generated.empty())
        warnings.push_back(infra::make_warning("Config generation is experimental",
            "Generating configuration during import is currently experimental, and the generated configuration format "
            "may change in future versions."));
    warn_of_replace(s.asked().replace, p->plan.what, warnings);
    warn_of_forgotten(p->plan, warnings);
    for (auto const& w : p->plan.what.warnings) warnings.push_back(w);
    if (!s.asked().auto_approve)
        for (auto const& w : p->plan.what.check_warnings) warnings.push_back(w);
    return p;
}

auto confirmed(session const& s, infra::plan_mode mode) -> bool
{
    if (!s.may_ask()) {
        s.err() << ui::diagnostic_text(infra::make_error("Cannot ask for approval",
                                           "The option -input=false, or TF_INPUT in the environment, forbids to ask. "
                                           "Add -auto-approve, or apply a saved plan."),
            s.text());
        return false;
    }
    s.out() << ui::approval_question(static_cast<ui::plan_mode>(mode), s.text()) << std::flush;
    bool const approved = read_answer() == "yes";
    s.out() << '\n';
    if (!approved) s.out() << ui::approval_refused_text(static_cast<ui::plan_mode>(mode));
    return approved;
}

// What could not be saved is written elsewhere: it is all that is known of what was done.
void rescue(session const& s, state::sqlite_store const& store, infra::apply_report const& report)
{
    state::rescue_places places;
    places.workspace_directory = s.workspace_directory();
    if (!s.asked().emergency_directory.empty()) places.emergency_directory = s.asked().emergency_directory;
    places.lineage = store.lineage();
    std::string why = report.store_error.message();
    if (auto const failure = store.last_failure()) why = failure->why().front().detail;
    auto const copy = state::write_rescue(report.state, places, why);
    (void)s.tell(infra::diagnostics{copy.told});
}

// What state is to say of the rules: what has come of them now, if the apply has asked.
auto checks_after(session const& s, prepared const& p) -> infra::document
{
    if (s.asked().command == "refresh") return {};
    return p.plan.what.mode == infra::plan_mode::refresh_only ? p.plan.checks : p.wanted->results().document();
}

void keep_checks(infra::document checks, state::sqlite_store& store, infra::apply_report& report)
{
    std::vector<infra::journal_entry> entries;
    if (checks != report.state.checks) entries.push_back(infra::journal_entry::checks(std::move(checks)));
    for (auto const& entry : entries) (void)replay(report.state, entry);
    // Where nothing was to be done there is a state all the same: one with nothing in it.
    bool const first = report.ok() && report.state.lineage.empty();
    if (!report.store_error && (first || !entries.empty()))
        report.store_error = store.append_now(entries, report.state);
}

auto carry_out(session const& s, state::sqlite_store& store, prepared p) -> int
{
    plan const& what = p.plan.what;
    auto const generation = store.begin_generation(s.asked().command);
    if (!generation) return s.tell(generation.error());
    state::space_estimate space;
    space.entries = 2 * what.changes.size() + what.refreshed.size() + what.outputs.size();
    space.parallelism = s.asked().limits.parallelism;
    if (auto const full = store.ensure_space(space)) return s.tell(*full);

    ui::progress_printer printer(s.out(), s.text().colour);
    interrupts signals;
    run_options how(signals);
    how.limits = s.asked().limits;
    how.watch = watcher(s, printer);
    int interrupted = 0;
    how.interrupted = [&](int count) {
        interrupted = count;
        if (!s.machine_readable())
            printer.print(count == 1 ? ui::interrupted_text() + ui::stopping_text() : ui::interrupted_again_text());
    };
    unsaved_changes changes;
    p.wanted->set_applying(true);
    p.wanted->results().ask_again();
    infra::apply_report report = run_apply(*p.wanted, store, what, std::move(p.start), how);
    keep_checks(checks_after(s, p), store, report);
    s.out() << std::flush;
    if (report.stopped && interrupted == 0)
        report.problems.push_back(infra::make_warning("Stopped at the first failure",
            "The option -stop-on-failure is in effect: what had not begun when the first change failed was left out, "
            "whether it depends on that or not."));
    append(p.warnings, report.problems);
    (void)s.tell(p.warnings);
    if (report.store_error) rescue(s, store, report);
    if (auto const unfinished = store.end_generation(report.ok() ? "complete" : "failed")) (void)s.tell(*unfinished);
    changes.saved();
    if (interrupted > 0) {
        if (report.stopped) (void)s.tell(infra::diagnostics{infra::make_error("execution halted", "")});
        return interrupted_code;
    }
    if (!report.ok()) return 1;

    infra::diagnostics problems;
    bool const only_refreshes = s.asked().command == "refresh";
    if (what.excluding && !only_refreshes)
        problems.push_back(infra::make_warning("Applied changes may be incomplete",
            "The plan was created with the -target or the -exclude option in effect, so some changes requested in the "
            "configuration may have been ignored and the output values may not be fully updated. Run the following "
            "command to verify that no other changes are pending:\n    iacctl plan\n\nNote that the -target and "
            "-exclude options are not suitable for routine use, and are provided only for exceptional situations such "
            "as recovering from errors or mistakes, or when OpenTofu specifically suggests to use it as part of an "
            "error message."));
    else if (what.targeted && !only_refreshes)
        problems.push_back(infra::make_warning("Applied changes may be incomplete",
            "The plan was created with the -target option in effect, so some changes requested in the configuration "
            "may have "
            "been ignored and the output values may not be fully updated. Run the following command to verify that no "
            "other "
            "changes are pending:\n    terraform plan\n\nNote that the -target option is not suitable for routine use, "
            "and "
            "is provided only for exceptional situations such as recovering from errors or mistakes, or when Terraform "
            "specifically suggests to use it as part of an error message."));
    auto const outputs = outputs_of(report.state, problems);
    int const code = s.tell(problems);
    ui::apply_counts done{report.added, report.changed, report.destroyed, 0};
    for (auto const& c : what.changes) done.imported += c.import_id ? 1U : 0U;
    bool const destroys = s.asked().command == "destroy";
    if (s.machine_readable()) {
        if (!only_refreshes) s.stream().applied(done, destroys);
        if (!destroys) s.stream().outputs(outputs);
        return code;
    }
    if (destroys) s.out() << ui::destroy_summary(done);
    else s.out() << (only_refreshes ? "" : ui::apply_summary(done)) << ui::outputs_block(outputs);
    return code;
}

}  // namespace

auto make_plan(session const& s) -> int
{
    if (s.machine_readable()) s.stream().version(language::language_version);
    int code = 0;
    auto state = state_access::open(s, state::open_mode::read_only, code);
    if (!state) return code;
    // What a plan was made of is not taken apart: the process ends, and gives back all of it at once.
    static auto& kept = *new std::vector<std::optional<prepared>>();
    auto const& p = kept.emplace_back(plan_and_show(s, *state, code));
    if (!p) return code;
    if (int const code_of_warnings = s.tell(p->warnings); code_of_warnings != 0) return code_of_warnings;
    if (!s.asked().out.empty()) {
        auto const written = write_plan(s.asked().out, p->plan);
        if (!written) return s.tell(written.error());
    }
    if (p->plan.what.has_changes() && !s.machine_readable())
        s.out() << ui::next_step_text(
            s.asked().out, p->generated.empty() ? std::string() : s.asked().generated, s.text());
    return s.asked().detailed_exit_code && p->plan.what.has_changes() ? changes_present : 0;
}

auto apply(session const& s) -> int
{
    if (s.machine_readable()) s.stream().version(language::language_version);
    if (s.machine_readable() && s.asked().arguments.empty() && !s.asked().auto_approve)
        return s.tell(infra::failure(infra::make_error("Plan file or auto-approve required",
            "Terraform cannot ask for interactive approval when -json is set. You can either apply a saved plan file, "
            "or "
            "enable the -auto-approve option.")));
    int code = 0;
    auto state = state_access::open(s, state::open_mode::read_write, code);
    if (!state) return code;

    if (!s.asked().arguments.empty()) {
        auto p = saved_now(s, s.asked().arguments.front(), code);
        if (!p) return code;
        if (s.asked().destroy || !s.asked().targets.empty() || !s.asked().excludes.empty()
            || !s.asked().replace.empty()) {
            infra::diagnostics problems;
            problems.push_back(infra::make_error("Can't change a saved plan",
                "A saved plan is carried out as it is: the options -destroy, -target, -exclude and -replace belong to "
                "\"iacctl plan\"."));
            return s.tell(problems);
        }
        if (p->plan.workspace != s.workspace())
            return s.tell(infra::failure(infra::make_error("Saved plan is for another workspace",
                "The plan was made in the workspace \"" + p->plan.workspace + "\", and this is \"" + s.workspace()
                    + "\". Select that workspace to apply it.")));
        auto found = state->read();
        if (!found) return s.tell(found.error());
        if (auto const foreign = state::check_foreign_state(".", s.workspace(), found->now)) return s.tell(*foreign);
        p->start = std::move(found->now);
        return carry_out(s, state->store(), std::move(*p));
    }
    auto p = plan_and_show(s, *state, code);
    if (!p) return code;
    if (p->plan.what.has_changes() && !s.asked().auto_approve) {
        (void)s.tell(std::exchange(p->warnings, {}));
        if (!confirmed(s, p->plan.what.mode)) return 1;
    }
    return carry_out(s, state->store(), std::move(*p));
}

auto refresh(session const& s) -> int
{
    request asked = s.asked();
    asked.refresh_only = true;
    asked.auto_approve = true;
    session const refreshing(asked, s.out(), s.err(), s.text(), s.workspace());
    return refreshing.exit_code(apply(refreshing));
}

}  // namespace iacctl::commands
