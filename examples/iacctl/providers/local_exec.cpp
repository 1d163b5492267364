// SPDX-License-Identifier: BSL-1.0
#include "local_exec.hpp"

#include "base/child_process.hpp"
#include "base/go_quoted.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "redaction.hpp"
#include "resource_type.hpp"

#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using strider::infra::diagnostics;

constexpr std::size_t remembered_output = 8 * 1024;
constexpr std::size_t longest_line = 64 * 1024;  // longer ones are printed in parts

// The text of a Go slice of strings, as Terraform prints the command: ["/bin/sh" "-c" "echo"].
auto quoted(std::vector<std::string> const& words) -> std::string
{
    std::string text = "[";
    for (std::string const& word : words) {
        if (text.size() > 1) text += ' ';
        text += go_quoted(word);
    }
    return text + "]";
}

auto command_of(value const& config) -> child_command
{
    child_command c;
    value const bare = config.unmarked_deep();
    c.directory = text_of(bare, "working_dir");
    c.words = texts_of(bare, "interpreter");
    if (c.words.empty()) c.words = {"/bin/sh", "-c"};
    c.words.push_back(text_of(bare, "command"));
    c.added = pairs_of(bare, "environment");
    return c;
}

auto about_command(strider::infra::diagnostic problem) -> diagnostics
{
    return about_attribute("command", std::move(problem));
}

auto not_started(std::string const& command, child_outcome const& outcome) -> diagnostics
{
    auto const why = std::generic_category().message(outcome.start_error);
    return about_command(messages::make_error(messages::local_exec_not_started, {command, why}));
}

auto ended_badly(std::string const& command, child_outcome const& outcome, std::string const& shown) -> diagnostics
{
    return about_command(messages::make_error(messages::local_exec_failed, {command, outcome.text(), shown}));
}

}  // namespace

auto local_exec_schema() -> language::schema const&
{
    static language::schema const s{{
        {.name = "command", .of = type::string(), .required = true},
        {.name = "environment", .of = type::map(type::string()), .optional = true},
        {.name = "interpreter", .of = type::list(type::string()), .optional = true},
        {.name = "quiet", .of = type::boolean(), .optional = true},
        {.name = "working_dir", .of = type::string(), .optional = true},
    }};
    return s;
}

auto local_exec(strider::infra::provision_request<value> request, std::set<std::string> withheld, command_runner run)
    -> task<diagnostics>
{
    child_command c = command_of(request.config);
    c.withheld = std::move(withheld);
    if (!run)
        run = [](child_command cc, std::function<bool(std::string_view)> output) {
            return run_child(std::move(cc), std::move(output));
        };
    std::string const marks = marks_text(request.config);
    std::string const hidden = marks.empty() ? std::string() : hidden_text(marks, "the provisioner");
    std::string const command = marks.empty() ? c.words.back() : hidden;
    if (c.words.back().empty()) co_return about_command(messages::make_error(messages::local_exec_command_empty));
    auto const report = [&](std::string const& line) { request.print(marks.empty() ? line : suppressed_line(marks)); };
    if (flag_of(request.config.unmarked_deep(), "quiet")) report("local-exec: Executing: Suppressed by quiet=true");
    else report("Executing: " + quoted(c.words));

    std::string line;
    std::string kept;
    auto running = run(std::move(c), [&](std::string_view got) {
        kept += got;
        if (kept.size() > remembered_output) kept.erase(0, kept.size() - remembered_output);
        for (char const ch : got) {
            if (ch == '\n') {
                report(line);
                line.clear();
            } else if (ch != '\r') line += ch;
            if (line.size() < longest_line) continue;
            report(line);
            line.clear();
        }
        return true;
    });
    child_outcome const outcome = co_await std::move(running);
    if (outcome.obstacle == run_obstacle::not_run)
        co_return about_command(
            messages::make_error(messages::local_exec_not_placed, {command, outcome.obstacle_text}));
    if (outcome.obstacle == run_obstacle::outcome_unknown)
        co_return about_command(
            messages::make_error(messages::local_exec_outcome_unknown, {command, outcome.obstacle_text}));
    if (outcome.start_error != 0) co_return not_started(command, outcome);
    if (!line.empty()) report(line);
    if (outcome.succeeded()) co_return diagnostics();
    co_return ended_badly(command, outcome, marks.empty() ? shown_output(kept) : "  " + hidden);
}

}  // namespace iacctl::providers
