// SPDX-License-Identifier: BSL-1.0
#include "plan_policies.hpp"

#include "base/go_quoted.hpp"
#include "cli/arguments/addresses.hpp"
#include "messages/policies.hpp"
#include "messages/report.hpp"
#include "plan_request.hpp"
#include "views/plan_view.hpp"

#include <cstddef>
#include <string>

namespace iacctl::commands {

namespace {

auto run_of(workspace::saved_plan const& saved, views::plan_view& view) -> policy::planned_run
{
    policy::planned_run made;
    made.mode = saved.what.mode == infra::plan_mode::destroy ? "destroy"
        : saved.what.mode == infra::plan_mode::refresh_only  ? "refresh-only"
                                                             : "normal";
    made.workspace = saved.workspace;
    made.created = saved.created;
    made.complete = !saved.what.targeted && !saved.what.excluding && saved.what.deferred.empty();
    for (views::change_view& c : view.changes)
        made.changes.push_back({c.address, c.previous_address, c.deposed_key, c.provider_name, c.action, c.reason,
            c.before, c.after, c.replace_paths, c.importing_id});
    return made;
}

// Messages of other programs must not show sensitive values.
auto secrets_of(views::plan_view const& view) -> policy::secrets
{
    policy::secrets all;
    for (auto const* const changes : {&view.changes, &view.drift})
        for (views::change_view const& c : *changes) {
            all.add(c.before);
            all.add(c.after);
        }
    for (views::output_change_view const& o : view.output_changes) {
        all.add(o.before, o.sensitive);
        all.add(o.after, o.sensitive);
    }
    for (views::variable_view const& v : view.variables) all.add(v.of);
    return all;
}

}  // namespace

void policy_options::declare(option_list& to)
{
    to.begin_group("Policy options");
    to.with_value("policies", "DIR",
        "Check the plan against the policies in DIR, files *.policy.hcl and *.rego. A policy error rejects the plan. "
        "May be repeated.",
        policies, completion::directory);
    to.with_value("approve", "ADDRESS",
        "Approve that the plan destroys or replaces this resource or instance, which a policy protects. May be "
        "repeated.",
        approvals, completion::address);
}

auto plan_policies::read(session const& s, policy_options const& options) -> or_exit<plan_policies>
{
    infra::diagnostics problems;
    plan_policies made(policy::policy_set::read(options.policies, problems));
    for (std::string const& text : options.approvals) {
        if (auto address = read_instance(text)) made.approved_.push_back(std::move(*address));
        else {
            auto reported = address.error().why().front();
            reported.summary = "Invalid address of -approve " + go_quoted(text);
            problems.add(std::move(reported));
        }
    }
    if (!options.approvals.empty() && options.policies.empty())
        problems.add(make_error(messages::approval_without_policies));
    if (int const code = s.report(problems); code != 0) return exit_code{code};
    return made;
}

auto plan_policies::check(session const& s, workspace::prepared_plan const& made) const -> int
{
    if (all_.empty()) return 0;
    auto view = view_of(made.plan, s.schemas());
    for (auto* const changes : {&view.changes, &view.drift})
        for (views::change_view& c : *changes) {
            c.before = views::with_schema_marks(c.before, c.schema);
            c.after = views::with_schema_marks(c.after, c.schema);
        }
    infra::diagnostics problems;
    auto const document = [&] { return plan_document(s, *made.desired, made.plan, problems); };
    auto found = all_.check(run_of(made.plan, view), approved_, document, secrets_of(view));
    problems.add(std::move(found));
    return s.report(problems);
}

}  // namespace iacctl::commands
