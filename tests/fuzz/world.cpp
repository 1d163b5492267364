// SPDX-License-Identifier: BSL-1.0
#include <fuzz/reference.hpp>
#include <fuzz/world.hpp>

#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/selection.hpp>

#include <planted/engine.hpp>
#include <support/order_law.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace strider::test {
namespace {

using infra::address;
using infra::declaration_kind;
using infra::operation_kind;
using infra::resource_mode;
using infra::sim::cloud_operation;
using toy_change = infra::change<toy_value>;
namespace sim_codes = infra::sim::codes;

auto id_of(infra::object const& o) -> std::string
{
    auto const value = infra::sim::from_document(o.attributes);
    return value ? (*value)["id"] : std::string("damaged");
}

template <class T>
auto has(std::vector<T> const& all, T const& one) -> bool
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

template <class Code>
auto has_code(infra::diagnostics const& problems, Code const& code) -> bool
{
    return std::any_of(problems.begin(), problems.end(), [&](auto const& p) { return p.code == code; });
}

/// A command of a scenario, with the words that only this world knows.
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

/// Applies a calm command.
auto calm_step(std::vector<std::string> program, std::string verb) -> scenario_step
{
    return {std::move(program), {std::move(verb), "seed=5"}};
}

class fuzz_world {
public:
    fuzz_world(planted_fault fault, bool tells) : fault_(fault), tells_(tells) {}

    /// Runs commands at once. \return whether all of them succeeded
    auto run(std::span<scenario_step const> steps) -> bool;
    void recover(std::vector<std::string> const& program);
    [[nodiscard]] auto is_broken() const -> bool { return !outcome_.violations.empty(); }
    [[nodiscard]] auto take() -> lifecycle_outcome { return std::move(outcome_); }

private:
    /// One run of one operator: what it was asked for, and the world before and after.
    struct one_run {
        operator_order const& order;
        operator_report const& report;
        infra::snapshot const& prior;
        std::span<cloud_operation const> log;
        program_reference const& text;
        std::set<std::string> const& existed;  ///< ids of objects before
        bool refreshes;
        bool is_partial;
        bool crashed;
        bool is_calm;

        [[nodiscard]] auto mode() const -> plan_mode { return order.options.mode; }
        [[nodiscard]] auto is_complete() const -> bool
        {
            return report.applied && report.applied->ok && !is_partial && mode() == plan_mode::normal;
        }
        /// State contains what the engine reported.
        [[nodiscard]] auto is_durable() const -> bool { return report.applied && !report.applied->store_error; }
    };

    void broken(std::string_view law, std::string const& what)
    {
        outcome_.violations.push_back(std::string(law) + ": " + what + " (step " + std::to_string(steps_) + ")");
    }
    void count(std::string const& what) { ++outcome_.seen[what]; }
    void tell(std::string const& line)
    {
        if (tells_) outcome_.story += line + "\n";
    }
    void mix(std::string_view text)
    {
        for (char const c : text) outcome_.trace = (outcome_.trace ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
    }

    void change_outside(scenario_step const& step);
    void trace_run(operators_report const& report, std::size_t first_operation);
    [[nodiscard]] auto ordered_by(one_run const& r) const -> infra::snapshot;
    void check_moment();
    void check_exclusion(std::vector<operator_order> const& orders, operators_report const& report,
        std::span<cloud_operation const> log, std::size_t first_batch, infra::snapshot const& prior);
    void check_refusal(one_run const& r);
    void check_plan(one_run const& r);
    void check_selection(one_run const& r);
    void check_replacements(one_run const& r);
    void check_operations(one_run const& r);
    void check_limits(one_run const& r);
    void check_transitions(one_run const& r);
    void check_provisioners(one_run const& r);
    void check_configurations(one_run const& r);
    void check_conditions(one_run const& r);
    void check_complete(one_run const& r);
    void check_destroyed(one_run const& r);

    planted_fault fault_;
    bool tells_;
    infra::sim::cloud cloud_;
    infra::sim::durable_state kept_;
    std::set<std::string> disowned_;  // ids that state may no longer have although they exist
    std::set<std::string> incomplete_;  // ids of objects whose provisioners did not all run
    infra::snapshot prefix_;
    std::size_t checked_batches_ = 0;
    std::size_t checked_entries_ = 0;
    std::size_t steps_ = 0;
    std::size_t runs_ = 0;
    lifecycle_outcome outcome_{{}, 0xcbf2'9ce4'8422'2325U, {}, {}};
};

void fuzz_world::change_outside(scenario_step const& step)
{
    for (std::size_t i = 1; i < step.words.size(); ++i) {
        std::string const& word = step.words[i];
        std::size_t const mark = word.find('=');
        auto const parts = detail::split(std::string_view(word).substr(mark + 1), ',');
        auto const hash = parts[0].find('#');
        std::string const id = to_string(toy_address(parts[0].substr(0, hash))) + parts[0].substr(hash);
        if (cloud_.find(id) == nullptr) continue;
        count("outside");
        if (word.starts_with("destroy=")) cloud_.destroy_outside(id);
        else cloud_.change_outside(id, parts[1], parts[2]);
    }
}

auto fuzz_world::run(std::span<scenario_step const> steps) -> bool
{
    ++steps_;
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
                || w.starts_with("crash=") || w.starts_with("commit=");
        }));
        orders.push_back(std::move(order));
    }
    for (operator_order const& o : orders) texts.emplace_back(o.program);

    infra::snapshot const prior = kept_.now();
    std::set<std::string> existed;
    for (auto const& [id, _] : cloud_.things()) existed.insert(id);
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
                if (c.what == infra::action::forget && c.before) disowned_.insert((*c.before)["id"]);
    }
    count(report.crashed ? "crashed" : ok ? "succeeded" : report.of[0].plan ? "failed" : "refused");

    if (orders.size() > 1) check_exclusion(orders, report, log, first_batch, prior);
    else {
        auto const& options = orders[0].options;
        bool const partial = infra::is_partial(options);
        one_run const r{
            orders[0], report.of[0], prior, log, texts[0], existed, options.refresh, partial, report.crashed, calm[0]};
        if (r.report.plan) {
            check_plan(r);
            check_selection(r);
            check_replacements(r);
            check_operations(r);
            for (std::string const& v : order_violations(orders[0].program, ordered_by(r), *r.report.plan, log))
                broken("order", v);
            check_limits(r);
            check_configurations(r);
            check_conditions(r);
            check_provisioners(r);
            check_transitions(r);
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
    static constexpr std::array<char const*, 8> actions{
        "no-op", "create", "read", "update", "destroy", "destroy/create", "create/destroy", "forget"};
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
    mix(std::to_string(report.steps));
    tell("  steps " + std::to_string(report.steps) + (report.crashed ? ", crashed" : ""));
}

// The state whose dependencies determine the order: objects that do not exist any more have none, and before everything is
// destroyed a refresh replaces the dependencies of objects that would not change.
auto fuzz_world::ordered_by(one_run const& r) const -> infra::snapshot
{
    infra::snapshot s = r.prior;
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
    for (auto const& [id, _] : cloud_.things())
        if (!known.contains(id) && !disowned_.contains(id)) broken("known", id + " exists and nothing knows it");
    for (std::string const& key : cloud_.duplicates()) broken("once", key);

    // Every prefix is the state that a crash at this moment leaves.
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
    if (prefix_ != state) broken("integrity", "the entries do not lead to the state");
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

    // A plan is performed only if nothing changed since it was made.
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

// ------------------------------------------------------------------------------------------------------ laws of planning

void fuzz_world::check_refusal(one_run const& r)
{
    bool prevents = false;
    bool computes = false;
    bool has_conditions = false;
    bool has_triggers = false;
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        auto const& d = r.text[i];
        prevents = prevents || d.lifecycle.prevent_destroy;
        auto const is_computed = [](auto const& t) { return t && t->kind() != infra::sim::toy_term::kind_type::text; };
        computes = computes || is_computed(d.count) || is_computed(d.for_each);
        has_conditions = has_conditions || !d.conditions.empty();
        has_triggers = has_triggers || !d.triggers.empty();
    }
    bool const moves = !r.order.program.moves().empty() || !r.prior.resources.empty();
    for (auto const& p : r.report.refusal) {
        if (p.level != infra::severity::error) continue;
        bool expected = false;
        if (p.code == infra::codes::dependency_cycle) expected = is_contradictory(r.text, r.report.changes, r.mode());
        else if (p.code == sim_codes::prevented) expected = prevents;
        else if (p.code == sim_codes::unknown_repetition || p.code == sim_codes::invalid_count) expected = computes;
        else if (p.code == sim_codes::precondition_failed || p.code == sim_codes::postcondition_failed)
            expected = has_conditions;
        else if (p.code == infra::codes::unknown_replace_trigger
            || p.code == infra::codes::unknown_replace_trigger_in_module)
            expected = has_triggers;
        else if (p.code == infra::codes::undecided_operation)
            expected = r.order.of_plan.lost_memory && !r.prior.pending.empty();
        else if (p.code == infra::codes::move_cycle || p.code == infra::codes::moved_object_still_declared
            || p.code == infra::codes::moved_to_two_places || p.code == infra::codes::moved_from_two_places
            || p.code == infra::codes::move_to_itself)
            expected = !r.order.program.moves().empty();
        else if (p.code == infra::codes::moved_objects_not_targeted || p.code == infra::codes::moved_objects_excluded)
            expected = moves && r.is_partial;
        else if (p.code == sim_codes::data_missing) expected = !r.refreshes || r.is_partial;
        else if (p.code == sim_codes::not_evaluated || p.code == sim_codes::invalid_index)
            expected = r.is_partial || r.mode() == plan_mode::refresh_only;
        if (!expected) broken("refusal by " + p.code, p.address);
    }
}

void fuzz_world::check_plan(one_run const& r)
{
    auto const& plan = *r.report.plan;
    // Operations whose results a forgetful provider does not know need a decision, unless their objects were recorded.
    if (r.order.of_plan.lost_memory)
        for (auto const& [key, operation] : r.prior.pending)
            if (infra::created_by(r.prior, operation) == nullptr) broken("undecided", key + " was settled");
    if (!r.prior.pending.empty()) count("pending recovered");

    std::set<address> moved_from;
    for (toy_change const& c : plan.changes)
        if (c.previous) moved_from.insert(*c.previous);
    for (auto const& move : r.order.program.moves()) {
        if (move.from.type().empty() || move.from.key() || !move.from.module().empty()) continue;
        for (auto const& [a, record] : r.prior.resources) {
            if (a.config() != move.from || !record.current) continue;
            if (r.text.find(move.from) || r.mode() != plan_mode::normal || r.is_partial) continue;
            for (toy_change const& c : plan.changes)
                if (c.target == a && infra::destroys_object(c.what)) {
                    // Unless the move was blocked by an object at its destination, or at that of a later move.
                    bool const blocked = std::any_of(
                        r.order.program.moves().begin(), r.order.program.moves().end(), [&](auto const& other) {
                            return std::any_of(r.prior.resources.begin(), r.prior.resources.end(),
                                [&](auto const& one) { return one.first.config() == other.to; });
                        });
                    if (!blocked) broken("moved", to_string(a) + " is destroyed");
                }
        }
    }

    for (toy_change const& c : plan.changes) {
        auto const declared = c.declaration == infra::no_declaration ? std::nullopt : r.text.find(c.target.config());
        if (declared && !c.of_deposed && infra::destroys_object(c.what) && r.text[*declared].lifecycle.prevent_destroy)
            broken("prevented", to_string(c.target));
        if (r.mode() == plan_mode::normal && !declared && infra::destroys_object(c.what)
            && r.order.program.is_forgotten(c.target))
            broken("forgotten", to_string(c.target) + " is destroyed");
    }
    // Each object that is deposed is to be destroyed.
    if (r.mode() != plan_mode::refresh_only && !r.is_partial && r.prior.pending.empty()
        && r.order.program.moves().empty())
        for (auto const& [a, record] : r.prior.resources)
            for (auto const& [key, old] : record.deposed) {
                if (cloud_.find(id_of(old)) == nullptr) continue;
                bool const planned =
                    std::any_of(plan.changes.begin(), plan.changes.end(), [&, &at = a, &k = key](auto const& c) {
                        return c.of_deposed && c.target == at && c.deposed_key == k;
                    });
                if (!planned) broken("deposed", to_string(a) + " " + key + " is not to be destroyed");
            }
}

void fuzz_world::check_selection(one_run const& r)
{
    if (!r.is_partial || r.mode() != plan_mode::normal) return;
    auto const& options = r.order.options;
    std::set<std::size_t> chosen;
    auto const is_named = [](std::vector<address> const& names, address const& block) {
        return infra::is_any(names, block, true);
    };
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        if (r.text[i].kind != declaration_kind::resource) continue;
        if (!options.targets.empty() && is_named(options.targets, r.text[i].target)) {
            chosen.insert(i);
            chosen.insert(r.text.closure(i).begin(), r.text.closure(i).end());
        }
        if (!options.excludes.empty()) {
            bool left_out = false;
            for (std::size_t const d : r.text.closure(i))
                if (r.text[d].kind == declaration_kind::resource && d != i)
                    left_out = left_out || is_named(options.excludes, r.text[d].target);
            if (!left_out) chosen.insert(i);
        }
    }
    for (toy_change const& c : r.report.plan->changes) {
        if (c.what == infra::action::no_op) continue;
        auto const declared = r.text.find(c.target.config());
        bool const in = declared ? chosen.contains(*declared) && !infra::is_any(options.excludes, c.target, false)
                                 : infra::is_covered(options, c.target);
        if (!in) broken("selection", to_string(c.target) + " is not selected");
    }
    // A dependency of a target is planned, too.
    if (!options.excludes.empty()) return;
    for (std::size_t const i : chosen) {
        if (r.text[i].kind != declaration_kind::resource) continue;
        bool const planned = std::any_of(r.report.plan->changes.begin(), r.report.plan->changes.end(),
            [&](toy_change const& c) { return c.target.config() == r.text[i].target; });
        auto const instances = r.text.instances(i, r.prior);
        bool const has_key =
            std::any_of(options.targets.begin(), options.targets.end(), [](address const& a) { return !!a.key(); });
        if (!planned && instances && !instances->empty() && !has_key && !r.text[i].count && !r.text[i].for_each
            && r.text[i].target.module().empty())
            broken("selection", r.text[i].name + " is missing");
    }
}

void fuzz_world::check_replacements(one_run const& r)
{
    if (r.mode() != plan_mode::normal) return;
    auto const& plan = *r.report.plan;
    for (toy_change const& c : plan.changes) {
        if (c.of_deposed || c.declaration == infra::no_declaration || c.target.mode() != resource_mode::managed)
            continue;
        auto const i = r.text.find(c.target.config());
        if (!i) continue;
        auto const& d = r.text[*i];
        if (infra::is_replace(c.what) && !r.is_partial) {
            bool const late = c.what == infra::action::create_then_destroy;
            if (late != r.text.creates_before_destroy(*i))
                broken("replacement", to_string(c.target) + (late ? " is created first" : " is destroyed first"));
        }
        auto const* const record = r.prior.find(c.previous.value_or(c.target));
        bool const exists = c.before && record != nullptr && record->current;
        if (!exists || c.what == infra::action::destroy) continue;
        bool const requested = has(r.order.options.replace, c.target);
        bool triggered = false;
        for (infra::replace_trigger const& t : d.triggers)
            for (toy_change const& other : plan.changes) {
                auto const subject = r.text.find(other.target.config());
                if (!subject || r.text[*subject].name != t.subject.name || !infra::changes_object(other.what)) continue;
                if (other.target.module() != c.target.module() || !other.after || !other.before) continue;
                triggered = triggered || t.attribute.empty() || other.after->is_unknown(t.attribute)
                    || (*other.before)[t.attribute] != (*other.after)[t.attribute];
            }
        if ((requested || triggered || record->current->tainted) && !infra::is_replace(c.what)
            && r.prior.pending.empty())
            broken("replacement", to_string(c.target) + " is not replaced");
        // Ignored attributes stay as they are.
        if (c.what == infra::action::update)
            for (std::string const& name : d.ignored)
                if (c.before->has(name) && !c.after->has_same(name, *c.before))
                    broken("ignored", to_string(c.target) + "." + name);
    }
}

// ------------------------------------------------------------------------------------------------------ laws of applying

void fuzz_world::check_operations(one_run const& r)
{
    auto const& plan = *r.report.plan;
    auto const wants = [&](cloud_operation const& o) -> toy_change const* {
        for (toy_change const& c : plan.changes) {
            if (c.target != o.target) continue;
            bool const late = c.what == infra::action::create_then_destroy;
            bool const creates = c.what == infra::action::create || infra::is_replace(c.what);
            switch (o.kind) {
            case operation_kind::create:
                if (creates && o.deposed_key == (late ? c.deposed_key : "")) return &c;
                break;
            case operation_kind::update:
                if (c.what == infra::action::update) return &c;
                break;
            case operation_kind::destroy:
                if (infra::destroys_object(c.what) && o.deposed_key == (late || c.of_deposed ? c.deposed_key : ""))
                    return &c;
                break;
            case operation_kind::read: break;
            }
        }
        return nullptr;
    };
    std::size_t done = 0;
    bool any_failed = false;
    for (cloud_operation const& o : r.log) {
        toy_change const* const c = wants(o);
        if (c == nullptr) {
            broken("planned", o.key + " was not planned");
            continue;
        }
        ++done;
        any_failed = any_failed || o.failed || o.end == 0;
        std::string const expected = o.kind == operation_kind::create ? o.object : c->before ? (*c->before)["id"] : "";
        if (!o.object.empty() && o.object != expected) broken("planned", o.key + " changed " + o.object);
        if (o.kind != operation_kind::destroy && o.end != 0 && !o.failed && c->after) {
            auto const* const made = cloud_.find(o.object);
            bool const is_last = std::none_of(r.log.begin(), r.log.end(),
                [&](cloud_operation const& later) { return later.begin > o.begin && later.object == o.object; });
            if (made != nullptr && is_last)
                for (auto const& [name, text] : c->after->attributes())
                    if (text && made->value[name] != *text)
                        broken("planned", o.key + " set " + name + " to " + made->value[name] + ", not " + *text);
        }
    }
    if (any_failed && r.report.applied && r.report.applied->ok) broken("reported", "a failure was not reported");
    if (!r.report.applied || !r.report.applied->ok) return;
    std::size_t wanted = 0;
    std::size_t possible = 0;
    for (toy_change const& c : plan.changes) {
        bool const managed = c.target.mode() == resource_mode::managed;
        wanted += managed && infra::makes_object(c.what) ? 1U : 0U;
        wanted += managed && infra::destroys_object(c.what) ? 1U : 0U;
        possible += managed && c.what == infra::action::update && !c.after->wholly_known() ? 1U : 0U;
    }
    if (done > wanted || done + possible < wanted)
        broken("planned", std::to_string(done) + " operations instead of " + std::to_string(wanted));
}

void fuzz_world::check_limits(one_run const& r)
{
    auto const& limits = r.order.of_apply.limits;
    std::size_t limit = limits.max_concurrency();
    for (auto const& [_, of_type] : limits.of_type) limit = std::min<std::size_t>(limit, of_type);
    std::size_t most = 0;
    std::optional<std::uint64_t> failure;
    std::size_t after_failure = 0;
    for (cloud_operation const& o : r.log) {
        std::size_t running = 1;
        for (cloud_operation const& other : r.log)
            if (&other != &o && other.begin < o.begin && other.end > o.begin) ++running;
        most = std::max(most, running);
        if (o.failed && (!failure || o.end < *failure)) failure = o.end;
    }
    for (cloud_operation const& o : r.log)
        if (failure && o.begin > *failure) ++after_failure;
    if (most > limit) broken("limit", std::to_string(most) + " operations run at once");
    if (limits.stop_on_first_failure && after_failure + 1 > limit)
        broken("first failure", std::to_string(after_failure) + " operations begin after it");
}

void fuzz_world::check_transitions(one_run const& r)
{
    if (!r.is_durable()) return;
    infra::snapshot const& state = kept_.now();
    infra::snapshot reported = r.report.applied->state;
    reported.lineage = state.lineage;
    if (reported != state && !has_code(r.report.applied->problems, infra::codes::stale_plan))
        broken("durable", "state differs from the report");

    std::set<std::string> open;
    for (cloud_operation const& o : r.log)
        if (o.end == 0) open.insert(o.key);
    for (auto const& [key, _] : state.pending)
        if (!open.contains(key)) broken("pending", key + " has no open operation");
    for (std::string const& key : open)
        if (!state.pending.contains(key)) broken("pending", key + " is not pending");

    // What an operation did follows from its answer.
    for (cloud_operation const& o : r.log) {
        if (o.end == 0) continue;
        auto const* const record = state.find(o.target);
        bool const changed_later = std::any_of(r.log.begin(), r.log.end(),
            [&](cloud_operation const& later) { return later.target == o.target && later.begin > o.begin; });
        bool const made = o.kind == operation_kind::create && !o.object.empty();
        bool const has_current = record != nullptr && record->current;
        if (o.kind == operation_kind::create && !changed_later) {
            if (made && (!has_current || id_of(*record->current) != o.object))
                broken("transition", o.object + " is not the current object of " + to_string(o.target));
            if (made && o.failed && has_current && !record->current->tainted)
                broken("transition", o.object + " is not tainted");
            if (!made && !o.deposed_key.empty() && !has_current)
                broken("transition", to_string(o.target) + " has no current object after a failure");
        }
        if (o.kind == operation_kind::destroy && !changed_later) {
            bool const stays =
                o.deposed_key.empty() ? has_current : record != nullptr && record->deposed.contains(o.deposed_key);
            if (stays != o.failed) broken("transition", o.key + (stays ? " is still in state" : " has left state"));
        }
    }
    // Objects without operations stay, but for those that do not exist any more, or were forgotten.
    for (auto const& [a, record] : state.resources)
        if (record.current && cloud_.find(id_of(*record.current)) == nullptr && a.mode() == resource_mode::managed
            && r.refreshes && !r.is_partial && r.report.applied->ok && r.mode() != plan_mode::destroy)
            broken("vanished", to_string(a) + " does not exist");
}

void fuzz_world::check_provisioners(one_run const& r)
{
    for (std::size_t n = 0; n < r.log.size(); ++n) {
        cloud_operation const& o = r.log[n];
        std::size_t const index = static_cast<std::size_t>(&o - cloud_.log().data());
        auto const declared = r.text.find(o.target.config());
        if (!declared) continue;
        std::size_t create_steps = 0;
        std::size_t destroy_steps = 0;
        std::size_t optional = 0;  // may fail
        for (auto const& [step, _] : r.text[*declared].steps) {
            ++(step.when == infra::provision_time::create ? create_steps : destroy_steps);
            optional += step.when == infra::provision_time::create && step.continue_on_failure ? 1U : 0U;
        }
        std::size_t before = 0;
        std::size_t after = 0;
        std::size_t failures = 0;
        for (provider_note const& note : r.report.provisions) {
            if (note.name != to_string(o.target)) continue;
            ++(note.operations <= index ? before : after);
            if (note.operations > index && !note.succeeded) ++failures;  // none of those that throw
        }
        if (o.kind == operation_kind::create && !o.object.empty()) {
            if (after > create_steps) broken("provisioners", "too many ran for " + o.object);
            if (after + optional < create_steps || failures > optional) incomplete_.insert(o.object);
        }
        if (o.kind == operation_kind::destroy && o.deposed_key.empty() && before < destroy_steps) {
            auto const* const record = r.prior.find(o.target);
            bool const tainted = record != nullptr && record->current && record->current->tainted;
            if (!tainted && r.prior.pending.empty() && r.order.program.moves().empty())
                broken("provisioners", "none ran before " + o.key);
        }
    }
    for (auto const& [a, record] : kept_.now().resources)
        if (record.current && !record.current->tainted && incomplete_.contains(id_of(*record.current))
            && !kept_.now().pending.contains(r.order.of_apply.run + "/create/" + to_string(a) + "/"))
            if (r.report.applied || r.crashed) {
                bool const open = std::any_of(kept_.now().pending.begin(), kept_.now().pending.end(),
                    [&at = a](auto const& p) { return p.second.target == at; });
                if (!open)
                    broken("provisioners", id_of(*record.current) + " is not tainted although a step is missing");
            }
}

void fuzz_world::check_configurations(one_run const& r)
{
    for (cloud_operation const& o : r.log) {
        std::size_t const index = static_cast<std::size_t>(&o - cloud_.log().data());
        for (toy_change const& c : r.report.plan->changes) {
            if (c.target != o.target || !r.text.find(c.provider)) continue;
            bool const is_this = o.deposed_key.empty() || c.deposed_key == o.deposed_key;
            if (!is_this) continue;
            bool const configured = std::any_of(r.report.configurations.begin(), r.report.configurations.end(),
                [&](provider_note const& note) { return note.name == c.provider && note.operations <= index; });
            if (!configured) broken("configured", o.key + " begins before " + c.provider + " is configured");
        }
    }
}

void fuzz_world::check_conditions(one_run const& r)
{
    if (r.crashed || r.is_partial || !r.is_durable()) return;
    for (cloud_operation const& o : r.log) {
        if (o.kind == operation_kind::destroy) continue;
        auto const declared = r.text.find(o.target.config());
        if (!declared) continue;
        for (auto const& condition : r.text[*declared].conditions) {
            if (condition.when != infra::condition_time::before) continue;
            auto const is = r.text.value(condition.term, o.target, kept_.now());
            if (is && *is != condition.expected)
                broken("condition", o.key + " was performed although its precondition fails");
        }
    }
}

void fuzz_world::check_complete(one_run const& r)
{
    infra::snapshot const& state = kept_.now();
    if (!state.pending.empty()) broken("complete", "an operation is pending");
    std::set<address> wanted;
    for (std::size_t i = 0; i < r.text.size(); ++i) {
        auto const& d = r.text[i];
        if (d.kind == declaration_kind::output) {
            auto const is = r.text.value(d.attributes.at("value"), {}, state);
            auto const at = state.outputs.find(d.name.substr(7));
            auto const value = at == state.outputs.end() ? std::nullopt : infra::sim::from_document(at->second.value);
            if (is && (!value || (*value)["value"] != *is)) broken("complete", d.name + " is not " + *is);
        }
        if (d.kind != declaration_kind::resource) continue;
        auto const instances = r.text.instances(i, state);
        if (!instances) {
            broken("complete", d.name + " has unknown instances");
            continue;
        }
        auto const names = r.text.dependencies(i);
        for (address const& a : *instances) {
            wanted.insert(a);
            auto const* const record = state.find(a);
            if (record == nullptr || !record->current) {
                broken("complete", to_string(a) + " does not exist");
                continue;
            }
            auto const object = infra::sim::from_document(record->current->attributes);
            for (auto const& [name, term] : d.attributes) {
                auto const is = r.text.value(term, a, state);
                if (is && !has(d.ignored, name) && (*object)[name] != *is)
                    broken("complete", to_string(a) + "." + name + " is " + (*object)[name] + ", not " + *is);
            }
            if (a.mode() != resource_mode::managed) continue;
            if (auto const* const thing = cloud_.find((*object)["id"]);
                thing != nullptr && r.refreshes && thing->value != *object)
                broken("complete", to_string(a) + " differs from the cloud");
            if (record->current->tainted) broken("complete", to_string(a) + " is tainted");
            if (!record->deposed.empty()) broken("complete", to_string(a) + " has a deposed object");
            auto const stored = record->current->dependencies.names();
            for (std::string const& name : names)
                if (!has(stored, name)) broken("dependencies", to_string(a) + " lacks " + name);
            for (std::string const& name : stored)
                if (!names.contains(name)) {
                    // Of a module that is still declared, what is no longer declared counts for one more run.
                    auto const block = infra::parse_address(name).value();
                    bool const was = std::any_of(r.prior.resources.begin(), r.prior.resources.end(),
                        [&](auto const& one) { return one.first.config() == block; });
                    if (r.text.find(block) || !was || block.module().empty())
                        broken("dependencies", to_string(a) + " keeps " + name);
                }
            bool const late = record->current->create_before_destroy;
            if (late != r.text.creates_before_destroy(i) && !r.text.is_named_by_key(i))
                broken("recorded cbd", to_string(a) + (late ? " has the flag" : " lacks the flag"));
        }
    }
    for (auto const& [a, record] : state.resources)
        if (!wanted.contains(a)) broken("complete", to_string(a) + " is not declared");
    for (auto const& [name, _] : state.outputs)
        if (!r.text.find("output." + name)) broken("complete", "output " + name + " is not declared");
}

void fuzz_world::check_destroyed(one_run const& r)
{
    (void)r;
    infra::snapshot const& state = kept_.now();
    if (!state.resources.empty()) broken("destroyed", to_string(state.resources.begin()->first) + " is left");
    if (!state.outputs.empty()) broken("destroyed", "output " + state.outputs.begin()->first + " is left");
    for (auto const& [id, _] : cloud_.things())
        if (!disowned_.contains(id)) broken("destroyed", id + " is left in the cloud");
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
        // A failing condition, prevent_destroy, a cycle, a list that is not known: the program cannot be applied.
        count("not applicable");
    }
    if (is_broken()) return;
    if (once(last, "destroy")) return;
    if (is_broken()) return;
    count("destroyed without program");
    last.clear();
    if (!once(last, "apply")) broken("recovery", "the empty program cannot be applied");
    for (auto const& [id, _] : cloud_.things())
        if (!disowned_.contains(id)) broken("recovery", id + " is left in the cloud");
}

}  // namespace

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
