// SPDX-License-Identifier: BSL-1.0
// Changes objects and state: carries out a plan, or imports an object.
#include "engine_runner.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/record/rescue.hpp"
#include "state/record/workspace_files.hpp"
#include "terraform_changes.hpp"
#include "workspace.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

// The calls of modules whose instances were not known in a plan.
auto deferred_modules(plan const& p) -> std::set<std::string>
{
    std::set<std::string> found;
    for (auto const& one : p.deferred) {
        std::vector<infra::module_step> call;
        for (infra::module_step const& step : one.planned.target.module()) {
            call.push_back({step.name, {}});
            if (step.key.is_unknown()) found.insert(to_string(call));
        }
    }
    return found;
}

// Writes changes that could not be saved to another place, because there is no other record of them.
auto rescue(settings const& s, state_access& access, infra::apply_report& report) -> infra::diagnostic
{
    state::store const& store = access.store();
    state::rescue_places places;
    places.workspace_directory = access.backend().local_directory(s.workspace);
    if (!s.emergency_directory.empty()) places.emergency_directory = s.emergency_directory;
    places.output = s.emergency_output;
    places.lineage = store.lineage();
    places.encryption = &access.backend().sealed_with();
    if (s.state_files) places.options = backends::options_of(*s.state_files);
    std::string why = report.store_error.message();
    if (auto const usable = store.condition(); !usable) why = usable.error().why().front().detail;
    places.replaces = store.replaceable_ids();
    if (auto const saved = store.saved_serial()) report.state.serial = *saved;
    return state::write_rescue(report.state, places, why).reported;
}

// Records the results of the rules in state.
void keep_checks(infra::document checks, state::store& store, infra::apply_report& report)
{
    std::vector<infra::journal_entry> entries;
    if (checks != report.state.checks) entries.push_back(infra::journal_entry::checks(std::move(checks)));
    for (auto const& entry : entries) (void)replay(report.state, entry);
    // An apply without changes also writes a state, without objects.
    bool const first = report.ok() && report.state.lineage.empty();
    if (!report.store_error && (first || !entries.empty()))
        report.store_error = state::code_of(store.append_now(entries, report.state));
}

// Records the durations of the operations of an apply.
class duration_recorder {
public:
    explicit duration_recorder(std::filesystem::path directory)
        : directory_(std::move(directory)),
          all_(recorded_durations::read(directory_))
    {}

    /// \pre this object exists while the observer is called
    [[nodiscard]] auto observer(infra::observer<language::value> next) -> infra::observer<language::value>
    {
        return [this, next = std::move(next)](infra::event<language::value> const& e) {
            if (e.kind == infra::event_kind::operation_done) note(e);
            if (next) next(e);
        };
    }
    void write() const { all_.write(directory_); }

private:
    void note(infra::event<language::value> const& e)
    {
        double const seconds = std::chrono::duration<double>(e.elapsed).count();
        if (seconds < recorded_durations::shortest && all_.all().empty()) return;
        std::lock_guard const lock(mutex_);
        all_.record({e.operation, to_string(e.target)}, seconds);
    }

    std::filesystem::path directory_;
    std::mutex mutex_;
    recorded_durations all_;
};

auto is_declared(program::hcl_program const& desired, infra::address const& target) -> bool
{
    auto const all = desired.declarations();
    return std::any_of(all.begin(), all.end(), [&](auto const& d) {
        return d.kind == infra::declaration_kind::resource && d.address == target.config() && !d.removed;
    });
}

auto has_module(program::hcl_program const& desired, infra::address const& target) -> bool
{
    auto const name = to_string(target.config().module());
    auto const all = desired.declarations();
    return name.empty() || std::any_of(all.begin(), all.end(), [&](auto const& d) { return d.name == name; });
}

// Returns the error if that object cannot be imported as that instance.
auto refusal(program::hcl_program const& desired, infra::snapshot const& now, infra::address const& target)
    -> std::optional<infra::diagnostic>
{
    std::string const name = to_string(target);
    auto const module = to_string(target.config().module());
    if (!has_module(desired, target)) return make_error(messages::import_without_module, {module});
    if (!is_declared(desired, target))
        return make_error(messages::import_without_declaration,
            {name, module.empty() ? "the root module" : std::string_view(module), target.type(), target.name()});
    if (auto const* const there = now.find(target); there != nullptr && there->current)
        return make_error(messages::import_of_managed_object, {name});
    return std::nullopt;
}

}  // namespace

auto workspace::durations() const -> recorded_durations
{
    auto const in = backend();
    return in ? recorded_durations::read((*in)->local_directory(settings_.workspace)) : recorded_durations();
}

auto workspace::apply(prepared_plan&& pp, run_callbacks const& callbacks) const -> apply_result
{
    apply_result result;
    iacctl::workspace::plan const& what = pp.plan.what;
    state::store& store = pp.state.store();
    auto const generation = store.begin_generation(settings_.operation);
    if (!generation) {
        result.problems = generation.error().why();
        return result;
    }
    state::space_estimate space;
    space.entries = 2 * what.changes.size() + what.refreshed.size() + what.outputs.size();
    space.parallelism = settings_.limits.parallelism;
    if (auto const fits = store.ensure_space(space); !fits) {
        result.problems = fits.error().why();
        return result;
    }

    run_options how = options_of(root_, callbacks);
    how.with.interrupted = [&](int count) {
        result.interrupted = count;
        if (callbacks.interrupted) callbacks.interrupted(count);
    };
    result.unsaved.emplace(state::workspace_files(pp.state.backend().local_directory(settings_.workspace)).spool());
    duration_recorder durations(pp.state.backend().local_directory(settings_.workspace));
    how.with.watch = durations.observer(callbacks.watch);
    program::check_results checks(pp.desired->ruled(), pp.plan.checks);
    auto running = pp.desired->for_run(program::hcl_program::phase::apply, checks);
    if (!what.deferred.empty()) running = std::move(running).with_deferral(deferred_modules(what));
    infra::apply_report& report = result.report;
    report = run_apply(running, store, what, std::move(pp.start), how);
    // The file contains names of resources in plain text.
    if (!pp.state.backend().sealed_with().encrypts()) durations.write();
    // A refresh has no approval.
    bool const requested = what.mode != infra::plan_mode::refresh_only;
    keep_checks(requested ? checks.document() : pp.plan.checks, store, report);
    result.problems = std::move(pp.warnings);
    result.problems.add(report.problems);
    if (report.stopped && result.interrupted == 0)
        result.problems.add(make_warning(messages::stopped_at_first_failure));
    if (report.store_error) result.of_saving.add(rescue(settings_, pp.state, report));
    if (auto const ended = store.end_generation(report.ok() ? "complete" : "failed"); !ended)
        result.of_saving.add(ended.error().why());
    if (report.stopped && result.interrupted > 0)
        result.of_saving.add(report.not_started != 0
                ? make_error(messages::execution_halted, {std::to_string(report.not_started)})
                : make_error(messages::interrupted_at_end));
    result.ran = true;
    pp.state.unlock();
    return result;
}

// An import is the refresh-only plan of one instance that does not exist yet; only that instance is stored.
auto workspace::import(program::hcl_program const& desired, opened_state& to, infra::address const& target,
    std::string const& id, run_callbacks const& callbacks) const -> import_result
{
    import_result result;
    auto const beside = terraform_changes::of(root_);
    auto const sole = beside
        ? beside->check(to.now(), to.backend(), terraform_changes::purpose::to_apply, result.problems)
        : expected<void>(beside.error());
    if (!sole) {
        result.problems.add(sole.error().why());
        return result;
    }
    if (auto why = refusal(desired, to.now(), target)) {
        result.problems.add(std::move(*why));
        return result;
    }
    infra::plan_options options;
    options.mode = infra::plan_mode::refresh_only;
    options.refresh = false;
    options.targets.push_back(target);
    options.imports.push_back({target, id});
    run_options how = options_of(root_, callbacks);
    how.with.interrupted = [&](int count) {
        result.interrupted = true;
        if (callbacks.interrupted) callbacks.interrupted(count);
    };
    auto made = run_plan(desired, to.store(), std::move(options), to.now(), how);
    if (!made) {
        result.problems = made.error().why();
        return result;
    }
    std::vector<infra::journal_entry> entries;
    for (infra::journal_entry const& e : made->refreshed)
        if (e.output_name().empty() && e.target() == target) entries.push_back(e);
    result.problems = std::move(made->warnings);
    if (auto const written = to.record(entries); !written) result.problems.add(written.error().why());
    return result;
}

}  // namespace iacctl::workspace
