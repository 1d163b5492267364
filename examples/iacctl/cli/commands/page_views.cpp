// SPDX-License-Identifier: BSL-1.0
#include "page_views.hpp"

#include "base/durable_file.hpp"
#include "graph_views.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "workspace/expected_durations.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using change_type = infra::change<language::value>;

// The place of the declaration of a resource: "main.tf:12".
auto place_of(program::hcl_program const& desired, change_type const& type) -> std::string
{
    if (type.declaration == infra::no_declaration) return {};
    infra::diagnostics located{infra::diagnostic()};
    desired.locate(desired.declarations()[type.declaration], type.target, located);
    auto const& at = located.front().source;
    return at.file.empty() ? std::string() : at.file + ':' + std::to_string(at.line);
}

// The references in replace_triggered_by that have changes.
auto triggers_of(program::hcl_program const& desired, workspace::plan const& plan, change_type const& type)
    -> std::vector<std::string>
{
    std::vector<std::string> fired;
    if (type.reason != infra::action_reason::replace_by_triggers || type.declaration == infra::no_declaration)
        return fired;
    auto const all = desired.replace_triggers(desired.declarations()[type.declaration], type.target);
    if (!all) return fired;
    for (infra::replace_trigger const& t : *all) {
        auto const is_subject = [&](change_type const& c) {
            return c.config == t.subject.name && infra::changes_object(c.what)
                && (!t.subject.key || c.target.key() == t.subject.key)
                && (t.attribute.empty() || !c.before || !c.after || desired.trigger_differs(t, *c.before, *c.after));
        };
        if (std::ranges::any_of(plan.changes, is_subject))
            fired.push_back(t.subject.name + (t.attribute.empty() ? "" : '.' + t.attribute));
    }
    return fired;
}

}  // namespace

auto project_of(session const& s) -> std::string
{
    std::error_code unknown;
    auto const directory = std::filesystem::canonical(s.workspace().options().directory, unknown);
    return unknown ? std::string() : directory.filename().string();
}

auto page_of(session const& s, program::hcl_program const& desired, workspace::saved_plan const& saved)
    -> views::page_view
{
    views::page_view page;
    page.project = project_of(s);
    page.workspace = saved.workspace;
    page.graph = operations_graph(desired, saved.what);
    page.plan = view_of(saved, s.schemas(), shown_changes::to_be_made);
    for (views::change_view& c : page.plan->changes) {
        c.place = place_of(desired, saved.what.changes[c.number]);
        c.triggers = triggers_of(desired, saved.what, saved.what.changes[c.number]);
    }
    for (change_type const& c : saved.what.changes)
        if (c.what == infra::action::no_op) page.unchanged.insert(c.target.module());
    workspace::expected_durations const expected(s.workspace().durations());
    for (auto const& v : page.graph.vertices)
        page.seconds.push_back(
            v.operation ? expected.find(*v.operation, saved.what.changes[*v.change].target).value_or(0) : 0);
    return page;
}

auto write_page(session const& s, std::string const& file, views::page_view const& view) -> int
{
    if (auto const error = replace_file(file, views::page_text(view)))
        return s.report(make_error(messages::page_not_written, {file, error.message()}));
    s.tell_written("page", file);
    return 0;
}

}  // namespace iacctl::commands
