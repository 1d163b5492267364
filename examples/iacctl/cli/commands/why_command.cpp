// SPDX-License-Identifier: BSL-1.0
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "graph_views.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "plan_request.hpp"
#include "session.hpp"

#include <strider/algorithm/shortest_path.hpp>
#include <strider/core/vertex_naming.hpp>
#include <strider/infra/graph/stages.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::node;
using strider::vertex_id;

struct why_options : options_with<plan_file_options, limit_options, planning_options, variable_options,
                         other_input_options, reading_lock_options, read_file_options, message_options> {};

// The vertices of an address in the graph of a plan. Creating and destroying vertices are queried separately, because
// each kind has its own order.
class subject {
public:
    subject(std::string text, workspace::plan const& p, tables_type const& tables, naming_type const& naming)
        : text_(std::move(text))
    {
        auto const& g = p.graph;
        auto const meant = read_target(text_);
        for (vertex_id const v : g.vertices()) {
            node const& n = g[v];
            bool const has_change = n.role == infra::node_role::creator || infra::is_destroyer(n);
            if (has_change && meant && infra::is_target(*meant, tables.change_of(n).target, false))
                vertices_[n.role].push_back(v);
        }
        if (!vertices_.empty()) return;
        // Vertices without an operation, and vertices that are not resources.
        for (vertex_id const v : g.vertices()) {
            node const& n = g[v];
            bool const declared = n.role == infra::node_role::declaration
                && (tables.configuration().name_of(tables.declaration_of(n)) == text_
                    || (meant && is_resource(tables, n)
                        && infra::is_target(
                            *meant, tables.configuration().address_of(tables.declaration_of(n)), true)));
            if (declared || naming.name(n) == text_) vertices_[n.role].push_back(v);
        }
    }

    [[nodiscard]] auto text() const -> std::string const& { return text_; }
    [[nodiscard]] auto vertices() const -> std::map<infra::node_role, std::vector<vertex_id>> const&
    {
        return vertices_;
    }

private:
    [[nodiscard]] static auto is_resource(tables_type const& tables, node const& n) -> bool
    {
        return tables.configuration().kind_of(tables.declaration_of(n)) == infra::declaration_kind::resource;
    }

    std::string text_;
    std::map<infra::node_role, std::vector<vertex_id>> vertices_;
};

// All orders between the two subjects, each with its shortest explanation.
auto explain(workspace::plan const& p, naming_type const& naming, subject const& s, subject const& other) -> std::string
{
    auto const& g = p.graph;
    std::string text;
    auto const report = [&](std::vector<vertex_id> const& first, std::vector<vertex_id> const& then) {
        auto steps = name_steps(g, strider::shortest_path(g, then, first), naming);
        // A step from a resource to its only instance is not informative.
        std::erase_if(steps, [](strider::path_step const& step) { return step.dependent == step.dependency; });
        if (steps.empty()) return;
        text += steps.back().dependency + " runs before " + steps.front().dependent
            + (steps.size() == 1 ? ":\n\n" : ", because of these dependencies:\n\n");
        for (auto const& step : steps)
            text += "  " + step.dependent + " -> " + step.dependency + " (" + step.reason + ")\n";
        text += '\n';
    };
    for (auto const& [one_role, a] : s.vertices())
        for (auto const& [other_role, b] : other.vertices()) {
            report(a, b);
            report(b, a);
        }
    return text;
}

auto why(why_options const& options, session const& s) -> int
{
    infra::diagnostics problems;
    if (options.arguments.size() != 2) {
        problems.add(make_error(messages::two_addresses_needed));
        return s.report(problems);
    }
    auto const p = plan_to_show(s, options.plan, options);
    if (!p) return p.error().value;
    workspace::plan const& what = p->plan.what;
    tables_type const tables(*p->desired, what.changes, what.mode, what.invocations);
    naming_type const naming(tables, true);
    subject const one(options.arguments[0], what, tables, naming);
    subject const other(options.arguments[1], what, tables, naming);
    for (subject const* requested : {&one, &other})
        if (requested->vertices().empty()) problems.add(make_error(messages::unknown_vertex, {requested->text()}));
    if (!problems.empty()) return s.report(problems);
    std::string const text = explain(what, naming, one, other);
    if (text.empty())
        s.out() << one.text() << " and " << other.text()
                << " are not ordered: neither waits for the other, so they can run at the same time.\n";
    else s.out() << text;
    return 0;
}

constexpr std::string_view examples_of_why[] = {"iacctl why local_file.notes terraform_data.reader"};

}  // namespace

constinit command const why_command{"why",
    {.configuration = configuration_use::values, .backend = true, .providers = true}, begin<why>,
    "Explain the order of two operations",
    "Shows why a resource is created, updated or destroyed before another: the shortest path of dependencies, with a "
    "reason for each.",
    {"ADDRESS ADDRESS", 2, completion::address}, examples_of_why};

}  // namespace iacctl::commands
