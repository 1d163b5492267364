// SPDX-License-Identifier: BSL-1.0
#include "marks.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace iacctl::program {

namespace {

using json = nlohmann::json;
using language::mark;
using language::type_kind;
using language::value;
using language::value_entry;

void collect(value const& v, json& path, json& found)
{
    if (v.is_sensitive()) {
        found.push_back(path);
        return;
    }
    bool const is_object = v.is(type_kind::object);
    for (value_entry const& e : v.entries()) {
        if (is_object) path.push_back({{"type", "get_attr"}, {"value", e.key}});
        else path.push_back({{"type", "index"}, {"value", {{"value", e.key}, {"type", "string"}}}});
        collect(e.of, path, found);
        path.erase(path.size() - 1);
    }
    if (v.is(type_kind::set)) return;  // the marks of elements are on the set
    std::size_t i = 0;
    for (value const& element : v.elements()) {
        path.push_back({{"type", "index"}, {"value", {{"value", i++}, {"type", "number"}}}});
        collect(element, path, found);
        path.erase(path.size() - 1);
    }
}

auto rebuilt(value const& like, std::vector<value> elements) -> value
{
    if (like.is(type_kind::tuple)) return value::tuple(std::move(elements));
    return value::list(like.get_type().element(), std::move(elements));
}

auto marked(value const& v, json const& path, std::size_t from) -> value
{
    if (from == path.size()) return v.with_marks(mark::sensitive);
    json const step = path[from].value("value", json());
    json const key = step.is_object() ? step.value("value", json()) : step;
    if (key.is_string() && !v.entries().empty()) {
        std::vector<value_entry> entries(v.entries().begin(), v.entries().end());
        for (value_entry& e : entries)
            if (e.key == key.get<std::string>()) e.of = marked(e.of, path, from + 1);
        value const changed = v.is(type_kind::map) ? value::map(v.get_type().element(), std::move(entries))
                                                   : value::object(std::move(entries));
        return changed.with_marks(v.marks());
    }
    if (key.is_number_unsigned() && key.get<std::size_t>() < v.elements().size() && !v.is(type_kind::set)) {
        std::vector<value> elements(v.elements().begin(), v.elements().end());
        elements[key.get<std::size_t>()] = marked(elements[key.get<std::size_t>()], path, from + 1);
        return rebuilt(v, std::move(elements)).with_marks(v.marks());
    }
    return v;
}

}  // namespace

auto sensitive_paths(value const& v) -> std::string
{
    if (!v.has_deep(mark::sensitive)) return {};
    json found = json::array();
    json path = json::array();
    collect(v, path, found);
    return found.dump();
}

auto with_sensitive_paths(value const& v, std::string_view paths) -> value
{
    if (paths.empty()) return v;
    json const all = json::parse(paths, nullptr, false);
    value result = v;
    if (all.is_array())
        for (json const& path : all)
            if (path.is_array()) result = marked(result, path, 0);
    return result;
}

}  // namespace iacctl::program
