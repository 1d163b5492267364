// SPDX-License-Identifier: BSL-1.0
#include <fuzz/laws.hpp>

#include <strider/infra/model/selection.hpp>

#include <support/order_law.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace strider::test {
namespace {

using infra::address;
using infra::resource_mode;
using infra::sim::cloud_operation;

/// A command of a scenario, with the words that only this world supports.
struct order_words {
    scenario_step plain;
    bool together = false;
    bool saved = false;
    bool first_failure = false;
    std::optional<std::uint32_t> type_limit;
    std::optional<std::uint64_t> crash;

    explicit order_words(scenario_step const& step) : plain{step.program, {}}
    {
        for (std::string const& word : step.words) {
            auto const number = [&] { return detail::to_number(std::string_view(word).substr(word.find('=') + 1)); };
            if (word == "together") together = true;
            else if (word == "saved") saved = true;
            else if (word == "first_failure") first_failure = true;
            else if (word.starts_with("type_limit=")) type_limit = static_cast<std::uint32_t>(number());
            else {
                if (word.starts_with("crash=")) crash = number();
                plain.words.push_back(word);
            }
        }
    }
};

auto forgets(infra::action what) -> bool
{
    return what == infra::action::forget || what == infra::action::forget_then_create;
}

/// A command without faults.
auto calm_step(std::vector<std::string> program, std::string verb) -> scenario_step
{
    return {std::move(program), {std::move(verb), "seed=5"}};
}

/// Returns whether objects of two resources move to one. Dependencies name resources, so state can no longer
/// distinguish them.
auto merges_resources(toy_plan const& plan) -> bool
{
    std::map<address, address> from;
    for (toy_change const& c : plan.changes) {
        address const before = c.previous.value_or(c.target).config();
        if (from.try_emplace(c.target.config(), before).first->second != before) return true;
    }
    return false;
}

/// Objects that depend on each other according to state have no order. `reach` has further dependencies, by block.
void forgive_mutual_dependencies(infra::snapshot& s, std::map<std::string, std::set<std::string>> reach)
{
    for (auto const& [a, record] : s.resources)
        if (record.current)
            for (std::string const& name : record.current->dependencies.names())
                reach[to_string(a.config())].insert(name);
    for (bool more = true; std::exchange(more, false);)
        for (auto& [_, all] : reach)
            for (std::string const& name : std::set<std::string>(all))
                if (auto const further = reach.find(name); further != reach.end())
                    for (std::string const& next : further->second) more = all.insert(next).second || more;
    for (auto& [a, record] : s.resources) {
        if (!record.current) continue;
        auto names = record.current->dependencies.names();
        std::string const own = to_string(a.config());
        std::erase_if(names, [&](std::string const& name) { return reach[name].contains(own); });
        record.current->dependencies = infra::dependency_set(std::move(names), {});
    }
}

}  // namespace

void fuzz_world::change_outside(scenario_step const& step)
{
    for (std::size_t i = 1; i < step.words.size(); ++i) {
        std::string const& word = step.words[i];
        std::size_t const mark = word.find('=');
        auto const parts = detail::split(std::string_view(word).substr(mark + 1), ',');
        auto const hash = parts[0].find('#');
        address const target = toy_address(parts[0].substr(0, hash));
        std::string const id = to_string(target) + parts[0].substr(hash);
        if (word.starts_with("create=")) {
            toy_value value;
            for (std::size_t p = 1; p + 1 < parts.size(); p += 2) value.set(parts[p], parts[p + 1]);
            cloud_.create_outside(id, target, value);
            forgotten_.insert(id);
            count("created outside");
        }
        if (cloud_.find(id) == nullptr) continue;
        count("outside");
        if (word.starts_with("destroy=")) cloud_.destroy_outside(id);
        else cloud_.change_outside(id, parts[1], parts[2]);
    }
}

// As a user decides who looks at the objects: destroy operations that were interrupted at their provisioners have not been
// performed if the object exists. Otherwise its provider knows the result.
void fuzz_world::decide_provisioners()
{
    std::vector<infra::journal_entry> ends;
    for (auto const& [_, operation] : kept_.now().pending) {
        if (operation.kind != infra::operation_kind::destroy || !operation.provisioned) continue;
        auto const* const record = kept_.now().find(operation.target);
        bool const exists =
            record != nullptr && record->current && cloud_.resources().contains(id_of(*record->current));
        if (exists) ends.push_back(infra::journal_entry::end(operation, std::nullopt, true));
    }
    if (ends.empty()) return;
    if (!kept_.append(ends)) broken("decision", "the ends do not fit");
    count("provisioners decided");
}

// As a user decides about actions that may have been performed. Before that, no plan is made.
void fuzz_world::decide_actions(std::vector<std::string> const& program)
{
    std::vector<infra::journal_entry> ends;
    for (auto const& [_, operation] : kept_.now().pending)
        if (operation.kind == infra::operation_kind::invoke)
            ends.push_back(infra::journal_entry::end(operation, std::nullopt, false));
    if (ends.empty()) return;
    scenario_step const step{program, {"plan"}};
    scenario_command command(step);
    std::vector<operator_order> orders;
    orders.push_back({toy(step.text()), std::move(command.options), std::move(command.of_plan),
        std::move(command.of_apply), true, false});
    auto const report = run_operators(orders, cloud_, kept_, steps_, std::nullopt, fault_);
    if (report.of[0].plan) broken("undecided", "a plan was made although an action may have been performed");
    if (!kept_.append(ends)) broken("decision", "the ends do not fit");
    count("actions decided");
}

auto fuzz_world::run(std::span<scenario_step const> steps) -> bool
{
    ++steps_;
    decide_provisioners();
    decide_actions(steps.front().program);
    if (steps.front().verb() == "outside") {
        change_outside(steps.front());
        return true;
    }
    std::vector<operator_order> orders;
    std::vector<program_reference> texts;
    std::vector<bool> calm;
    std::optional<std::uint64_t> crash;
    std::uint64_t seed = 0;
    for (scenario_step const& step : steps) {
        order_words words(step);
        scenario_command command(words.plain);
        operator_order order{toy(step.text()), std::move(command.options), std::move(command.of_plan),
            std::move(command.of_apply), step.verb() == "plan", words.saved};
        order.of_apply.run = "run" + std::to_string(++runs_);
        order.of_apply.limits.stop_on_first_failure = words.first_failure;
        for (auto* how : {&order.of_plan, &order.of_apply})
            if (words.type_limit) how->limits.of_type["toy"] = *words.type_limit;
        order.of_apply.crash_after.reset();
        if (words.crash) crash = words.crash;
        seed ^= order.of_apply.seed;
        calm.push_back(std::none_of(step.words.begin(), step.words.end(), [](std::string const& w) {
            return w.starts_with("rates=") || w.starts_with("stop=") || w.starts_with("kill=")
                || w.starts_with("crash=") || w.starts_with("commit=") || w.starts_with("fails=")
                || w.starts_with("throws=") || w.starts_with("violates=");
        }));
        order.program.defer(command.defers);
        orders.push_back(std::move(order));
    }
    for (operator_order const& o : orders) texts.emplace_back(o.program);

    infra::snapshot const prior = kept_.now();
    std::set<std::string> existed;
    for (auto const& [id, _] : cloud_.resources()) existed.insert(id);
    std::size_t const first_operation = cloud_.log().size();
    std::size_t const first_batch = kept_.batches().size();
    operators_report const report = run_operators(orders, cloud_, kept_, seed, crash, fault_);
    trace_run(report, first_operation);
    std::span<cloud_operation const> const log = std::span(cloud_.log()).subspan(first_operation);

    bool ok = true;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        operator_report const& r = report.of[i];
        if (!report.crashed && !r.ended) broken("termination", "an operator does not end");
        ok = ok && r.ended && r.plan && (!r.applied || r.applied->ok);
        if (r.plan)
            for (toy_change const& c : r.plan->changes)
                if (forgets(c.what) && c.before) forgotten_.insert((*c.before)["id"]);
    }
    count(report.crashed ? "crashed" : ok ? "succeeded" : report.of[0].plan ? "failed" : "refused");

    if (orders.size() > 1) check_exclusion(orders, report, log, first_batch, prior);
    else {
        auto const& options = orders[0].options;
        bool const partial = infra::is_partial(options);
        one_run const r{orders[0], report.of[0], prior, log, texts[0], existed, options.refresh, partial,
            report.crashed, calm[0], first_batch};
        if (r.report.plan) {
            check_plan(r);
            check_selection(r);
            check_replacements(r);
            check_operations(r);
            if (!merges_resources(*r.report.plan))
                for (std::string const& v : order_violations(orders[0].program, ordered_by(r), *r.report.plan, log))
                    broken("order", v);
            check_limits(r);
            check_configurations(r);
            check_conditions(r);
            check_provisioners(r);
            check_kept(r);
            check_imports(r);
            check_deferral(r);
            check_lies(r);
            check_planned_invocations(r);
            check_invocations(r);
            check_progress(r);
            check_callers(r);
            check_requested(r);
            check_pending_actions(r);
            check_transitions(r);
            check_calm(r);
            if (r.is_complete()) check_complete(r);
            if (r.mode() == plan_mode::destroy && ok && !partial) check_destroyed(r);
        } else if (r.report.ended) {
            check_refusal(r);
            if (kept_.batches().size() != first_batch || !log.empty())
                broken("refusal", "a refused plan changed something");
        }
    }
    check_moment();
    return ok;
}

// -------------------------------------------------------------------------------------------------------------- trace

void fuzz_world::trace_run(operators_report const& report, std::size_t first_operation)
{
    static constexpr std::array<char const*, 9> actions{
        "no-op", "create", "read", "update", "destroy", "destroy/create", "create/destroy", "forget", "forget/create"};
    for (operator_report const& r : report.of) {
        for (auto const& p : r.refusal) {
            mix(p.code);
            tell("  refused: " + p.code + " " + p.address);
            for (std::string const& a : p.arguments) tell("    " + a);
            count("refused " + p.code);
        }
        if (r.plan)
            for (toy_change const& c : r.plan->changes) {
                std::string line = std::string(actions[static_cast<std::size_t>(c.what)]) + " " + to_string(c.target)
                    + (c.of_deposed ? " deposed " + c.deposed_key : "");
                mix(line);
                if (c.what != infra::action::no_op) count(actions[static_cast<std::size_t>(c.what)]);
                tell("  plan " + line);
            }
        if (r.plan && !r.plan->deferred.empty()) count("deferred");
        if (!r.applied) continue;
        for (auto const& p : r.applied->problems) {
            mix(p.code);
            tell("  problem: " + p.code + " " + p.address);
        }
        mix(r.applied->ok ? "ok" : "failed");
    }
    for (std::size_t i = first_operation; i < cloud_.log().size(); ++i) {
        cloud_operation const& o = cloud_.log()[i];
        std::string const line = o.key + " " + o.object + " " + std::to_string(o.begin) + ".." + std::to_string(o.end)
            + (o.failed ? " failed" : "");
        mix(line);
        tell("  " + line);
    }
    for (auto const& [a, record] : kept_.now().resources) {
        std::string line = to_string(a) + ":";
        auto const add = [&](infra::object const& o) {
            line += " " + id_of(o) + (o.tainted ? " tainted" : "") + (o.create_before_destroy ? " cbd" : "") + " [";
            for (std::string const& name : o.dependencies.names()) line += " " + name;
            line += " ]";
            mix(o.attributes.text());
        };
        if (record.current) add(*record.current);
        for (auto const& [key, old] : record.deposed) {
            line += " deposed " + key;
            add(old);
        }
        mix(line);
        tell("  state " + line);
    }
    for (auto const& [key, _] : kept_.now().pending) {
        mix(key);
        tell("  pending " + key);
    }
    std::string const steps = "steps " + std::to_string(report.steps) + (report.crashed ? ", crashed" : "");
    mix(steps);
    tell("  " + steps);
}

// The state whose dependencies determine the order: objects that do not exist any more have none, and before everything is
// destroyed a refresh replaces the dependencies of objects that would not change.
auto fuzz_world::ordered_by(one_run const& r) const -> infra::snapshot
{
    infra::snapshot s = r.prior;
    for (infra::journal_entry const& e : r.report.plan->refreshed)
        if (e.kind() == infra::journal_entry::kind_type::end) (void)replay(s, e);
    // A refresh adds declared dependencies, also such that lead back to an object which state orders the other way.
    std::map<std::string, std::set<std::string>> added;
    if (r.refreshes && r.mode() == plan_mode::destroy)
        for (auto const& [a, record] : s.resources)
            if (auto const declared = r.text.find(a.config()); declared && record.current)
                added[to_string(a.config())] = r.text.dependencies(*declared);
    forgive_mutual_dependencies(s, std::move(added));
    if (!r.refreshes) return s;
    for (auto& [a, record] : s.resources) {
        if (!record.current) continue;
        if (a.mode() == resource_mode::managed && !r.existed.contains(id_of(*record.current))) {
            record.current.reset();
            continue;
        }
        auto const declared = r.text.find(a.config());
        if (!declared || r.mode() != plan_mode::destroy) continue;
        auto const now = r.text.dependencies(*declared);
        auto names = record.current->dependencies.names();
        std::erase_if(names, [&](std::string const& name) { return !now.contains(name); });
        record.current->dependencies = infra::dependency_set(std::move(names), {});
    }
    return s;
}

// ---------------------------------------------------------------------------------------------------- laws of any moment

void fuzz_world::check_moment()
{
    infra::snapshot const& state = kept_.now();
    std::set<std::string> known;
    for (auto const& [a, record] : state.resources) {
        if (record.current) known.insert(id_of(*record.current));
        for (auto const& [_, old] : record.deposed) known.insert(id_of(old));
    }
    for (cloud_operation const& o : cloud_.log())
        if (state.pending.contains(o.key)) known.insert(o.object);
    for (auto const& [id, _] : cloud_.resources())
        if (!known.contains(id) && !forgotten_.contains(id))
            broken("known", id + " exists, but is not in state and not in a pending operation");
    for (std::string const& key : cloud_.duplicates()) broken("once", key);

    // Every prefix is the state after a crash at that moment.
    auto const check = [&] {
        for (auto const& e : infra::verify_integrity(prefix_))
            broken("integrity", "after " + std::to_string(checked_entries_) + " entries: " + e.address + ": " + e.code);
    };
    for (; checked_batches_ < kept_.batches().size(); ++checked_batches_)
        for (infra::journal_entry const& e : kept_.batches()[checked_batches_]) {
            ++checked_entries_;
            if (!replay(prefix_, e)) broken("integrity", "entry " + std::to_string(checked_entries_) + " does not fit");
            check();
        }
    prefix_.lineage = state.lineage;
    if (prefix_ != state) broken("integrity", "the entries do not result in the state");
}

void fuzz_world::check_exclusion(std::vector<operator_order> const& orders, operators_report const& report,
    std::span<cloud_operation const> log, std::size_t first_batch, infra::snapshot const& prior)
{
    count("two operators");
    // Operations of one operator end before those of another begin.
    std::size_t changes = 0;
    std::string last;
    std::set<std::string> past;
    for (cloud_operation const& o : log) {
        std::string const run = o.key.substr(0, o.key.find('/'));
        if (run == last) continue;
        if (past.contains(run)) broken("exclusion", "operations of two operators overlap");
        for (cloud_operation const& other : log)
            if (other.key.starts_with(last + "/") && other.end > o.begin)
                broken("exclusion", other.key + " runs when " + o.key + " begins");
        past.insert(run);
        last = run;
        ++changes;
    }
    if (changes > 1) count("two operators changed something");

    // No operator changes anything while another holds the lock, whether or not their operations overlap.
    std::size_t const before = cloud_.log().size() - log.size();
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!report.of[i].locked_after) continue;
        std::size_t const released = report.of[i].released_after.value_or(cloud_.log().size());
        for (std::size_t at = *report.of[i].locked_after; at < released; ++at)
            if (std::string const& key = log[at - before].key; !key.starts_with(orders[i].of_apply.run + "/"))
                broken("exclusion", key + " begins while " + orders[i].of_apply.run + " holds the lock");
    }

    // A plan is applied only if nothing has changed since it was made.
    infra::snapshot now = prior;
    std::vector<std::pair<std::string, std::uint64_t>> operations;  // run, and serial number after the begin
    for (std::size_t i = first_batch; i < kept_.batches().size(); ++i)
        for (infra::journal_entry const& e : kept_.batches()[i]) {
            (void)replay(now, e);
            std::string const& key = e.operation().operation;
            if (e.kind() == infra::journal_entry::kind_type::begin)
                operations.emplace_back(key.substr(0, key.find('/')), now.serial);
        }
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!report.of[i].plan) continue;
        std::string const& own = orders[i].of_apply.run;
        auto const first =
            std::find_if(operations.begin(), operations.end(), [&](auto const& one) { return one.first == own; });
        if (first == operations.end()) continue;
        for (auto at = operations.begin(); at != first; ++at)
            if (at->first.starts_with("run") && at->second > report.of[i].plan->serial)
                for (operator_order const& other : orders)
                    if (other.of_apply.run == at->first)
                        broken("stale", own + " performs a plan made before " + at->first);
    }
}

// ------------------------------------------------------------------------------------------------------------ recovery

void fuzz_world::recover(std::vector<std::string> const& program)
{
    auto const once = [&](std::vector<std::string> const& text, char const* verb) {
        scenario_step const step = calm_step(text, verb);
        tell("recovery: " + std::string(verb));
        return run(std::span(&step, 1));
    };
    std::vector<std::string> last = program;
    if (once(last, "apply")) {
        if (is_broken()) return;
        std::size_t const operations = cloud_.log().size();
        std::uint64_t const serial = kept_.now().serial;
        if (!once(last, "apply")) broken("second apply", "it fails");
        if (cloud_.log().size() != operations) broken("second apply", "it performs operations");
        if (kept_.now().serial != serial) count("second apply records something");
        count("recovered");
    } else {
        // A program cannot be applied because of a failing condition, prevent_destroy, a cycle, or an unknown list.
        count("not applicable");
    }
    if (is_broken()) return;
    if (once(last, "destroy")) return;
    if (is_broken()) return;
    count("destroyed without program");
    last.clear();
    if (!once(last, "apply")) broken("recovery", "the empty program cannot be applied");
    for (auto const& [id, _] : cloud_.resources())
        if (!forgotten_.contains(id)) broken("recovery", id + " is left in the cloud");
}

auto play_lifecycle(scenario const& s, planted_fault fault, bool tells) -> lifecycle_outcome
{
    fuzz_world world(fault, tells);
    std::vector<std::string> program;
    for (std::size_t i = 0; i < s.steps.size() && !world.is_broken();) {
        std::size_t end = i + 1;
        while (end < s.steps.size() && has(s.steps[end].words, std::string("together"))) ++end;
        world.run(std::span(s.steps).subspan(i, end - i));
        if (s.steps[i].verb() != "outside") program = s.steps[end - 1].program;
        i = end;
    }
    if (!world.is_broken()) world.recover(program);
    return world.take();
}

}  // namespace strider::test
