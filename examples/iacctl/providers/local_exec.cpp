// SPDX-License-Identifier: BSL-1.0
#include "local_exec.hpp"

#include "base/child_process.hpp"
#include "base/go_quoted.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "provisioner_output.hpp"
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
    provisioner_output printed(request.print, request.config);
    std::string const command = printed.shown(c.words.back());
    if (c.words.back().empty()) co_return about_command(messages::make_error(messages::local_exec_command_empty));
    if (flag_of(request.config.unmarked_deep(), "quiet"))
        printed.report("local-exec: Executing: Suppressed by quiet=true");
    else printed.report("Executing: " + quoted(c.words));
    auto running = run(std::move(c), [&](std::string_view got) {
        printed.take(got);
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
    printed.finish();
    if (outcome.succeeded()) co_return diagnostics();
    co_return ended_badly(command, outcome, printed.shown_end());
}

}  // namespace iacctl::providers
