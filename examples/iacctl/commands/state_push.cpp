// SPDX-License-Identifier: BSL-1.0
// State that comes from a file in Terraform's format: `state push`, and `workspace new -state`.
#include "state_push.hpp"

#include "commands.hpp"
#include "support/input_file.hpp"
#include "ui/worded.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

auto refuse(session const& s, std::string const& why) -> int
{
    s.err() << why << '\n';
    return 1;
}

}  // namespace

auto read_pushed(std::string const& path, std::string& problem) -> std::optional<app::pushed_state>
{
    bool const typed = path == "-";
    auto text = typed ? read_input(std::cin) : read_input(path, input_kind::file_or_pipe);
    if (!text) {
        problem = '"' + path + "\" cannot be read: " + text.error().message() + '.';
        return std::nullopt;
    }
    auto read = app::parse_pushed(std::move(*text));
    if (read) return std::move(*read);
    auto const why = read.error().why();
    problem = '"' + path + "\" cannot become state: ";
    for (infra::diagnostic const& one : why) {
        auto const d = ui::worded(one);
        problem += (&one == &why.front() ? "" : "\n") + d.summary + (d.detail.empty() ? "" : ": " + d.detail);
    }
    return std::nullopt;
}

auto state_push(session const& s) -> int
{
    if (s.asked().arguments.size() != 1)
        return refuse(s, "\"iacctl state push\" takes one argument: the name of a file, or - for standard input.");
    std::string problem;
    auto const pushed = read_pushed(s.asked().arguments.front(), problem);
    if (!pushed) return refuse(s, problem);
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    if (!s.asked().force)
        if (auto const why = app::find_conflict(opened->now(), *pushed))
            return refuse(s, why->summary + ": " + why->detail);
    auto const written = app::write_pushed(s.workspace().told(), opened->store(), opened->now(), pushed->content);
    return written ? 0 : s.tell(written.error());
}

}  // namespace iacctl::commands
