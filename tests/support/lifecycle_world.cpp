// SPDX-License-Identifier: BSL-1.0
#include <support/lifecycle_world.hpp>
#include <support/order_law.hpp>

#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace strider::test {
namespace {

auto id_of(infra::object const& o) -> std::string
{
    auto const value = infra::sim::from_document(o.attributes);
    return value ? (*value)["id"] : std::string();
}

auto short_name(std::string text) -> std::string
{
    for (std::size_t at = text.find("toy."); at != std::string::npos; at = text.find("toy.", at)) text.erase(at, 4);
    return text;
}

/// The ids of all managed objects of a state.
auto ids_of(infra::snapshot const& s) -> std::set<std::string>
{
    std::set<std::string> ids;
    for (auto const& [a, record] : s.resources) {
        if (a.mode() != infra::resource_mode::managed) continue;
        if (record.current) ids.insert(id_of(*record.current));
        for (auto const& [_, old] : record.deposed) ids.insert(id_of(old));
    }
    return ids;
}

void add_codes(std::vector<std::string>& to, infra::diagnostics const& problems)
{
    for (auto const& p : problems) to.push_back(p.address.empty() ? p.code : p.code + " " + short_name(p.address));
}

/// Returns whether this refusal is legitimate in a scenario without faults.
auto is_refusal(infra::diagnostics const& why) -> bool
{
    return std::any_of(why.begin(), why.end(), [](infra::diagnostic const& d) {
        return d.code == infra::codes::dependency_cycle || d.code == infra::sim::codes::prevented;
    });
}

}  // namespace

auto lifecycle_world::objects() const -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& [_, record] : kept.now().resources) {
        if (record.current)
            all.push_back(short_name(id_of(*record.current)) + (record.current->tainted ? " tainted" : ""));
        for (auto const& [key, old] : record.deposed) all.push_back(short_name(id_of(old)) + " deposed");
    }
    return all;
}

void lifecycle_world::change_outside(scenario_step const& step)
{
    for (std::size_t i = 1; i < step.words.size(); ++i) {
        std::size_t const mark = std::min(step.words[i].find('='), step.words[i].size());
        std::string const key = step.words[i].substr(0, mark);
        auto parts =
            detail::split(std::string_view(step.words[i]).substr(std::min(mark + 1, step.words[i].size())), ',');
        if (parts.empty()) throw std::invalid_argument("no such change: " + step.words[i]);
        auto const hash = parts[0].find('#');
        infra::address const target = toy_address(parts[0].substr(0, hash));
        std::string const id = detail::to_id(parts[0]);
        if (key == "destroy") cloud.destroy_outside(id);
        else if (key == "change" && parts.size() == 3) {
            if (cloud.find(id) != nullptr) cloud.change_outside(id, parts[1], parts[2]);
        } else if (key == "create") {
            infra::sim::toy_value value;
            for (std::size_t p = 1; p + 1 < parts.size(); p += 2) value.set(parts[p], parts[p + 1]);
            cloud.create_outside(id, target, value);
            disowned_.insert(id);
        } else throw std::invalid_argument("no such change: " + step.words[i]);
    }
}

auto lifecycle_world::run(scenario_step const& step) -> step_outcome
{
    ++steps_;
    program_ = step.program;
    step_outcome out;
    if (step.verb() == "outside") {
        change_outside(step);
        out.ok = true;
        return out;
    }
    scenario_command command(step);
    toy_program wanted = toy(step.text());
    wanted.defer(command.defers);
    std::size_t const batches = kept.batches().size();
    std::size_t const operations = cloud.log().size();
    cloud.set_conditions(command.cloud);
    if (command.operators > 1) {
        run_together(step, command, wanted, out);
        return out;
    }
    auto planned = plan_simulated(wanted, command.options, cloud, kept, command.of_plan);
    if (kept.batches().size() != batches || cloud.log().size() != operations) broken("the plan changed something");
    if (!planned) {
        out.ended = false;
        return out;
    }
    if (!*planned) {
        add_codes(out.problems, planned->error().why());
        return out;
    }
    toy_plan const plan = std::move(**planned);
    add_codes(out.problems, plan.warnings);
    add_codes(out.problems, plan.check_warnings);
    out.ok = true;
    if (step.verb() == "plan") {
        out.plan = plan;
        return out;
    }
    mark_forgotten(plan);

    infra::snapshot const prior = kept.now();
    cloud.start_new_log();
    command.of_apply.run = "run" + std::to_string(steps_);
    auto const done = apply_simulated(wanted, plan, cloud, kept, command.of_apply);
    out.ended = done.has_value();
    if (!done) kept.restart(command.power);
    out.ok = done && done->ok;
    if (done) add_codes(out.problems, done->problems);
    out.order = cloud.order();
    for (std::string& name : out.order) name = short_name(std::move(name));
    check_moment();
    cloud.set_conditions({});
    auto const log = std::span(cloud.log()).subspan(operations);
    for (std::string& what : order_violations(wanted, prior, plan, log)) broken(short_name(std::move(what)));
    if (out.ok && command.options.mode == plan_mode::normal && !step.is_partial()) {
        bool const has_read = !command.options.minimal_refresh;
        if (laws_.second_apply && plan.deferred.empty() && has_read) check_nothing_to_do(step);
        if (laws_.destroy) check_destroy(step);
    }
    if (out.ok && command.options.mode == plan_mode::destroy && !step.is_partial()) {
        if (!kept.now().resources.empty()) broken("a destroy left " + objects().front());
        if (!kept.now().outputs.empty()) broken("a destroy left the output " + kept.now().outputs.begin()->first);
    }
    out.plan = plan;
    return out;
}

void lifecycle_world::run_together(
    scenario_step const& step, scenario_command const& command, toy_program const& wanted, step_outcome& out)
{
    std::vector<run_conditions> how(command.operators, command.of_apply);
    for (std::size_t i = 0; i < how.size(); ++i) {
        how[i].seed += i;
        how[i].run = "run" + std::to_string(steps_) + "." + std::to_string(i);
    }
    cloud.start_new_log();
    auto const outcomes = apply_together(wanted, command.options, cloud, kept, how, command.lease);
    kept.restart(command.power);
    out.ok = true;
    for (operator_outcome const& one : outcomes) {
        out.ended = out.ended && (one.applied || !one.refused.empty());
        out.ok = out.ok && one.applied && one.applied->ok;
        add_codes(out.problems, one.refused);
        if (one.applied) add_codes(out.problems, one.applied->problems);
    }
    out.order = cloud.order();
    for (std::string& name : out.order) name = short_name(std::move(name));
    check_moment();
    cloud.set_conditions({});
    if (out.ok && !step.is_partial() && command.options.mode == plan_mode::normal) check_nothing_to_do(step);
}

auto lifecycle_world::run(std::string_view text) -> step_outcome
{
    step_outcome last;
    for (scenario_step const& step : parse_scenario(text, program_).steps) last = run(step);
    return last;
}

// Objects that a plan forgets stay in the cloud.
void lifecycle_world::mark_forgotten(toy_plan const& plan)
{
    for (auto const& c : plan.changes) {
        bool const forgets = c.what == infra::action::forget || c.what == infra::action::forget_then_create;
        if (forgets && c.before) disowned_.insert((*c.before)["id"]);
    }
}

void lifecycle_world::check_moment()
{
    infra::snapshot const& state = kept.now();
    std::set<std::string> known = ids_of(state);
    for (auto const& o : cloud.log())
        if (state.pending.contains(o.key)) known.insert(o.object);
    for (auto const& [id, _] : cloud.resources())
        if (!known.contains(id) && !disowned_.contains(id))
            broken(short_name(id) + " exists, but is not in state and not in a pending operation");
    for (std::string const& key : cloud.duplicates()) broken("performed twice: " + key);

    // Every prefix is the state after a crash at that moment.
    infra::snapshot prefix = kept.before_entries();
    std::size_t count = 0;
    auto const check = [&] {
        for (auto const& e : infra::verify_integrity(prefix))
            broken("after " + std::to_string(count) + " entries: " + e.address + ": " + e.code);
    };
    check();
    for (auto const& batch : kept.batches())
        for (infra::journal_entry const& e : batch) {
            ++count;
            if (!replay(prefix, e)) return broken("entry " + std::to_string(count) + " does not fit");
            if (e.result() && !infra::sim::from_document(e.result()->attributes))
                broken("entry " + std::to_string(count) + " cannot be decoded");
            check();
        }
    prefix.lineage = state.lineage;
    if (prefix != state) broken("the entries do not result in the state");
}

void lifecycle_world::check_nothing_to_do(scenario_step const& step)
{
    if (!kept.now().pending.empty()) broken("an operation is pending after a successful apply");
    auto const again = plan_simulated(toy(step.text()), {}, cloud, kept, {});
    if (!again || !*again) return broken("no plan after a successful apply");
    for (auto const& c : (*again)->changes)
        if (c.what != infra::action::no_op) broken("a second apply has work: " + short_name(to_string(c.target)));
    for (auto const& o : (*again)->outputs)
        if (o.what != infra::action::no_op) broken("a second apply has work: output " + o.name);
}

void lifecycle_world::check_destroy(scenario_step const& step)
{
    lifecycle_world copy(*this);
    copy.laws_ = {false, false};
    infra::plan_options all;
    all.mode = plan_mode::destroy;
    toy_program wanted = toy(step.text());
    wanted.defer(scenario_command(step).defers);
    auto const plan = plan_simulated(wanted, all, copy.cloud, copy.kept, {});
    if (!plan || !*plan) {
        if (!plan || !is_refusal(plan->error().why())) broken("no plan of a destroy");
        return;
    }
    copy.mark_forgotten(**plan);
    run_conditions how;
    how.run = "destroy" + std::to_string(steps_);
    auto const done = apply_simulated(wanted, **plan, copy.cloud, copy.kept, how);
    if (!done || !done->ok) return broken("a destroy does not succeed");
    if (!copy.kept.now().resources.empty()) broken("a destroy leaves " + copy.objects().front());
    for (auto const& [id, _] : copy.cloud.resources())
        if (!copy.disowned_.contains(id)) broken("a destroy leaves " + short_name(id) + " in the cloud");
}

void lifecycle_world::recover(scenario_step const& last)
{
    scenario_step calm{last.program, {"apply"}};
    std::size_t const before = kept.batches().size();
    auto const outcome = run(calm);
    if (outcome.ok) return;
    auto const planned = plan_simulated(toy(calm.text()), {}, cloud, kept, {});
    if (planned && !*planned && is_refusal(planned->error().why())) {
        if (kept.batches().size() != before) broken("a refused plan changed state");
        return;
    }
    std::string why;
    for (std::string const& p : outcome.problems) why += " " + p;
    broken("no recovery:" + why);
}

auto action_of(infra::change<toy_value> const& c) -> std::string
{
    static constexpr std::array<char const*, 9> words{
        "no-op", "create", "read", "update", "destroy", "destroy/create", "create/destroy", "forget", "forget/create"};
    return short_name(to_string(c.target)) + " " + words.at(static_cast<std::size_t>(c.what))
        + (c.of_deposed ? " deposed" : "");
}

auto play(scenario const& s, step_laws laws) -> std::vector<std::string>
{
    lifecycle_world world(laws);
    scenario_step const* last = nullptr;
    for (scenario_step const& step : s.steps) {
        world.run(step);
        if (step.verb() != "outside") last = &step;
    }
    if (last != nullptr) world.recover(*last);
    return world.violations();
}

}  // namespace strider::test
