// SPDX-License-Identifier: BSL-1.0
#include "base/formatted.hpp"
#include "base/json_writer.hpp"
#include "base/unicode.hpp"
#include "difference.hpp"
#include "page.hpp"
#include "page_frame.hpp"
#include "plan_text.hpp"

#include "language/syntax/expression_text.hpp"

#include <strider/algorithm/critical_path.hpp>
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace iacctl::views {

namespace {

using infra::action;
using infra::action_reason;
using language::value;

// The maximum length of the text of a value; a longer text is truncated.
constexpr std::size_t longest_text = 20'000;

auto cut(std::string text) -> std::string
{
    if (text.size() <= longest_text) return text;
    auto const end = character_begin(text, longest_text);
    auto const rest = text.size() - end;
    text.resize(end);
    return text + formatted("\n... {} more bytes", rest);
}

auto text_of(value const& given) -> std::string
{
    if (given.is_unknown()) return "(known after apply)";
    bool const is_text = given.has_data() && given.is(language::type_kind::string);
    if (is_text && given.as_string().find('\n') != std::string::npos) return cut(std::string(given.as_string()));
    return cut(language::expression_text(given));
}

// An attribute before and after the change. A side that does not exist has no text.
struct row {
    std::string path;
    std::optional<std::string> before{};
    std::optional<std::string> after{};
    bool forces = false;
};

class attribute_rows {
public:
    [[nodiscard]] static auto of(difference const& whole) -> std::vector<row>
    {
        attribute_rows made;
        made.add(whole, {}, false);
        return std::move(made.rows_);
    }

private:
    [[nodiscard]] static auto has_before(difference const& d) -> bool { return d.action != action::create; }
    [[nodiscard]] static auto has_after(difference const& d) -> bool { return d.action != action::destroy; }

    // Adds both sides, if they exist.
    void add_sides(difference const& d, std::string path, std::string before, std::string after, bool forces)
    {
        row one{std::move(path), {}, {}, forces};
        if (has_before(d)) one.before = std::move(before);
        if (has_after(d)) one.after = std::move(after);
        rows_.push_back(std::move(one));
    }

    [[nodiscard]] static auto side_text(difference const& d) -> std::string
    {
        difference_style plain;
        plain.hide_symbols = plain.hide_null_suffix = plain.show_unchanged = true;
        return cut(difference_text(d, 0, plain));
    }

    void add(difference const& d, std::string const& path, bool forced)
    {
        if (d.action == action::no_op) return;
        bool const forces = forced || d.forces_replacement;
        switch (d.kind) {
        case difference_kind::leaf: return add_sides(d, path, text_of(d.before), text_of(d.after), forces);
        case difference_kind::sensitive: return add_sides(d, path, "(sensitive value)", "(sensitive value)", forces);
        case difference_kind::unknown:
            return add_sides(d, path, d.elements.empty() ? std::string() : side_text(d.elements.front()),
                "(known after apply)", forces);
        case difference_kind::type_change:
            return add_sides(d, path, side_text(d.elements.at(0)), side_text(d.elements.at(1)), forces);
        default: return add_parts(d, path, forces);
        }
    }

    void add_parts(difference const& d, std::string const& path, bool forces)
    {
        auto const first = rows_.size();
        bool const is_map = d.kind == difference_kind::mapping;
        bool const has_order = d.kind == difference_kind::sequence || d.kind == difference_kind::set;
        for (std::size_t i = 0; i < d.elements.size(); ++i) {
            auto step = has_order ? formatted("[{}]", i)
                : is_map          ? '[' + language::quoted_text(d.names[i]) + ']'
                                  : d.names[i];
            bool const dotted = !path.empty() && !has_order && !is_map;
            add(d.elements[i], path + (dotted ? "." : "") + step, forces);
        }
        std::map<std::string, std::size_t> count;
        for (auto const& block : d.blocks) {
            auto const number = count[block.type]++;
            auto const step =
                block.type + (block.label.empty() ? formatted("[{}]", number) : '[' + block.label.substr(1) + ']');
            add(block.of, path.empty() ? step : path + '.' + step, forces);
        }
        // The collection is empty on one side.
        if (rows_.size() == first && !path.empty())
            add_sides(d, path, has_order ? "[]" : "{}", has_order ? "[]" : "{}", forces);
    }

    std::vector<row> rows_;
};

auto json_of(std::vector<row> const& rows) -> std::string
{
    json_array out;
    for (row const& one : rows) {
        json_object json;
        json.text("path", one.path);
        if (one.before) json.text("before", *one.before);
        if (one.after) json.text("after", *one.after);
        if (one.forces) json.flag("forces", true);
        out.raw(json.done());
    }
    return out.done();
}

auto word_of(action a) -> std::string_view
{
    switch (a) {
    case action::no_op: return "no-op";
    case action::create: return "create";
    case action::read: return "read";
    case action::update: return "update";
    case action::destroy: return "destroy";
    case action::destroy_then_create:
    case action::create_then_destroy: return "replace";
    case action::forget:
    case action::forget_then_create: return "forget";
    }
    return {};
}

auto risk_of(action a) -> int
{
    switch (a) {
    case action::destroy: return 0;
    case action::destroy_then_create:
    case action::create_then_destroy: return 1;
    case action::forget:
    case action::forget_then_create: return 2;
    case action::update: return 3;
    case action::create: return 4;
    case action::read: return 5;
    case action::no_op: return 6;
    }
    return 6;
}

// The reasons of an action, as sentences.
auto causes_of(change_view const& change, infra::plan_mode mode, std::vector<row> const& rows)
    -> std::vector<std::string>
{
    std::vector<std::string> causes;
    auto const name = change.address.type() + '.' + change.address.name();
    switch (change.reason) {
    case action_reason::replace_because_cannot_update: {
        std::string forcing;
        for (row const& one : rows)
            if (one.forces) forcing += (forcing.empty() ? "" : ", ") + one.path;
        causes.push_back(forcing.empty() ? "The provider cannot update the object in place."
                                         : "Changes of these attributes require a replacement: " + forcing + '.');
        break;
    }
    case action_reason::replace_because_tainted: causes.emplace_back("The object is tainted."); break;
    case action_reason::replace_by_request: causes.emplace_back("The option -replace names the instance."); break;
    case action_reason::replace_by_triggers: {
        std::string fired;
        for (std::string const& one : change.triggers) fired += (fired.empty() ? "" : ", ") + one;
        causes.push_back(fired.empty() ? "A value that replace_triggered_by refers to changes."
                                       : "These values that replace_triggered_by refers to change: " + fired + '.');
        break;
    }
    case action_reason::delete_because_no_resource_config:
        causes.push_back("The configuration does not declare " + name + '.');
        break;
    case action_reason::delete_because_enabled_false:
        causes.emplace_back("The condition of lifecycle.enabled is false.");
        break;
    case action_reason::forgot_because_lifecycle_destroy_in_config:
    case action_reason::forgot_because_lifecycle_destroy_in_state:
        causes.emplace_back(
            "The argument lifecycle.destroy is false: the object is removed from state and is not destroyed.");
        break;
    case action_reason::delete_because_no_module:
        causes.push_back("The configuration does not declare " + to_string(change.address.module()) + '.');
        break;
    case action_reason::delete_because_wrong_repetition:
        causes.push_back(change.address.key() ? "The resource has no instance with a key."
                                              : "The resource has count or for_each, and the instance has no key.");
        break;
    case action_reason::delete_because_count_index:
        causes.push_back("The index " + to_string(change.address.key()) + " is out of range for count.");
        break;
    case action_reason::delete_because_each_key:
        causes.push_back("The key " + to_string(change.address.key()) + " is not part of for_each.");
        break;
    case action_reason::delete_because_no_move_target:
        causes.emplace_back("The object was moved to an address that the configuration does not declare.");
        break;
    case action_reason::read_because_config_unknown:
        causes.emplace_back(
            "The configuration of the data source contains values that are not known before the apply.");
        break;
    case action_reason::read_because_dependency_pending:
        causes.emplace_back("The data source depends on an object that changes.");
        break;
    case action_reason::read_because_check_nested:
        causes.emplace_back("A check block reads the data source again.");
        break;
    case action_reason::none: break;
    }
    if (causes.empty() && change.action == action::destroy) {
        if (!change.deposed_key.empty()) causes.emplace_back("An earlier replacement left the object.");
        else if (mode == infra::plan_mode::destroy) causes.emplace_back("The plan destroys all objects.");
    }
    if (change.action == action::create_then_destroy)
        causes.emplace_back("The new object is created before the old one is destroyed.");
    if (change.action == action::forget) causes.emplace_back("The object is removed from state, and is not destroyed.");
    if (change.moved()) causes.push_back("Moved from " + to_string(*change.previous_address) + '.');
    if (!change.importing_identity.empty())
        causes.push_back("Imported by the identity " + change.importing_identity + ".");
    else if (change.importing_id) causes.push_back("Imported with the ID \"" + *change.importing_id + "\".");
    if (!change.generated_config.empty()) causes.emplace_back("The configuration of the object is generated.");
    return causes;
}

auto list_of(std::vector<std::string> const& texts) -> std::string
{
    json_array out;
    for (std::string const& one : texts) out.text(one);
    return out.done();
}

auto list_of(std::vector<std::size_t> const& numbers) -> std::string
{
    json_array out;
    for (auto const one : numbers) out.raw(std::to_string(one));
    return out.done();
}

// The rows of a change. If no difference shows the part that forces a replacement, the whole attribute is marked.
auto rows_of(change_view const& change) -> std::vector<row>
{
    auto rows = attribute_rows::of(compare_resources(change.before,
        change.action == action::forget ? change.before : change.after, change.schema, change.replace_paths));
    if (std::ranges::any_of(rows, &row::forces)) return rows;
    for (row& one : rows)
        one.forces = std::ranges::any_of(change.replace_paths, [&](value_path const& path) {
            auto const* const name = path.empty() ? nullptr : std::get_if<std::string>(&path.front());
            return name != nullptr && one.path.substr(0, one.path.find_first_of(".[")) == *name;
        });
    return rows;
}

auto change_json(change_view const& change, infra::plan_mode mode) -> std::string
{
    auto const rows = rows_of(change);
    json_object out;
    out.text("address", to_string(change.address))
        .text_if("deposed", change.deposed_key)
        .text("action", word_of(change.action))
        .text("type", change.address.type())
        .text_if("place", change.place);
    if (auto const causes = causes_of(change, mode, rows); !causes.empty()) out.raw("causes", list_of(causes));
    if (!change.triggers.empty()) out.raw("triggers", list_of(change.triggers));
    return out.raw("rows", json_of(rows)).done();
}

// Changes that are left to a later plan, with the reason before the causes.
auto deferred_rows(std::vector<deferred_view> const& views) -> std::string
{
    json_array out;
    for (deferred_view const& one : views) {
        std::string reason = "Deferred: " + std::string(deferral_text(one.reason)) + '.';
        out.raw(json_object()
                .text("address", to_string(one.change.address))
                .text("action", word_of(one.change.action))
                .text("type", one.change.address.type())
                .raw("causes", list_of(std::vector<std::string>{std::move(reason)}))
                .raw("rows", json_of(rows_of(one.change)))
                .done());
    }
    return out.done();
}

auto in_order_of_risk(plan_view const& plan) -> std::vector<change_view const*>
{
    std::vector<change_view const*> order;
    for (auto const& one : plan.changes)
        if (is_shown(one)) order.push_back(&one);
    sort_as_shown(order);
    std::ranges::stable_sort(order, {}, [](change_view const* change) { return risk_of(change->action); });
    return order;
}

auto outputs_json(plan_view const& plan) -> std::string
{
    std::vector<output_change_view const*> order;
    for (auto const& one : plan.output_changes)
        if (one.action != action::no_op) order.push_back(&one);
    std::ranges::sort(order, {}, [](auto const* item) -> std::string const& { return item->name; });
    json_array out;
    for (auto const* one : order) {
        auto const marked = [&](value const& side) {
            return one->sensitive ? side.unmarked_deep().with_marks(language::mark::sensitive) : side;
        };
        auto rows = attribute_rows::of(compare_values(marked(one->before), marked(one->after)));
        out.raw(json_object()
                .text("name", one->name)
                .text("action", word_of(one->action))
                .raw("rows", json_of(rows))
                .done());
    }
    return out.done();
}

// The number of all instances of each module of which some have no changes, and so no vertex; empty: there is none.
auto instances_of_modules(page_view const& of) -> std::string
{
    struct instances {
        std::set<std::string> all;
        std::set<std::string> shown;
    };
    std::map<std::string, instances> calls;  // by the address without the last key
    auto const add = [&](std::vector<infra::module_step> const& path, bool is_changed) {
        std::string prefix;
        for (infra::module_step const& step : path) {
            prefix += (prefix.empty() ? "module." : ".module.") + step.name;
            instances& of_call = calls[prefix];
            auto const key = to_string(step.key);
            of_call.all.insert(key);
            if (is_changed) of_call.shown.insert(key);
            prefix += key;
        }
    };
    for (change_view const& change : of.plan->changes)
        if (is_shown(change)) add(change.address.module(), true);
    for (auto const& path : of.unchanged) add(path, false);
    json_object made;
    bool is_empty = true;
    for (auto const& [call, found] : calls) {
        if (found.shown.size() == found.all.size()) continue;
        made.number(call, found.all.size());
        is_empty = false;
    }
    return is_empty ? std::string() : made.done();
}

auto kind_of(graph_view const& graph, graph_view::vertex const& v) -> std::string_view
{
    if (!is_named(graph, v)) return "join";
    return v.kind == vertex_kind::operation && v.operation ? "operation"
        : v.kind == vertex_kind::resource                  ? "resource"
                                                           : "value";
}

// Repeated texts, each with a number.
class text_table {
public:
    [[nodiscard]] auto number(std::string const& text) -> std::size_t
    {
        auto const [at, added] = numbers_.try_emplace(text, numbers_.size());
        if (added) texts_.text(text);
        return at->second;
    }
    [[nodiscard]] auto json() const -> std::string { return texts_.done(); }

private:
    std::unordered_map<std::string, std::size_t> numbers_;
    json_array texts_;
};

// Seconds with six digits, at least microseconds, and no zeros at the end.
auto number_json(double number) -> std::string
{
    return formatted("{:.6g}", number < 0.000'000'5 ? 0.0 : number);
}

// Errors and warnings, with the lines of their sources.
auto problems_json(infra::diagnostics const& problems) -> std::string
{
    json_array out;
    for (infra::diagnostic const& one : problems) {
        json_object json;
        json.text("level", one.level == infra::severity::error ? "error" : "warning")
            .text("summary", one.summary)
            .text_if("detail", cut(one.detail))
            .text_if("address", one.address)
            .text_if("code", one.code);
        if (one.source) {
            json.text("place", one.source.file + ':' + std::to_string(one.source.line))
                .text_if("context", one.source.context)
                .text_if("source", cut(one.source.text));
            if (!one.source.notes.empty()) json.raw("notes", list_of(one.source.notes));
        }
        out.raw(json.done());
    }
    return out.done();
}

class document {
public:
    explicit document(page_view const& view) : of_(view), shown_(shown(view.graph))
    {
        for (std::size_t i = 0; i < shown_.vertices.size(); ++i) numbers_.emplace(shown_.vertices[i], i);
        if (!view.plan) return;
        order_ = in_order_of_risk(*view.plan);
        for (std::size_t i = 0; i < order_.size(); ++i) changes_.emplace(order_[i]->number, i);
    }

    [[nodiscard]] auto json() -> std::string
    {
        json_object out;
        out.text("kind",
               of_.run                                                        ? "apply"
                   : of_.plan                                                 ? "plan"
                   : of_.graph.content == graph_view::content_type::instances ? "state"
                                                                              : "graph")
            .text_if("project", of_.project)
            .text("workspace", of_.workspace)
            .text_if("back", of_.back);
        if (of_.plan) {
            out.text_if("created", of_.plan->timestamp);
            constexpr std::string_view modes[] = {"normal", "destroy", "refresh-only"};
            out.text("mode", modes[static_cast<std::size_t>(of_.plan->mode)]);
            if (of_.plan->errored) out.flag("incomplete", true);
            json_array changes;
            for (auto const* one : order_) changes.raw(change_json(*one, of_.plan->mode));
            out.raw("changes", changes.done()).raw("outputs", outputs_json(*of_.plan));
            out.raw_if("instances", instances_of_modules(of_));
            if (!of_.plan->deferred.empty()) out.raw("deferred", deferred_rows(of_.plan->deferred));
        }
        out.raw("vertices", vertices()).raw("edges", edges()).raw("critical", list_of(critical_path()));
        if (of_.run) out.raw("run", run());
        return out.raw("texts", texts_.json()).done();
    }

private:
    [[nodiscard]] auto vertices() -> std::string
    {
        json_array out;
        for (auto const number : shown_.vertices) {
            auto const& v = of_.graph.vertices[number];
            json_object one;
            one.text("kind", kind_of(of_.graph, v)).text_if("name", v.name);
            if (v.label != v.name) one.text_if("label", v.label);
            if (!v.module.empty()) {
                std::vector<std::size_t> steps;
                for (std::string const& step : v.module) steps.push_back(texts_.number(step));
                one.raw("module", list_of(steps));
            }
            if (!v.resource.empty()) one.raw("resource", std::to_string(texts_.number(v.resource)));
            if (v.operation) one.text("operation", to_string(*v.operation));
            if (v.change)
                if (auto const found = changes_.find(*v.change); found != changes_.end())
                    one.raw("change", std::to_string(found->second));
            if (number < of_.seconds.size() && of_.seconds[number] > 0)
                one.raw("seconds", number_json(of_.seconds[number]));
            out.raw(one.done());
        }
        return out.done();
    }

    // [dependent, dependency, rule, place], and for each further step of the way: name, rule, place.
    [[nodiscard]] auto edges() -> std::string
    {
        json_array out;
        for (auto const& edge : shown_.edges) {
            std::vector<std::size_t> one{numbers_.at(edge.dependent), numbers_.at(edge.dependency)};
            for (auto const number : edge.through) {
                auto const& step = of_.graph.edges[number];
                if (number != edge.through.front())
                    one.push_back(texts_.number(of_.graph.vertices[step.dependent].name));
                one.push_back(texts_.number(step.rule));
                one.push_back(texts_.number(step.place));
            }
            out.raw(list_of(one));
        }
        return out.done();
    }

    // The longest path, by duration if durations are known, else by the number of vertices; dependencies first.
    [[nodiscard]] auto critical_path() const -> std::vector<std::size_t>
    {
        strider::digraph<std::size_t> draft;
        std::vector<strider::draft_vertex_id> ids;
        for (std::size_t i = 0; i < shown_.vertices.size(); ++i) ids.push_back(draft.add_vertex(i));
        for (auto const& e : shown_.edges)
            draft.add_edge(ids[numbers_.at(e.dependent)], depends_on(ids[numbers_.at(e.dependency)]));
        bool const timed = std::ranges::any_of(of_.seconds, [](double x) { return x > 0; });
        auto const longest = strider::critical_path(draft, [&](std::size_t i) {
            auto const number = shown_.vertices[i];
            if (timed) return number < of_.seconds.size() ? of_.seconds[number] : 0.0;
            return is_named(of_.graph, of_.graph.vertices[number]) ? 1.0 : 0.0;
        });
        std::vector<std::size_t> path;
        if (longest)
            for (auto const v : longest->vertices)
                if (is_named(of_.graph, of_.graph.vertices[shown_.vertices[draft[v]]])) path.push_back(draft[v]);
        return path;
    }

    [[nodiscard]] auto run() const -> std::string
    {
        constexpr std::string_view results[] = {"done", "failed", "running"};
        json_array visits;
        for (timed_visit const& one : of_.run->visits) {
            auto const found = numbers_.find(one.vertex);
            if (found == numbers_.end()) continue;
            json_array visit;
            visit.raw(std::to_string(found->second))
                .raw(number_json(one.ready))
                .raw(number_json(one.start))
                .raw(number_json(one.end))
                .text(results[static_cast<std::size_t>(one.result)]);
            visits.raw(visit.done());
        }
        json_object out;
        out.raw("seconds", number_json(of_.run->seconds)).flag("failed", of_.run->failed);
        if (of_.run->limit > 0) out.number("limit", of_.run->limit);
        if (!of_.run->problems.empty()) out.raw("problems", problems_json(of_.run->problems));
        return out.raw("visits", visits.done()).done();
    }

    page_view const& of_;
    shown_graph shown_;
    std::unordered_map<std::size_t, std::size_t> numbers_;  // of vertices, from the view to the page
    std::vector<change_view const*> order_;
    std::unordered_map<std::size_t, std::size_t> changes_;  // from the plan to the page
    text_table texts_;
};

}  // namespace

auto attributes_json(value const& before, value const& after, resource_schema const* schema) -> std::string
{
    return json_of(attribute_rows::of(compare_resources(before, after, schema)));
}

auto page_data(page_view const& view) -> std::string
{
    return document(view).json();
}

auto page_text(page_view const& view) -> std::string
{
    return page_around(page_data(view));
}

}  // namespace iacctl::views
