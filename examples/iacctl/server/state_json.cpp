// SPDX-License-Identifier: BSL-1.0
#include "state_json.hpp"

#include "base/characters.hpp"
#include "base/cut_text.hpp"
#include "base/json_writer.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/validation/schema_values.hpp"
#include "views/page.hpp"
#include "views/page_frame.hpp"
#include "views/state_view.hpp"
#include "workspace/program/marks.hpp"
#include "workspace/program/object_codec.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace iacctl::server {

namespace {

using language::mark;
using language::type_kind;
using language::value;

constexpr std::size_t longest_value = 20'000;
constexpr std::size_t longest_found = 300;
constexpr std::size_t most_differences = 2000;

// Names that usually belong to secrets.
auto is_secret_name(std::string_view name) -> bool
{
    static constexpr std::array<std::string_view, 12> parts{"password", "passwd", "passphrase", "secret", "token",
        "private_key", "privatekey", "access_key", "api_key", "apikey", "credential", "connection_string"};
    std::string const lower = ascii_lower_case(name);
    return std::ranges::any_of(parts, [&](std::string_view part) { return lower.find(part) != lower.npos; });
}

// Numbers and bools are properties of secrets, such as a length.
auto may_be_secret(value const& v) -> bool
{
    return v.has_data() && !v.is(type_kind::number) && !v.is(type_kind::boolean);
}

auto with_secret_names(value const& v) -> value
{
    if (!v.entries().empty()) {
        std::vector<language::value_entry> entries(v.entries().begin(), v.entries().end());
        for (auto& e : entries)
            e.of = is_secret_name(e.key) && may_be_secret(e.of) ? e.of.with_marks(mark::sensitive)
                                                                : with_secret_names(e.of);
        value const made = v.is(type_kind::map) ? value::map(v.get_type().element(), std::move(entries))
                                                : value::object(std::move(entries));
        return made.with_marks(v.marks());
    }
    if (v.elements().empty()) return v;
    std::vector<value> elements;
    for (value const& one : v.elements()) elements.push_back(with_secret_names(one));
    value const made = v.is(type_kind::tuple) ? value::tuple(std::move(elements))
        : v.is(type_kind::set)                ? value::set(v.get_type().element(), std::move(elements))
                                              : value::list(v.get_type().element(), std::move(elements));
    return made.with_marks(v.marks());
}

// Calls `f` with each object, its address and its deposed key, in the order of display.
template <class Function>
void for_each_object(infra::snapshot const& s, Function f)
{
    std::vector<infra::address const*> order;
    for (auto const& [a, _] : s.resources) order.push_back(&a);
    std::ranges::sort(order, [](auto const* a, auto const* b) { return views::shown_before(*a, *b); });
    for (auto const* const a : order) {
        auto const& record = s.resources.at(*a);
        if (record.current) f(*a, std::string(), *record.current);
        for (auto const& [key, o] : record.deposed) f(*a, key, o);
    }
}

auto text_of(value const& v) -> std::string
{
    if (v.is_sensitive()) return "(sensitive value)";
    bool const is_text = v.has_data() && v.is(type_kind::string);
    return cut_text(is_text ? std::string(v.as_string()) : language::expression_text(v), longest_value);
}

auto shown_output(infra::output_value const& o) -> value
{
    auto const read = program::decode_output(o);
    return read ? with_secret_names(*read) : value("(unreadable)");
}

// An output as an object with one attribute.
auto as_object(value const& v) -> value
{
    return value::object({{"value", v}});
}

// Calls `f` with the path and the text of each leaf that is not sensitive, until it returns true.
template <class Function>
auto any_leaf(value const& v, std::string const& path, Function const& f) -> bool
{
    if (v.is_sensitive() || !v.has_data()) return false;
    for (auto const& e : v.entries())
        if (any_leaf(e.of, path.empty() ? e.key : path + "." + e.key, f)) return true;
    std::size_t number = 0;
    for (value const& one : v.elements())
        if (any_leaf(one, path + "[" + std::to_string(number++) + "]", f)) return true;
    if (!v.entries().empty() || !v.elements().empty()) return false;
    bool const is_text = v.is(type_kind::string);
    return f(path, is_text ? std::string(v.as_string()) : language::expression_text(v));
}

auto contains_all(std::string const& text, std::vector<std::string> const& words) -> bool
{
    std::string const lower = ascii_lower_case(text);
    return std::ranges::all_of(words, [&](std::string const& word) { return lower.find(word) != lower.npos; });
}

auto steps_of(std::vector<infra::module_step> const& path) -> std::vector<std::string>
{
    std::vector<std::string> steps;
    for (auto const& step : path) steps.push_back("module." + step.name + to_string(step.key));
    return steps;
}

}  // namespace

struct state_json::shown_object {
    value attributes;
    bool is_readable = true;
};

auto state_json::show(infra::address const& a, infra::object const& o) const -> shown_object
{
    auto read = program::decode_to_show(*known_, a, o);
    if (!read) return {value(), false};
    auto const* const type = known_->find_type(o.provider, a);
    value made = type != nullptr ? language::with_sensitive_marks(*read, type->content) : with_secret_names(*read);
    return {std::move(made)};
}

auto state_json::content(infra::snapshot const& s) const -> std::string
{
    json_array resources;
    for_each_object(s, [&](infra::address const& a, std::string const& deposed, infra::object const& o) {
        json_object one;
        one.text("address", object_name(a, deposed)).text_if("module", to_string(a.module())).text("type", a.type());
        if (a.mode() == infra::resource_mode::data) one.flag("data", true);
        if (o.tainted) one.flag("tainted", true);
        resources.raw(one.text_if("deposed", deposed).text("provider", o.provider).done());
    });
    json_array outputs;
    for (auto const& [name, o] : s.outputs)
        outputs.raw(json_object()
                .text("name", name)
                .flag("sensitive", o.sensitive)
                .text("value", text_of(shown_output(o)))
                .done());
    json_array pending;
    for (auto const& [_, operation] : s.pending)
        pending.raw(json_object()
                .text("address", object_name(operation.target, operation.deposed_key))
                .text("action", to_string(operation.kind))
                .done());
    json_object made;
    made.number("serial", s.serial).text("lineage", s.lineage).raw("resources", resources.done());
    return made.raw("outputs", outputs.done()).raw("pending", pending.done()).done();
}

auto state_json::object(infra::snapshot const& s, std::string_view address) const -> std::string
{
    std::string made;
    for_each_object(s, [&](infra::address const& a, std::string const& deposed, infra::object const& o) {
        if (!made.empty() || object_name(a, deposed) != address) return;
        auto const shown = show(a, o);
        json_array dependencies;
        for (std::string const& one : o.dependencies.names()) dependencies.text(one);
        json_object all;
        all.text("address", address).text("provider", o.provider).number("schema_version", o.schema_version);
        if (o.tainted) all.flag("tainted", true);
        if (!shown.is_readable) all.flag("unreadable", true);
        all.raw("rows", views::attributes_json(value(), shown.attributes, nullptr));
        made = all.raw("dependencies", dependencies.done()).done();
    });
    return made;
}

auto state_json::object_content(infra::snapshot const& s, std::string_view address) -> std::optional<std::string>
{
    std::optional<std::string> made;
    for_each_object(s, [&](infra::address const& a, std::string const& deposed, infra::object const& o) {
        if (!made && object_name(a, deposed) == address)
            made = std::string(o.attributes.text()) + (o.tainted ? " tainted" : "");
    });
    return made;
}

auto state_json::difference(infra::snapshot const& before, infra::snapshot const& after) const -> std::string
{
    struct sides {
        std::pair<infra::address const*, infra::object const*> before{};
        std::pair<infra::address const*, infra::object const*> after{};
    };
    std::map<std::string, sides> objects;
    for_each_object(before, [&](infra::address const& a, std::string const& key, infra::object const& o) {
        objects[object_name(a, key)].before = {&a, &o};
    });
    for_each_object(after, [&](infra::address const& a, std::string const& key, infra::object const& o) {
        objects[object_name(a, key)].after = {&a, &o};
    });
    auto const shown = [&](auto const& one) {
        return one.second == nullptr ? value() : show(*one.first, *one.second).attributes;
    };
    std::map<std::string_view, std::size_t> counts;
    json_array changes;
    std::size_t number = 0;
    auto const add = [&](std::string_view name, bool is_output, std::string_view action, std::string const& rows,
                         std::string_view note) {
        ++counts[action];
        if (++number > most_differences) return;
        json_object one;
        one.text("address", name).text("action", action).raw("rows", rows).text_if("note", note);
        if (is_output) one.flag("output", true);
        changes.raw(one.done());
    };
    auto const word = [](bool existed, bool exists) { return !existed ? "create" : exists ? "update" : "destroy"; };
    for (auto const& [name, one] : objects) {
        infra::object const* const a = one.before.second;
        infra::object const* const b = one.after.second;
        bool const both = a != nullptr && b != nullptr;
        if (both && a->attributes == b->attributes && a->tainted == b->tainted) continue;
        std::string const rows = views::attributes_json(shown(one.before), shown(one.after), nullptr);
        std::string_view const note = both && a->tainted != b->tainted
            ? b->tainted ? "is tainted: the next apply replaces it" : "is no longer tainted"
            : "";
        add(name, false, word(a != nullptr, b != nullptr), rows, note);
    }
    std::set<std::string> names;
    for (auto const* const side : {&before, &after})
        for (auto const& [name, _] : side->outputs) names.insert(name);
    for (std::string const& name : names) {
        auto const a = before.outputs.find(name);
        auto const b = after.outputs.find(name);
        bool const existed = a != before.outputs.end();
        bool const exists = b != after.outputs.end();
        if (existed && exists && a->second.value == b->second.value && a->second.sensitive == b->second.sensitive)
            continue;
        auto const side = [&](bool is_there, auto const& at) {
            return is_there ? as_object(shown_output(at->second)) : value();
        };
        add(name, true, word(existed, exists), views::attributes_json(side(existed, a), side(exists, b), nullptr), {});
    }
    json_object sums;
    for (auto const& [action, count] : counts) sums.number(action, count);
    json_object made;
    made.raw("counts", sums.done()).raw("changes", changes.done());
    if (number > most_differences) made.number("left_out", number - most_differences);
    return made.done();
}

void state_json::search(std::vector<std::string>& found, infra::snapshot const& s,
    std::vector<std::string> const& words, std::string const& place, std::size_t most) const
{
    // A result names the first value that contains a word which the address does not contain.
    auto const look = [&](std::string const& name, bool is_output, auto const& value_of, std::string const& more) {
        if (found.size() >= most) return;
        std::vector<std::string> left;
        for (std::string const& word : words)
            if (!contains_all(name + "\n" + more, {word})) left.push_back(word);
        json_object one;
        one.raw("at", place).text("address", name);
        if (is_output) one.flag("output", true);
        if (!left.empty()) {
            bool is_first = true;
            any_leaf(value_of(), {}, [&](std::string const& path, std::string const& text) {
                auto const before = left.size();
                std::string const both = path + "\n" + text;
                std::erase_if(left, [&](std::string const& word) { return contains_all(both, {word}); });
                if (left.size() < before && std::exchange(is_first, false))
                    one.text("attribute", path).text("text", cut_text(text, longest_found));
                return left.empty();
            });
        }
        if (left.empty()) found.push_back(one.done());
    };
    for_each_object(s, [&](infra::address const& a, std::string const& deposed, infra::object const& o) {
        look(object_name(a, deposed), false, [&] { return show(a, o).attributes; }, o.provider);
    });
    for (auto const& [name, o] : s.outputs)
        look(name, true, [&output = o] { return as_object(shown_output(output)); }, "output");
}

auto state_json::graph(infra::snapshot const& s, std::string source, std::string const& workspace, std::string back)
    -> std::string
{
    views::page_view page;
    page.project = std::move(source);
    page.workspace = workspace;
    page.back = std::move(back);
    page.graph.content = views::graph_view::content_type::instances;
    auto& all = page.graph;
    std::map<std::string, std::vector<std::size_t>> instances;  // of a resource
    std::vector<infra::object const*> objects;
    for_each_object(s, [&](infra::address const& a, std::string const& deposed, infra::object const& o) {
        views::graph_view::vertex v;
        v.name = v.label = object_name(a, deposed);
        v.kind = views::vertex_kind::resource;
        v.module = steps_of(a.module());
        v.resource = std::string(prefix_of(a.mode())) + a.type() + '.' + a.name();
        instances[to_string(a.config())].push_back(all.vertices.size());
        all.vertices.push_back(std::move(v));
        objects.push_back(&o);
    });
    // A resource with several instances has one vertex before them, so that n dependents of m instances are n + m edges.
    std::map<std::string, std::size_t> joins;
    auto const target_of = [&](std::string const& name) -> std::optional<std::size_t> {
        auto const found = instances.find(name);
        if (found == instances.end()) return std::nullopt;
        if (found->second.size() == 1) return found->second.front();
        auto const [at, added] = joins.try_emplace(name, all.vertices.size());
        if (added) {
            all.vertices.emplace_back();
            for (std::size_t const one : found->second) all.edges.push_back({at->second, one, "recorded", {}});
        }
        return at->second;
    };
    // States record indirect dependencies, too; an edge that others imply is left out.
    std::map<std::string, std::set<std::string>> behind;  // the dependencies of all instances of a resource
    for (auto const& [name, numbers] : instances)
        for (std::size_t const v : numbers) {
            auto const names = objects[v]->dependencies.names();
            behind[name].insert(names.begin(), names.end());
        }
    for (std::size_t v = 0; v < objects.size(); ++v) {
        auto const names = objects[v]->dependencies.names();
        auto const is_implied = [&](std::string const& name) {
            return std::ranges::any_of(names, [&](std::string const& between) {
                auto const found = behind.find(between);
                return between != name && found != behind.end() && found->second.contains(name);
            });
        };
        for (std::string const& name : names)
            if (auto const target = target_of(name); target && *target != v && !is_implied(name))
                all.edges.push_back({v, *target, "recorded", {}});
    }
    return views::linked_page_around(views::page_data(page));
}

}  // namespace iacctl::server
