// SPDX-License-Identifier: BSL-1.0
#include "file_runner.hpp"

#include "base/timestamp.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "workspace/program/object_codec.hpp"
#include "workspace/program/root_values.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <semaphore>
#include <set>
#include <utility>

namespace iacctl::testing {

namespace {

using language::value;

auto has_managed(infra::snapshot const& s) -> bool
{
    return std::ranges::any_of(
        s.resources, [](auto const& item) { return item.first.mode() == infra::resource_mode::managed; });
}

auto names_of_managed(infra::snapshot const& s) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& [address, record] : s.resources) {
        if (address.mode() != infra::resource_mode::managed) continue;
        if (record.current) names.push_back(to_string(address));
        for (auto const& [key, old] : record.deposed) names.push_back(to_string(address) + " (" + key + ")");
    }
    return names;
}

// The objects of a state, and those that a plan would create.
auto objects_of(providers::catalog const& known, infra::snapshot const& state, workspace::plan const* plan)
    -> std::vector<std::pair<infra::address, value>>
{
    std::map<infra::address, value> all;
    for (auto const& [address, record] : state.resources) {
        if (!record.current) continue;
        if (auto made = program::decode_object(known, address, *record.current))
            all.insert_or_assign(address, std::move(*made));
    }
    if (plan != nullptr)
        for (auto const& c : plan->changes) {
            if (c.of_deposed) continue;
            if (c.previous) all.erase(*c.previous);
            if (c.after) all.insert_or_assign(c.target, *c.after);
            else all.erase(c.target);
        }
    return {all.begin(), all.end()};
}

auto outputs_of(infra::snapshot const& state, workspace::plan const* plan) -> std::map<std::string, value>
{
    std::map<std::string, value> all;
    if (plan != nullptr) {
        for (auto const& o : plan->outputs)
            if (o.after && o.what != infra::action::destroy) all.emplace(o.name, *o.after);
        return all;
    }
    for (auto const& [name, one] : state.outputs)
        if (auto made = program::decode_output(one)) all.emplace(name, std::move(*made));
    return all;
}

// Adds the names of the runs to which expressions refer.
void add_runs(language::expression const& e, std::set<std::string>& names)
{
    if (!e) return;
    infra::diagnostics ignored;
    for (auto const& r : language::references_of(e, ignored))
        if (r.kind == language::reference_kind::resource && r.type == "run") names.emplace(r.name);
}

}  // namespace

file_runner::file_runner(workspace::settings s, language::test_file const& file, modules const& all,
    interrupt_hub& interrupts, bool verbose, test_listener& to)
    : settings_(std::move(s)),
      file_(&file),
      modules_(&all),
      interrupts_(&interrupts),
      verbose_(verbose),
      to_(&to)
{
    result_.name = file.name;
    ended_.resize(file.runs.size());
    for (auto const& run : file.runs) {
        result_.runs.emplace_back().name = run.name;
        result_.runs.back().assertions = run.assertions.size();
        states_.try_emplace(run.state_key);
    }
    find_dependencies();
}

void file_runner::find_dependencies()
{
    auto const& runs = file_->runs;
    std::set<std::string> of_file;
    for (auto const& [name, one] : file_->variables) add_runs(one, of_file);
    for (auto const& [name, one] : file_->providers)
        if (one.configured)
            language::for_each_expression(
                one.configured->content, [&](auto const& e, auto const&) { add_runs(e, of_file); });
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::set<std::string> named = of_file;
        for (auto const& [name, one] : runs[i].variables) add_runs(one, named);
        for (auto const& rule : runs[i].assertions) {
            add_runs(rule.condition, named);
            add_runs(rule.error_message, named);
        }
        auto& before = waits_for_.emplace_back();
        for (std::size_t j = 0; j < i; ++j) {
            bool const apart = runs[i].parallel && runs[j].parallel && runs[i].state_key != runs[j].state_key;
            if (!apart || named.contains(runs[j].name)) before.push_back(j);
        }
    }
}

auto file_runner::run() -> file_result
{
    report(&test_listener::file_begins, result_.name);
    for (auto const& one : file_->overrides) {
        auto const target = program::traversal_address(one.target);
        auto const known = [&](auto const& module) { return has(module.second->declared(), target); };
        if (std::ranges::any_of(*modules_, known)) continue;
        result_.problems.add(
            language::warning(messages::override_without_target, {to_string(target)}, one.target.range()));
    }
    result_.status = file_->runs.empty() ? test_status::pass : test_status::skip;
    interrupts_->watch([this](int count) {
        std::vector<std::string> left;
        for (auto const& [key, one] : states_) {
            auto names = names_of_managed(one.states->content());
            left.insert(left.end(), names.begin(), names.end());
        }
        report(&test_listener::is_interrupted, result_.name, count, left);
    });
    execute_all();
    for (run_result const& one : result_.runs) result_.status = std::max(result_.status, one.status);
    report(&test_listener::tears_down, result_.name);
    clean_up();
    interrupts_->watch({});
    report(&test_listener::file_ends, result_);
    return std::move(result_);
}

void file_runner::execute_all()
{
    std::vector<std::shared_future<void>> ended;
    std::counting_semaphore<> room(static_cast<std::ptrdiff_t>(std::max<std::size_t>(settings_.limits.parallelism, 1)));
    for (std::size_t i = 0; i < file_->runs.size(); ++i) {
        std::vector<std::shared_future<void>> before;
        for (std::size_t const j : waits_for_[i]) before.push_back(ended[j]);
        auto work = [this, i, &room, before = std::move(before)] {
            for (auto const& one : before) one.wait();
            room.acquire();
            auto const leave = [&room](void*) { room.release(); };
            std::unique_ptr<void, decltype(leave)> const held(&room, leave);
            execute(i);
        };
        // A run that is not parallel waits for all runs before it, so it is executed on this thread.
        auto const how = file_->runs[i].parallel ? std::launch::async : std::launch::deferred;
        ended.push_back(std::async(how, std::move(work)).share());
        if (how == std::launch::deferred) ended.back().get();
    }
    for (auto const& one : ended) one.get();
}

void file_runner::execute(std::size_t number)
{
    auto const& run = file_->runs[number];
    run_result result = result_.runs[number];
    auto const usable = [&](std::size_t before) {
        std::scoped_lock const held(guard_);
        auto const status = result_.runs[before].status;
        return status == test_status::pass || status == test_status::fail;
    };
    if (interrupts_->count() > 0 || !std::ranges::all_of(waits_for_[number], usable)) result.status = test_status::skip;
    else {
        report(&test_listener::run_begins, file_->name, run.name);
        result.begun = timestamp::now().text();
        auto const begin = std::chrono::steady_clock::now();
        try {
            execute(run, result);
        } catch (workspace::interrupted const&) {
            result.status = test_status::error;
        }
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (interrupts_->count() > 0) {
            result.status = test_status::error;
            result.problems.add(make_error(messages::test_interrupted));
        }
    }
    std::scoped_lock const held(guard_);
    result_.runs[number] = std::move(result);
    ended_[number] = true;
    for (; reported_ < ended_.size() && ended_[reported_]; ++reported_)
        report(&test_listener::run_ends, file_->name, result_.runs[reported_]);
}

auto file_runner::module_of(language::test_run const& run) const -> module_under_test&
{
    return *modules_->at(run.module ? run.module->source : std::string());
}

void file_runner::execute(language::test_run const& run, run_result& result)
{
    auto const number = static_cast<std::size_t>(&run - file_->runs.data());
    module_under_test& module = module_of(run);
    infra::diagnostics found = module.check();
    expected_failures const expected(module.declared(), run.expect_failures, found);
    std::shared_ptr<run_setup const> setup;
    auto defined = defined_variables(settings_, *file_, found);
    if (!found.has_errors()) {
        language::call_context context;
        context.applying = true;
        context.provided = settings_.providers.get();
        auto const globals = [this](std::string const& name) { return undeclared_variable(settings_, name); };
        std::map<std::string, value> ended;
        {
            std::scoped_lock const held(guard_);
            ended = outputs_;
        }
        auto scope = std::make_shared<test_scope const>(
            *file_, std::move(defined.values), globals, std::move(ended), std::move(context));
        setup = std::make_shared<run_setup const>(
            settings_, *modules_->at({}), module, *file_, run, std::move(scope), found);
    }
    result.problems = found;
    if (found.has_errors()) {
        result.status = test_status::error;
        return;
    }
    interrupt_hub::branch interrupts(*interrupts_, 0);
    auto const make = [&](infra::diagnostics& problems) { return setup->program(run_setup::purpose::test, problems); };
    workspace::workspace const in(setup->settings_with(states_.at(run.state_key).states, &interrupts), make);
    if (run.applies()) test_apply(number, run, setup, expected, in, result);
    else test_plan(run, *setup, expected, in, result);
}

namespace {

auto parameters_of(language::test_run const& run) -> workspace::plan_parameters
{
    workspace::plan_parameters parameters;
    parameters.mode = run.applies() ? state::open_mode::read_write : state::open_mode::read_only;
    parameters.options.mode = run.refresh_only ? infra::plan_mode::refresh_only : infra::plan_mode::normal;
    parameters.options.refresh = run.refresh;
    for (auto const& one : run.target) parameters.options.targets.push_back(program::traversal_address(one));
    for (auto const& one : run.replace) parameters.options.replace.push_back(program::traversal_address(one));
    return parameters;
}

// All problems of a plan.
auto problems_of(workspace::plan_result& result) -> infra::diagnostics
{
    infra::diagnostics all;
    if (result.made) all.add(std::exchange(result.made->warnings, {}));
    all.add(std::exchange(result.problems, {}));
    if (result.made && !all.has_errors()) all.add(result.made->plan.what.check_warnings);
    return all;
}

}  // namespace

void file_runner::test_plan(language::test_run const& run, run_setup const& setup, expected_failures const& expected,
    workspace::workspace const& in, run_result& result)
{
    auto made = in.plan(parameters_of(run));
    auto judged = expected.judge(problems_of(made));
    bool const failed = judged.has_errors();
    result.problems.add(std::move(judged));
    if (failed || !made.made) {
        result.status = test_status::error;
        return;
    }
    workspace::saved_plan& plan = made.made->plan;
    assess(run, setup, *made.made->desired, plan.prior, &plan.what, result);
    if (verbose_) result.plan = std::move(plan);
}

void file_runner::test_apply(std::size_t number, language::test_run const& run,
    std::shared_ptr<run_setup const> const& setup, expected_failures const& expected, workspace::workspace const& in,
    run_result& result)
{
    auto made = in.plan(parameters_of(run));
    auto planned = problems_of(made);
    if (!made.made || planned.has_errors()) {
        result.problems.add(expected.explain(std::move(planned)));
        result.status = test_status::error;
        return;
    }
    // The apply evaluates checks again.
    made.made->warnings = {};
    for (infra::diagnostic const& d : planned)
        if (!expected.is_of_check(d)) made.made->warnings.add(d);
    auto& tracked = states_.at(run.state_key);
    tracked.last = number;
    tracked.setup = setup;
    auto done = in.apply(std::move(*made.made));
    if (done.unsaved) done.unsaved->saved();
    done.problems.add(std::move(done.of_saving));
    auto judged = expected.judge(std::move(done.problems));
    bool const failed = judged.has_errors() || !done.ran;
    result.problems.add(std::move(judged));
    if (failed) {
        result.status = test_status::error;
        return;
    }
    program::check_results unused(made.made->desired->ruled());
    auto const applied = made.made->desired->for_run(program::hcl_program::phase::apply, unused);
    assess(run, *setup, applied, done.report.state, nullptr, result);
    if (verbose_) result.state = std::move(done.report.state);
}

void file_runner::assess(language::test_run const& run, run_setup const& setup, program::hcl_program const& desired,
    infra::snapshot const& state, workspace::plan const* plan, run_result& result)
{
    program::root_values const values(desired, objects_of(*settings_.providers, state, plan), outputs_of(state, plan));
    assertion_scope const in(setup.module().declared(), values, setup.variables_of_run(), setup.scope());
    auto status = test_status::pass;
    infra::diagnostics found;
    for (language::check_rule const& rule : run.assertions) {
        auto const made = language::evaluate_rule(rule, "test assertion", in, found);
        if (made.decided && made.holds) continue;
        status = std::max(status, made.decided ? test_status::fail : test_status::error);
        if (made.refused) continue;
        auto reported = made.decided
            ? language::error(messages::test_assertion_failed, {made.message}, rule.condition.range())
            : language::error(messages::test_condition_unknown, rule.condition.range());
        reported.source.notes = language::value_notes(rule.condition, in);
        found.add(std::move(reported));
    }
    std::vector<language::value_entry> outputs;
    for (auto const& [name, declared] : setup.module().declared().outputs) {
        value const* const made = values.output(name);
        outputs.push_back({name, (made == nullptr ? value() : *made).with_marks(declared.marks())});
    }
    result.problems.add(found);
    result.status = status;
    std::scoped_lock const held(guard_);
    outputs_.insert_or_assign(run.name, value::object(std::move(outputs)));
}

void file_runner::clean_up()
{
    std::vector<tracked_state const*> order;
    for (auto const& [key, one] : states_)
        if (one.setup != nullptr && has_managed(one.states->content())) order.push_back(&one);
    std::ranges::sort(order, std::greater(), &tracked_state::last);
    for (tracked_state const* one : order) clean_up(*one);
}

void file_runner::clean_up(tracked_state const& ts)
{
    testing::clean_up outcome{file_->runs[ts.last].name, {}, {}};
    report(&test_listener::clean_up_begins, file_->name, outcome.run);
    // The interrupt that ends the tests does not end the destruction.
    interrupt_hub::branch interrupts(*interrupts_, 1);
    try {
        auto const make = [&](infra::diagnostics& problems) {
            return ts.setup->program(run_setup::purpose::clean_up, problems);
        };
        workspace::workspace const in(ts.setup->settings_with(ts.states, &interrupts), make);
        workspace::plan_parameters parameters;
        parameters.mode = state::open_mode::read_write;
        parameters.options.mode = infra::plan_mode::destroy;
        parameters.options.refresh = false;
        auto made = in.plan(std::move(parameters));
        if (made.ok()) {
            auto done = in.apply(std::move(*made.made));
            if (done.unsaved) done.unsaved->saved();
            outcome.problems = std::move(done.problems);
            outcome.problems.add(std::move(done.of_saving));
        } else outcome.problems = problems_of(made);
    } catch (workspace::interrupted const&) {
        outcome.problems.add(make_error(messages::test_interrupted));
    }
    outcome.left = names_of_managed(ts.states->content());
    if (outcome.problems.has_errors() || !outcome.left.empty()) result_.status = test_status::error;
    report(&test_listener::clean_up_ends, file_->name, outcome);
}

}  // namespace iacctl::testing
