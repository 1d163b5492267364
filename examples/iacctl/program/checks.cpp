// SPDX-License-Identifier: BSL-1.0
// What a configuration says about checks: assertions, and data that only they can refer to.
#include "diagnostics.hpp"
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/variables.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace iacctl::program {

namespace {

using infra::check_status;

auto worse(check_status a, check_status b) -> check_status
{
    static constexpr std::array order{
        check_status::pass, check_status::unknown, check_status::fail, check_status::error};
    return std::max(
        a, b, [](check_status x, check_status y) { return std::ranges::find(order, x) < std::ranges::find(order, y); });
}

// One assertion: what does not hold, or is not known, is told in a warning.
void assess_rule(language::check_rule const& rule, instance_scope const& in, infra::check_outcome& outcome,
    language::diagnostics& found)
{
    language::diagnostics problems;
    auto result = language::evaluate_rule(rule, "check block assertion", in, problems);
    found.add(problems);
    if (problems.has_errors()) {
        outcome.status = worse(outcome.status, check_status::error);
        return;
    }
    auto const warn = [&](char const* summary, std::string detail) {
        auto told = language::warning(summary, std::move(detail), rule.condition.range());
        told.notes = language::value_notes(rule.condition, in);
        found.add(std::move(told));
    };
    if (!result.decided) {
        outcome.status = worse(outcome.status, check_status::unknown);
        warn("Check block assertion known after apply",
            "The condition could not be evaluated at this time, a result will be known when this plan is applied.");
    } else if (!result.holds) {
        outcome.status = worse(outcome.status, check_status::fail);
        if (!result.message_unknown) outcome.failures.push_back(result.message);
        warn("Check block assertion failed", std::move(result.message));
    }
}

}  // namespace

void hcl_program::declare_checks(module const& m)
{
    module_path path;
    for (auto const* up = &m; !up->is_root(); up = up->caller) path.insert(path.begin(), {up->call->name, {}});
    for (auto const& [name, c] : m.of->checks) {
        declaration d;
        d.check = &c;
        d.in = &m;
        if (c.data) {
            declaration data = d;
            data.kind = infra::declaration_kind::resource;
            data.name = m.prefix + c.data->address();
            data.resource = &*c.data;
            set_provider(data, m);
            data.address = infra::address(path, infra::resource_mode::data, c.data->type, c.data->name, {});
            for (language::reference const& named : c.data->depends_on) add_reference(data, m, named, true);
            add_references(data, c.data->content);
            add_references(data, c.data->lifecycle.preconditions);
            add_references(data, c.data->lifecycle.postconditions);
            declarations_.push_back(std::move(data));
        }
        d.kind = infra::declaration_kind::check;
        d.name = m.prefix + "check." + name;
        add_references(d, c.assertions);
        if (c.data) add_name(d, m.prefix + c.data->address(), {}, false);
        declarations_.push_back(std::move(d));
    }
}

auto hcl_program::data_of(declaration const& d) const -> std::optional<std::size_t>
{
    if (d.check == nullptr || !d.check->data) return std::nullopt;
    return numbers_.at(d.in->prefix + d.check->data->address());
}

auto hcl_program::assess(declaration const& d, scope_type const& scope,
    std::vector<infra::unread_data> const& unread) const -> infra::assessment
{
    infra::assessment made;
    language::diagnostics found;
    for (module_path const& path : paths_of(*d.in, scope)) {
        infra::check_outcome outcome{d.name, path, check_status::pass, {}};
        for (infra::unread_data const& missing : unread) {
            if (missing.target.module() != path) continue;
            outcome.status = check_status::fail;
            outcome.failures.push_back(missing.why);
        }
        instance_scope const in(*this, scope, *d.in, path);
        if (outcome.status == check_status::pass)  // without its data there is nothing to ask
            for (language::check_rule const& rule : d.check->assertions) assess_rule(rule, in, outcome, found);
        made.outcomes.push_back(std::move(outcome));
    }
    made.problems = convert(found);
    return made;
}

}  // namespace iacctl::program
