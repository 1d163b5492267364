// SPDX-License-Identifier: BSL-1.0
// Makes plans of the present configuration, and reads saved plans.
#include "available_providers.hpp"
#include "backend.hpp"
#include "base/background_task.hpp"
#include "base/random.hpp"
#include "base/shell_words.hpp"
#include "base/timestamp.hpp"
#include "engine_runner.hpp"
#include "generated_config.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/stored_name.hpp"
#include "state_parts.hpp"
#include "terraform_changes.hpp"
#include "workspace.hpp"

#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

// Warns of an address without a key for a resource with several instances, because it selects none of them.
void warn_of_replace(std::vector<infra::address> const& requested, plan const& made, infra::diagnostics& warnings)
{
    for (infra::address const& a : requested) {
        std::vector<std::string> instances;
        bool found = false;
        for (auto const& c : made.changes) {
            found = found || c.target == a;
            if (c.declaration != infra::no_declaration && !c.of_deposed && c.what != infra::action::destroy
                && c.target.resource() == a)
                instances.push_back(to_string(c.target));
        }
        if (found || instances.empty()) continue;
        std::string options;
        for (std::string const& instance : instances) options += "\n  -replace=" + shell_word(instance);
        warnings.add(make_warning(messages::incomplete_replace_address, {to_string(a), options}));
    }
}

void warn_of_targets(plan const& p, infra::diagnostics& warnings)
{
    if (p.targeted && !p.only_invokes()) warnings.add(make_warning(messages::incomplete_plan));
}

void warn_of_forgotten(plan const& p, infra::diagnostics& warnings)
{
    std::string names;
    for (auto const& c : p.changes)
        if (c.what == infra::action::forget || c.what == infra::action::forget_then_create)
            names += "\n - " + to_string(c.target);
    if (!names.empty()) warnings.add(make_warning(messages::forgotten_objects, {names}));
}

// The blocks `list` of a configuration.
auto lists_in(program::hcl_program const& desired) -> std::vector<infra::address>
{
    std::vector<infra::address> all;
    for (auto const& [_, one] : desired.configuration().resources)
        if (one.mode == language::resource_mode::list)
            all.emplace_back(std::vector<infra::module_step>(), infra::resource_mode::list, one.type, one.name,
                infra::instance_key());
    return all;
}

// Adds the warnings about a plan.
void warn_of_plan(prepared_plan& made, std::vector<infra::address> const& replaced)
{
    plan const& what = made.plan.what;
    infra::diagnostics& warnings = made.warnings;
    if (!made.plan.generated.empty()) warnings.add(make_warning(messages::experimental_generated_configuration));
    warn_of_replace(replaced, what, warnings);
    warn_of_forgotten(what, warnings);
    if (!what.deferred.empty())
        warnings.add(make_warning(messages::changes_deferred, {std::to_string(what.deferred.size())}));
    warnings.add(what.warnings);
}

auto stale_failure(std::vector<std::string> const& parts) -> infra::failure
{
    constexpr std::size_t most = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(parts.size(), most); ++i) names += "\n - " + parts[i];
    if (parts.size() > most) names += "\n - and " + std::to_string(parts.size() - most) + " more";
    return infra::failure(make_error(messages::stale_parts_of_plan, {names}));
}

// Locks the parts that a plan needs, if it is to be applied; otherwise checks that no other process changes them.
// \return the parts that have changed since its state was read
auto lock_parts(state_access& state, settings const& s, plan const& made, plan_parts const& parts, bool applies)
    -> expected<std::vector<std::string>>
{
    auto const locked = applies ? state.lock(s, locks_to_apply(made, parts))
                                : state.check_lock(s, [&] { return locks_to_plan(made, parts); });
    if (!locked) return locked.error();
    auto const names = names_of(parts);
    auto const now = state.store().current_versions(names);
    if (!now) return now.error();
    return stale_parts(parts, *now);
}

// Parts of state that the plan neither reads nor writes may have changed: the plan uses their earlier versions.
// \pre the parts of the plan have their versions
// \return parts of the plan with an interrupted operation that it did not settle
auto disregard_other_parts(plan& p, plan_parts const& parts, infra::snapshot& now) -> std::vector<std::string>
{
    if (p.lineage.empty()) p.lineage = now.lineage;
    p.serial = now.serial;
    std::set<std::string> ended;
    for (infra::journal_entry const& e : p.refreshed) ended.insert(e.operation().operation);
    std::vector<std::string> interrupted;
    for (auto const& [id, operation] : now.pending) {
        std::string part = state::stored_name(operation.target);
        bool const invoked =
            std::ranges::any_of(p.invocations, [&](auto const& element) { return element.target == operation.target; });
        if (!ended.contains(id) && (invoked || parts.written.contains(part) || parts.read.contains(part)))
            interrupted.push_back(std::move(part));
    }
    std::erase_if(now.pending, [&](auto const& item) { return !ended.contains(item.first); });
    return interrupted;
}

// Reads state. Its objects have the versions of the schemas.
auto read_to_plan(state_access& from, settings const& s, terraform_changes const& beside, state::open_mode mode,
    infra::diagnostics& warnings) -> expected<read_state>
{
    auto found = from.read();
    if (!found) return found;
    using purpose = terraform_changes::purpose;
    auto const why = mode == state::open_mode::read_write ? purpose::to_apply : purpose::to_plan;
    if (auto const sole = beside.check(found->now, from.backend(), why, warnings); !sole) return sole.error();
    if (auto problems = upgrade_objects(found->now, *s.providers); problems.has_errors())
        return infra::failure(std::move(problems));
    return found;
}

struct opened_to_plan {
    state_access access;
    expected<read_state> prior;
    infra::snapshot copy;  // of the state that was read; the plan moves objects in it
    infra::diagnostics warnings;
};

auto open_to_plan(std::shared_ptr<state::backend> in, settings const& s, terraform_changes const& beside,
    state::open_mode mode) -> expected<opened_to_plan>
{
    auto access = state_access::open(std::move(in), s, mode, state_access::lock_scope::parts);
    if (!access) return access.error();
    infra::diagnostics warnings;
    auto prior = read_to_plan(*access, s, beside, mode, warnings);
    auto copy = prior ? prior->now : infra::snapshot();
    return opened_to_plan{std::move(*access), std::move(prior), std::move(copy), std::move(warnings)};
}

// The result if a plan cannot be made.
auto failed(plan_result none, infra::failure const& why) -> plan_result
{
    none.made.reset();
    none.problems.add(why.why());
    return none;
}

}  // namespace

void check_limits(infra::execution_limits const& limits, providers::catalog const& known, infra::diagnostics& problems)
{
    auto const exists = [&](std::string const& type) {
        return std::ranges::any_of(known, [&](auto const& item) {
            auto const schema = item.second->schema();
            return schema && ((*schema)->resources.contains(type) || (*schema)->data_sources.contains(type));
        });
    };
    for (auto const& [type, _] : limits.of_type)
        if (!exists(type)) problems.add(make_error(messages::limit_of_unknown_type, {type}));
}

auto workspace::plan(plan_parameters parameters, run_callbacks const& callbacks) const -> plan_result
{
    plan_result result;
    auto in = backend_of(root_);
    if (!in) return failed({}, in.error());
    auto const beside = terraform_changes::of(root_);
    if (!beside) return failed({}, beside.error());
    check_limits(settings_.limits, *settings_.providers, result.problems);
    if (result.problems.has_errors()) return result;

    parameters.options.key_seed = static_cast<std::uint32_t>(std::stoul(random_hex(8), nullptr, 16));
    // State is locked and read while the configuration is loaded, unless configuration is generated. To defer interrupts is not
    // thread-safe, so the lock does not begin it on the other thread.
    if (settings_.lock && settings_.interrupts != nullptr) settings_.interrupts->defer();
    background_task<expected<opened_to_plan>> opening(
        [&] { return open_to_plan(std::move(*in), settings_, *beside, parameters.mode); });
    bool const generates = !parameters.generated.empty();
    std::unique_ptr<program::hcl_program> desired;
    if (!generates) desired = load(result.problems);
    auto opened = opening.get();
    if (!opened) return failed({}, opened.error());
    prepared_plan p(std::move(opened->access));
    auto& prior = opened->prior;
    p.desired = std::move(desired);
    if (generates) {
        if (!prior) return failed({}, prior.error());
        if (auto made = generate_config(*this, parameters.generated, p.state.store(), *prior, result.problems)) {
            p.plan.generated = std::move(made->blocks);
            p.desired = load(result.problems, made->text);
            result.problems.add(save(*made, parameters.generated));
        }
    }
    if (p.desired == nullptr || result.problems.has_errors()) return result;
    p.warnings = std::exchange(result.problems, {});
    p.warnings.add(std::move(opened->warnings));
    if (!prior) return failed({}, prior.error());
    if (parameters.listed) {
        parameters.options.targets = lists_in(*p.desired);
        if (parameters.options.targets.empty()) return failed({}, infra::failure(make_error(messages::no_lists)));
    }
    if (prior->under_way) p.warnings.add(under_way_warning(p.state.backend(), name(), prior->now));
    else if (!prior->left_out.empty()) p.warnings.add(left_out_warning(*prior));
    parameters.options.under_way = prior->under_way;

    run_options how = options_of(root_, callbacks);
    how.limits.stop_on_first_failure = false;  // a plan reports all problems
    how.deferral_allowed = parameters.defers;
    how.listed = parameters.listed;
    how.lists_whole_objects = parameters.lists_whole_objects;
    how.with.interrupted = [&](int count) {
        result.interrupted = true;
        if (callbacks.interrupted) callbacks.interrupted(count);
    };
    std::optional<iacctl::workspace::plan> unfinished;
    auto const replaced = parameters.options.replace;
    program::check_results checks(p.desired->ruled());
    auto running = p.desired->for_run(program::hcl_program::phase::plan, checks);
    if (parameters.defers) running = std::move(running).with_deferral();
    auto made = run_plan(running, p.state.store(), parameters.options, std::move(opened->copy), how, &unfinished);
    // An interrupt after the last visit has not stopped the run.
    if (made && settings_.interrupts != nullptr && settings_.interrupts->count() > 0) {
        result.interrupted = true;
        return failed(std::move(result), infra::failure(make_error(messages::command_interrupted)));
    }
    // With locks of parts, the parts that a plan needs are known only after it is made. If another process has changed
    // one of them in the meantime, the plan is made again.
    for (int again = 5; made && p.state.has_parts(); --again) {
        p.plan.parts = parts_of(*made, *prior, p.state.store());
        bool const applies = parameters.mode == state::open_mode::read_write;
        auto const stale = lock_parts(p.state, settings_, *made, *p.plan.parts, applies);
        if (!stale) return failed(std::move(result), stale.error());
        if (stale->empty()) break;
        if (again == 0) return failed(std::move(result), stale_failure(*stale));
        if (auto const locked = p.state.lock(settings_, state::state_parts()); !locked)
            return failed(std::move(result), locked.error());
        prior = read_to_plan(p.state, settings_, *beside, parameters.mode, p.warnings);
        if (!prior) return failed(std::move(result), prior.error());
        made = run_plan(running, p.state.store(), parameters.options, prior->now, how, &unfinished);
    }
    p.plan.errored = !made;
    if (!made) {
        infra::diagnostics why = made.error().why();
        if (!unfinished || result.interrupted) {
            result.problems = std::move(p.warnings);
            result.problems.add(std::move(why));
            return result;
        }
        result.problems = std::move(why);
    }
    p.plan.what = std::move(made ? *made : *unfinished);
    if (!parameters.options.shown_only) p.plan.files = texts_of(p.desired->configuration());
    p.plan.variables = p.desired->variables();
    p.plan.ephemeral = given_ephemerals(p.desired->configuration());
    p.plan.workspace = name();
    bool const destroys = p.plan.what.mode == infra::plan_mode::destroy;
    p.plan.checks = destroys ? program::checks_of_destroy(p.desired->ruled()) : checks.document();
    p.plan.created = timestamp::now().text();
    // For an apply, and to report targets that do not exist.
    if (parameters.mode == state::open_mode::read_write || infra::is_partial(parameters.options)) p.start = prior->now;
    p.plan.prior = std::move(prior->now);
    // As in Terraform, the prior state of a destruction contains the data sources.
    for (auto const& entry : p.plan.what.refreshed) {
        bool const removes_data = entry.kind() == infra::journal_entry::kind_type::remove
            && entry.target().mode() == infra::resource_mode::data;
        if (!destroys || !removes_data) (void)replay(p.plan.prior, entry);
    }
    if (!parameters.listed) warn_of_targets(p.plan.what, p.warnings);
    if (!p.plan.errored) warn_of_plan(p, replaced);
    result.made = std::move(p);
    return result;
}

auto workspace::reopen(std::filesystem::path const& file) const -> plan_result
{
    plan_result result;
    auto const methods = root_.encryption();
    if (!methods) return failed({}, methods.error());
    auto saved = read_plan(file, (*methods)->plan);
    if (!saved) return failed({}, saved.error());
    if (saved->errored) return failed({}, infra::failure(make_error(messages::errored_plan, {file.string()})));
    auto const scope = saved->parts ? state_access::lock_scope::parts : state_access::lock_scope::workspace;
    auto access = state_access::open(root_, state::open_mode::read_write, scope);
    if (!access) return failed({}, access.error());
    prepared_plan p(std::move(*access));
    p.desired = load(*saved, purpose::to_apply, result.problems);
    check_limits(settings_.limits, *settings_.providers, result.problems);
    if (p.desired == nullptr || result.problems.has_errors()) return result;
    p.plan = std::move(*saved);
    if (p.plan.workspace != name())
        return failed(std::move(result),
            infra::failure(make_error(messages::plan_for_other_workspace, {p.plan.workspace, name()})));
    bool const by_parts = p.plan.parts && p.state.has_parts();
    if (by_parts) {
        if (auto const locked = p.state.lock(settings_, locks_to_apply(p.plan.what, *p.plan.parts)); !locked)
            return failed(std::move(result), locked.error());
    }
    auto const beside = terraform_changes::of(root_);
    if (!beside) return failed(std::move(result), beside.error());
    auto found = read_to_plan(p.state, settings_, *beside, state::open_mode::read_write, p.warnings);
    if (!found) return failed(std::move(result), found.error());
    if (by_parts) {
        auto stale = stale_parts(*p.plan.parts, *p.state.store().versions());
        auto interrupted = disregard_other_parts(p.plan.what, *p.plan.parts, found->now);
        stale.insert(stale.end(), interrupted.begin(), interrupted.end());
        if (!stale.empty()) return failed(std::move(result), stale_failure(stale));
    }
    p.start = std::move(found->now);
    result.made = std::move(p);
    return result;
}

}  // namespace iacctl::workspace
