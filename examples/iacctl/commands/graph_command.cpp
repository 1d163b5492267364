// SPDX-License-Identifier: BSL-1.0
// Prints graphs of the configuration and of plans.
#include "commands.hpp"
#include "graph_views.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "page_views.hpp"
#include "plan_request.hpp"
#include "ui/graph_text.hpp"

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

template <std::size_t N>
auto is_one_of(std::array<std::string_view, N> const& all, std::string const& text) -> bool
{
    return std::ranges::find(all, text) != all.end();
}

// Prints a graph.
// \param page  returns its page for a browser
template <class Page>
auto print(session const& s, ui::graph_view graph, Page page) -> int
{
    if (s.requested().graph_format == "dot") s.out() << ui::dot_text(graph);
    else if (s.requested().graph_format == "mermaid") s.out() << ui::mermaid_text(graph);
    else s.out() << ui::page_text(page(std::move(graph)));
    return 0;
}

auto print(session const& s, shown_plan const& of) -> int
{
    return print(s, operations_graph(*of.desired, of.plan.what),
        [&](ui::graph_view const&) { return page_of(s, *of.desired, of.plan); });
}

auto print_operations(session const& s) -> int
{
    int code = 0;
    if (s.requested().graph_type == "plan-destroy") {
        request requested = s.requested();
        requested.destroy = true;
        session const destroying(s, requested);
        auto const p = plan_to_show(destroying, code);
        return p ? print(destroying, *p) : code;
    }
    auto const p = plan_to_show(s, code);
    return p ? print(s, *p) : code;
}

auto print_declarations(session const& s) -> int
{
    infra::diagnostics problems;
    auto configuration = s.workspace().load_configuration(problems);
    int const code = s.report(problems);
    if (!configuration || code != 0) return code == 0 ? 1 : code;
    program::hcl_program const declared(
        std::move(*configuration), {}, s.workspace().name(), s.workspace().options().providers);
    auto drawn = s.requested().graph_type.empty() ? resources_graph(declared) : declarations_graph(declared);
    if (!drawn) return s.report(drawn.error());
    return print(s, std::move(*drawn), [&](ui::graph_view graph) {
        ui::page_view page;
        page.workspace = s.workspace().name();
        page.graph = std::move(graph);
        return page;
    });
}

}  // namespace

auto graph(session const& s) -> int
{
    std::string const& type = s.requested().graph_type;
    std::string const& format = s.requested().graph_format;
    if (!is_one_of(formats, format)) return s.report(make_error(messages::graph_format_unknown, {format}));
    if (!is_one_of(types, type)) return s.report(make_error(messages::graph_type_unknown, {type}));
    if (!s.requested().plan.empty() && !type.empty() && type != "apply")
        return s.report(make_error(messages::graph_type_of_plan, {type}));
    bool const of_operations = type == "apply" || type == "plan-destroy" || !s.requested().plan.empty();
    return of_operations ? print_operations(s) : print_declarations(s);
}

}  // namespace iacctl::commands
