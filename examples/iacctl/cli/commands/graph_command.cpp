// SPDX-License-Identifier: BSL-1.0
// Prints graphs of the configuration and of plans.
#include "commands.hpp"
#include "graph_views.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "page_views.hpp"
#include "plan_request.hpp"
#include "session.hpp"
#include "views/graph_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace {

constexpr std::array<std::string_view, 5> types{"", "plan", "plan-refresh-only", "plan-destroy", "apply"};
constexpr std::array<std::string_view, 3> formats{"dot", "mermaid", "html"};

struct graph_options : options_with<variable_options, message_options>, plan_file_options {
    std::string type;
    std::string format = "dot";

    void declare(option_list& to)
    {
        to.with_choice("type", "TYPE",
            "\"plan\" or \"plan-refresh-only\": all declarations. \"apply\" or \"plan-destroy\": the operations of a "
            "plan, which is made if -plan does not name one. By default, resources and their dependencies.",
            type, "plan plan-refresh-only plan-destroy apply");
        to.with_choice("format", "FORMAT",
            "\"dot\" (default) for Graphviz, \"mermaid\", or \"html\": a page for a browser.", format,
            "dot mermaid html");
        plan_file_options::declare(to);
        to.ignored_flag(
            "draw-cycles", "Accepted for compatibility. Has no effect: an error names the path of a cycle.");
        to.ignored_value("module-depth", "N", "Accepted for compatibility. Has no effect.");
        options_with::declare(to);
    }
    [[nodiscard]] auto destroys() const -> bool { return type == "plan-destroy"; }
};

template <std::size_t N>
auto is_one_of(std::array<std::string_view, N> const& all, std::string const& text) -> bool
{
    return std::ranges::find(all, text) != all.end();
}

// Prints a graph.
// \param page  returns its page for a browser
template <class Page>
auto print(session const& s, std::string const& format, views::graph_view graph, Page page) -> int
{
    if (format == "dot") s.out() << views::dot_text(graph);
    else if (format == "mermaid") s.out() << views::mermaid_text(graph);
    else s.out() << views::page_text(page(std::move(graph)));
    return 0;
}

auto print_operations(session const& s, graph_options const& options) -> int
{
    planning_options planned;
    planned.destroy = options.destroys();
    auto const p = plan_to_show(s, options.plan, planned);
    if (!p) return p.error().value;
    return print(s, options.format, operations_graph(*p->desired, p->plan.what),
        [&](views::graph_view const&) { return page_of(s, *p->desired, p->plan); });
}

auto print_declarations(session const& s, graph_options const& options) -> int
{
    infra::diagnostics problems;
    auto configuration = s.workspace().load_configuration(problems);
    int const code = s.report(problems);
    if (!configuration || code != 0) return code == 0 ? 1 : code;
    program::hcl_program const declared(
        std::move(*configuration), {}, s.workspace().name(), s.workspace().options().providers);
    auto drawn = options.type.empty() ? resources_graph(declared) : declarations_graph(declared);
    if (!drawn) return s.report(drawn.error());
    return print(s, options.format, std::move(*drawn), [&](views::graph_view graph) {
        views::page_view page;
        page.project = project_of(s);
        page.workspace = s.workspace().name();
        page.graph = std::move(graph);
        return page;
    });
}

auto graph(graph_options const& options, session const& s) -> int
{
    std::string const& type = options.type;
    std::string const& format = options.format;
    if (!is_one_of(formats, format)) return s.report(make_error(messages::graph_format_unknown, {format}));
    if (!is_one_of(types, type)) return s.report(make_error(messages::graph_type_unknown, {type}));
    if (!options.plan.empty() && !type.empty() && type != "apply")
        return s.report(make_error(messages::graph_type_of_plan, {type}));
    bool const of_operations = type == "apply" || options.destroys() || !options.plan.empty();
    return of_operations ? print_operations(s, options) : print_declarations(s, options);
}

constexpr std::string_view examples_of_graph[] = {"iacctl graph | dot -Tsvg > graph.svg",
    "iacctl graph -type=apply -format=html > apply.html", "iacctl graph -plan=tomorrow.plan -format=mermaid"};

}  // namespace

constinit command const graph_command{"graph",
    {.configuration = configuration_use::declarations, .configuration_required = true, .providers = true}, begin<graph>,
    "Print a graph",
    "Prints the dependencies of resources, or the operations of a plan, as a graph that Graphviz, Mermaid or a browser "
    "draws.",
    {}, examples_of_graph};

}  // namespace iacctl::commands
