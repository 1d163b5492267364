// SPDX-License-Identifier: BSL-1.0
// Commands that read state from a file in Terraform's format: `state push`, and `workspace new -state`.
#include "state_push.hpp"

#include "base/input_file.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "messages/with_text.hpp"

#include <iostream>
#include <string>
#include <utility>

namespace iacctl::commands {

auto read_pushed(session const& s, std::string const& path) -> expected<workspace::pushed_state>
{
    auto const methods = s.workspace().root().encryption();
    if (!methods) return methods.error();
    bool const typed = path == "-";
    auto text = typed ? read_input(std::cin) : read_input(path, input_kind::file_or_pipe);
    if (!text) return infra::failure(make_error(messages::unreadable_file, {path, text.error().message()}));
    auto read = workspace::parse_pushed(std::move(*text), (*methods)->state);
    if (read) return read;
    std::string problems;
    for (infra::diagnostic const& one : read.error().why()) {
        auto const d = messages::with_text(one);
        problems += (problems.empty() ? "" : "\n") + d.summary + (d.detail.empty() ? "." : ": " + d.detail);
    }
    return infra::failure(make_error(messages::unusable_state_file, {path, problems}));
}

namespace {

struct push_options : options_with<variable_options, lock_options, changed_file_options> {
    bool force = false;

    void declare(option_list& to)
    {
        to.on("force", "Write the state even if it is older or has another lineage.", force);
        options_with::declare(to);
    }
};

auto state_push(push_options const& options, session const& s) -> int
{
    if (options.arguments.size() != 1)
        return s.report(make_error(
            messages::arguments_missing, {s.runs().name, "one argument: the name of a file, or - for standard input"}));
    auto const pushed = read_pushed(s, options.arguments.front());
    if (!pushed) return s.report(pushed.error());
    auto opened = options.force ? s.workspace().replace() : s.workspace().change();
    if (!opened) return s.report(opened.error());
    if (!options.force)
        if (auto const why = workspace::find_conflict(opened->now(), *pushed, opened->store().content_id()))
            return s.report(*why);
    auto const written = workspace::write_pushed(
        s.workspace().options(), opened->store(), opened->now(), pushed->content, opened->is_unusable());
    return written ? 0 : s.report(written.error());
}

}  // namespace

constinit command const state_push_command{"state push", {.backend = true, .providers = true}, begin<state_push>,
    "Replace state with a file",
    "Replaces the state of the workspace with the state in FILE, which has Terraform's format. \"-\" is standard "
    "input.",
    {"FILE", any_number, completion::file}};

}  // namespace iacctl::commands
