// SPDX-License-Identifier: BSL-1.0
#include "marks.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::program {

namespace {

using iacctl::json;
using language::mark;
using language::type_kind;
using language::value;
using language::value_entry;

auto attribute_step(std::string_view name) -> std::string
{
    return json_object().text("type", "get_attr").text("value", name).done();
}

auto index_step(std::string_view type, std::string_view key) -> std::string
{
    return json_object()
        .text("type", "index")
        .raw("value", json_object().text("type", type).raw("value", key).done())
        .done();
}

void collect(value const& v, std::vector<std::string>& path, json_array& found)
{
    if (v.is_sensitive()) {
        json_array steps;
        for (std::string const& step : path) steps.raw(step);
        found.raw(steps.done());
        return;
    }
    auto const collect_inner = [&](value const& inner, std::string step) {
        path.push_back(std::move(step));
        collect(inner, path, found);
        path.pop_back();
    };
    bool const is_object = v.is(type_kind::object);
    for (value_entry const& e : v.entries())
        collect_inner(e.of, is_object ? attribute_step(e.key) : index_step("string", json_string(e.key)));
    if (v.is(type_kind::set)) return;  // the marks of elements are on the set
    std::size_t i = 0;
    for (value const& element : v.elements()) collect_inner(element, index_step("number", std::to_string(i++)));
}

auto rebuilt(value const& like, std::vector<value> elements) -> value
{
    if (like.is(type_kind::tuple)) return value::tuple(std::move(elements));
    return value::list(like.get_type().element(), std::move(elements));
}

// The key in a step. Older states have it without its type.
auto key_in(json const& step) -> json
{
    json const* const key = step.find("value");
    if (key == nullptr) return {};
    if (key->members() == nullptr) return *key;
    json const* const inner = key->find("value");
    return inner == nullptr ? json() : *inner;
}

auto marked(value const& v, std::span<json const> path) -> value
{
    if (path.empty()) return v.with_marks(mark::sensitive);
    json const key = key_in(path.front());
    if (key.text() != nullptr && !v.entries().empty()) {
        std::vector<value_entry> entries(v.entries().begin(), v.entries().end());
        for (value_entry& e : entries)
            if (e.key == *key.text()) e.of = marked(e.of, path.subspan(1));
        value const changed = v.is(type_kind::map) ? value::map(v.get_type().element(), std::move(entries))
                                                   : value::object(std::move(entries));
        return changed.with_marks(v.marks());
    }
    if (auto const index = key.natural(); index && *index < v.elements().size() && !v.is(type_kind::set)) {
        std::vector<value> elements(v.elements().begin(), v.elements().end());
        elements[*index] = marked(elements[*index], path.subspan(1));
        return rebuilt(v, std::move(elements)).with_marks(v.marks());
    }
    return v;
}

}  // namespace

auto sensitive_paths(value const& v) -> std::string
{
    if (!v.has_deep(mark::sensitive)) return {};
    json_array found;
    std::vector<std::string> path;
    collect(v, path, found);
    return found.done();
}

auto with_sensitive_paths(value const& v, std::string_view paths) -> value
{
    auto const all = parse_json(paths);
    if (!all || all->elements() == nullptr) return v;
    value result = v;
    for (json const& path : *all->elements())
        if (path.elements() != nullptr) result = marked(result, *path.elements());
    return result;
}

}  // namespace iacctl::program
