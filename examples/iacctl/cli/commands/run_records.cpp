// SPDX-License-Identifier: BSL-1.0
// Records of a run beside state: a page, a trace, and spans.
#include "run_records.hpp"

#include "base/durable_file.hpp"
#include "cli/telemetry/spans.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "messages/with_text.hpp"
#include "own_version.hpp"
#include "page_views.hpp"
#include "views/diagnostic_text.hpp"

#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using recorded_end = workspace::recorded_operation::end_type;

// The reason why a file cannot be written. A pipe is not opened for this check, because its reader would see its end.
auto check_place(std::string const& file) -> error_code
{
    std::error_code ignored;
    return std::filesystem::is_fifo(file, ignored) ? error_code() : check_replaceable(file);
}

void write_trace_file(session const& s, std::string const& file, std::string const& text)
{
    if (auto const error = replace_file(file, text))
        (void)s.report(make_error(messages::trace_not_written, {file, error.message()}));
    else s.tell_written("trace", file);
}

auto result_of(recorded_end end) -> views::timed_visit::end_type
{
    switch (end) {
    case recorded_end::done: return views::timed_visit::end_type::done;
    case recorded_end::failed: return views::timed_visit::end_type::failed;
    case recorded_end::running: break;
    }
    return views::timed_visit::end_type::running;
}

auto span_of(session const& s, workspace::recorded_operation const& operation) -> telemetry::span
{
    auto const address = to_string(operation.target);
    auto const kind = operation.is_refresh ? std::string("refresh") : std::string(to_string(operation.kind));
    telemetry::span made{kind + ' ' + address, operation.start, operation.end};
    made.attributes = {
        {"iacctl.address", address}, {"iacctl.operation", kind}, {"iacctl.resource_type", operation.target.type()}};
    if (!operation.deposed_key.empty()) made.attributes.emplace_back("iacctl.deposed_key", operation.deposed_key);
    if (operation.result == recorded_end::done) return made;
    auto const reported = s.reported_of().find(address);
    made.error = reported != s.reported_of().end() ? reported->second
        : operation.result == recorded_end::failed ? "The operation failed."
                                                   : "The operation did not end before the command.";
    return made;
}

}  // namespace

auto check_records(session const& s, record_options const& files) -> int
{
    if (auto const error = files.trace.empty() ? error_code() : check_place(files.trace))
        return s.report(make_error(messages::trace_not_written, {files.trace, error.message()}));
    if (auto const error = files.html.empty() ? error_code() : check_place(files.html))
        return s.report(make_error(messages::page_not_written, {files.html, error.message()}));
    return 0;
}

void write_records(session const& s, record_options const& files, workspace::prepared_plan const& plan)
{
    if (!files.html.empty()) (void)write_page(s, files.html, page_of(s, *plan.desired, plan.plan));
    if (files.trace.empty() || s.recording() == nullptr) return;
    std::ostringstream text;
    workspace::write_trace(text, s.recording()->operations());
    write_trace_file(s, files.trace, text.str());
}

void write_records(session const& s, record_options const& files, workspace::prepared_plan const& plan,
    workspace::apply_result const& applied, std::uint32_t limit)
{
    if (s.recording() == nullptr) return;
    auto const all = s.recording()->operations();
    if (!files.html.empty()) {
        auto page = page_of(s, *plan.desired, plan.plan);
        auto const recorded = workspace::visits_of(plan.plan.what, all);
        page.run.emplace();
        page.run->seconds = recorded.seconds;
        page.run->failed = !applied.report.ok();
        page.run->limit = limit;
        page.run->problems = messages::with_text(applied.problems);
        page.run->problems.add(messages::with_text(applied.of_saving));
        page.seconds.assign(page.graph.vertices.size(), 0);
        for (workspace::recorded_visit const& one : recorded.visits) {
            page.run->visits.push_back({one.vertex.index(), one.ready, one.start, one.end, result_of(one.result)});
            page.seconds[one.vertex.index()] = one.end - one.start;
        }
        (void)write_page(s, files.html, page);
    }
    if (files.trace.empty()) return;
    std::ostringstream text;
    workspace::write_apply_trace(text, plan.plan.what, all);
    write_trace_file(s, files.trace, text.str());
}

void export_spans(session const& s, int exit_code) noexcept
try {
    if (s.recording() == nullptr || is_hidden(s.runs())) return;
    infra::diagnostics problems;
    auto const settings = telemetry::read_settings(s.workspace().options().environment, own_version(), problems);
    if (settings) {
        std::vector<telemetry::span> spans;
        telemetry::span whole{"iacctl " + std::string(s.runs().name), s.recording()->begin(), s.recording()->now()};
        whole.attributes = {{"iacctl.command", std::string(s.runs().name)}, {"iacctl.workspace", s.workspace().name()},
            {"process.exit.code", std::to_string(exit_code)}};
        if (s.is_failure(exit_code))
            whole.error = "The command ended with the exit code " + std::to_string(exit_code) + '.';
        spans.push_back(std::move(whole));
        for (workspace::recorded_operation const& one : s.recording()->operations()) spans.push_back(span_of(s, one));
        problems.add(telemetry::send(*settings, spans));
    }
    // Standard output may be read by another program.
    for (infra::diagnostic const& d : problems) {
        if (auto* const to = s.stream()) to->diagnostic(d);
        if (!s.machine_readable()) s.err() << views::diagnostic_text(d, s.text());
    }
} catch (...) {
    // The command has ended, and its result is reported. An export cannot change it.
    return;
}

}  // namespace iacctl::commands
