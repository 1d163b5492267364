// SPDX-License-Identifier: BSL-1.0
// Predicts an apply.
#include "base/durable_file.hpp"
#include "base/formatted.hpp"
#include "base/json_writer.hpp"
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "plan_request.hpp"
#include "session.hpp"
#include "views/progress.hpp"
#include "workspace/known_schemas.hpp"
#include "workspace/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using workspace::simulated_apply;
using end_type = simulated_apply::end_type;

struct simulate_options : options_with<plan_file_options, json_options, planning_options, variable_options,
                              other_input_options, reading_lock_options, read_file_options, message_options> {
    std::vector<infra::execution_limits> simulated;
    std::string durations = "history";
    std::vector<std::string> failing;
    std::optional<std::int64_t> crash_at;
    std::string trace;

    void declare(option_list& to)
    {
        to.with_value("parallelism", "N[,TYPE=N...]",
            "Simulate an apply with this parallelism. May be repeated. By default, several values are compared.",
            simulated);
        to.with_value("durations", "history|FILE",
            "Durations of operations: those of earlier runs (default), or of a file with the format of "
            ".iacctl/WORKSPACE/durations.",
            durations, completion::file);
        to.with_value("fail", "ADDRESS", "Make operations on this module, resource or instance fail. May be repeated.",
            failing, completion::address);
        to.with_value("crash-at", "N", "Show the state that a crash leaves when N operations have ended.", crash_at);
        to.with_value("trace", "FILE", "Write a trace for Perfetto or Chrome.", trace, completion::file);
        options_with::declare(to);
    }
};

struct prediction {
    infra::execution_limits limits;
    simulated_apply run;
};

constexpr std::uint32_t unlimited = 100'000;

auto limits_to_simulate(simulate_options const& options) -> std::vector<infra::execution_limits>
{
    if (!options.simulated.empty()) return options.simulated;
    std::vector<infra::execution_limits> all;
    for (std::uint32_t const n : {1U, 2U, 5U, 10U, 20U, 50U, unlimited}) {
        infra::execution_limits one;
        one.parallelism = n;
        all.push_back(one);
    }
    return all;
}

auto text_of(infra::execution_limits const& limits) -> std::string
{
    std::string text = limits.parallelism == unlimited ? "unlimited" : std::to_string(limits.parallelism);
    for (auto const& [type, limit] : limits.of_type) text += formatted(",{}={}", type, limit);
    return text;
}

auto name_of(end_type end) -> std::string_view
{
    switch (end) {
    case end_type::done: return "done";
    case end_type::failed: return "failed";
    case end_type::skipped: return "skipped";
    case end_type::running: return "running";
    case end_type::not_started: return "not_started";
    }
    return {};
}

// The outcome of an apply that does not carry out all operations.
auto outcome_text(simulated_apply const& apply) -> std::string
{
    constexpr std::size_t most_named = 20;
    std::string text;
    auto const list = [&](end_type end, std::string_view title) {
        if (apply.count(end) == 0) return;
        text += formatted("\n{} ({}):\n", title, apply.count(end));
        std::size_t named = 0;
        for (auto const& one : apply.operations)
            if (one.end == end && named++ < most_named)
                text += formatted("  {} {}\n", to_string(one.what.kind), one.what.address);
        if (named > most_named) text += formatted("  ... and {} more\n", named - most_named);
    };
    text += formatted("\n{} of {} operations are done when the apply ends after {}.\n", apply.count(end_type::done),
        apply.operations.size(), views::precise_text(apply.seconds));
    list(end_type::failed, "Failed");
    list(end_type::skipped, "Skipped, because a dependency failed");
    list(end_type::running,
        "Running, with an unknown outcome: the next plan reads these objects, or asks for \"state resolve\"");
    list(end_type::not_started, "Not started");
    return text;
}

auto as_lines(std::vector<workspace::timed_operation> const& all) -> std::vector<views::timed_line>
{
    std::vector<views::timed_line> lines;
    for (auto const& one : all) lines.push_back({one.kind, one.address, one.seconds});
    return lines;
}

auto text_of(std::vector<prediction> const& all, std::vector<workspace::timed_operation> const& path,
    workspace::known_durations const& known, bool shows_outcome) -> std::string
{
    if (known.operations == 0) return "The plan has no operations to simulate.\n";
    std::string text =
        formatted("Simulated apply of {} operation{}\n\n", known.operations, known.operations == 1 ? "" : "s");
    if (known.unknown > 0)
        text += formatted(
            "Without recorded duration: {}. Such an operation takes the mean time of its type, or no time.\n\n",
            known.unknown);
    std::size_t widest = std::string_view("Parallelism").size();
    for (prediction const& one : all) widest = std::max(widest, text_of(one.limits).size());
    text += formatted("  {:>{}}  {:>10}\n", "Parallelism", widest, "Duration");
    for (prediction const& one : all)
        text += formatted("  {:>{}}  {:>10}\n", text_of(one.limits), widest, views::precise_text(one.run.seconds));
    text += views::critical_path_block(as_lines(path));
    if (shows_outcome) text += outcome_text(all.back().run);
    return text;
}

auto operation_json(workspace::timed_operation const& operation) -> json_object
{
    json_object out;
    out.text("action", to_string(operation.kind))
        .text("address", operation.address)
        .raw("seconds", formatted("{:.3f}", operation.seconds));
    return out;
}

auto json_of(std::vector<prediction> const& all, std::vector<workspace::timed_operation> const& path,
    workspace::known_durations const& known) -> std::string
{
    json_array runs;
    for (prediction const& one : all) {
        json_array operations;
        for (auto const& operation : one.run.operations)
            operations.raw(operation_json(operation.what)
                    .raw("start", formatted("{:.3f}", operation.start))
                    .text("end", name_of(operation.end))
                    .done());
        json_object run;
        run.text("parallelism", text_of(one.limits)).raw("seconds", formatted("{:.3f}", one.run.seconds));
        runs.raw(run.raw("operations", operations.done()).done());
    }
    json_array critical;
    for (auto const& one : path) critical.raw(operation_json(one).done());
    json_object document;
    document.text("format_version", "1.0").raw("operations_without_duration", std::to_string(known.unknown));
    return document.raw("critical_path", critical.done()).raw("simulations", runs.done()).done();
}

auto read_durations(session const& s, std::string const& from) -> expected<workspace::recorded_durations>
{
    if (from == "history") return s.workspace().durations();
    if (auto read = workspace::recorded_durations::read_file(from)) return std::move(*read);
    return infra::failure(make_error(messages::durations_not_understood, {from}));
}

auto read_failing(std::vector<std::string> const& texts) -> expected<std::vector<infra::address>>
{
    std::vector<infra::address> all;
    for (std::string const& text : texts) {
        auto one = read_target(text);
        if (!one) return infra::failure(make_error(messages::unreadable_address, {text, mistake_in(one.error())}));
        all.push_back(std::move(*one));
    }
    return all;
}

auto simulate(simulate_options const& options, session const& s) -> int
{
    auto recorded = read_durations(s, options.durations);
    if (!recorded) return s.report(recorded.error());
    auto failing = read_failing(options.failing);
    if (!failing) return s.report(failing.error());
    auto const all_limits = limits_to_simulate(options);
    infra::diagnostics problems;
    for (auto const& limits : all_limits) workspace::check_limits(limits, s.providers(), problems);
    if (!problems.empty()) return s.report(problems);
    auto const p = plan_to_show(s, options.plan, options);
    if (!p) return p.error().value;

    workspace::expected_durations const durations(std::move(*recorded));
    std::ostringstream trace;
    std::vector<prediction> all;
    for (auto const& limits : all_limits) {
        bool const is_traced = !options.trace.empty() && &limits == &all_limits.back();
        auto run = workspace::simulate(p->plan.what, durations, {limits, *failing, is_traced ? &trace : nullptr});
        if (options.crash_at) run = workspace::after_crash(std::move(run), static_cast<std::size_t>(*options.crash_at));
        all.push_back({limits, std::move(run)});
    }
    auto const path = workspace::expected_critical_path(p->plan.what, durations);
    auto const known = workspace::count_known(p->plan.what, durations);
    if (options.json) s.out() << json_of(all, path, known) << '\n';
    else s.out() << text_of(all, path, known, !failing->empty() || options.crash_at.has_value());
    if (options.trace.empty()) return 0;
    if (auto const error = replace_file(options.trace, trace.str()))
        return s.report(make_error(messages::trace_not_written, {options.trace, error.message()}));
    s.tell_written("trace", options.trace);
    return 0;
}

constexpr std::string_view examples_of_simulate[] = {"iacctl simulate",
    "iacctl simulate -parallelism=10 -parallelism=50,aws_instance=5", "iacctl simulate -fail=terraform_data.one"};

}  // namespace

constinit command const simulate_command{"simulate",
    {.configuration = configuration_use::values, .backend = true, .providers = true}, begin<simulate>,
    "Predict the duration of an apply",
    "Makes a plan, and applies it in virtual time: each operation takes as long as in earlier runs. Shows the duration "
    "for several parallelisms and the critical path. Changes nothing.",
    {}, examples_of_simulate};

}  // namespace iacctl::commands
